"""A notebook as Markdown: its texts, its code and its stored output. No code is run."""

import json


def markdown_of(text):
    """Markdown of the text of a notebook."""
    return "\n\n".join(part for cell in json.loads(text)["cells"] for part in _parts(cell))


def _parts(cell):
    source = "".join(cell["source"])
    if cell["cell_type"] != "code":
        yield source
        return
    yield _block("python", source)
    for output in cell["outputs"]:
        if "text" in output:
            yield _block("text", "".join(output["text"]))
        elif "image/png" in output["data"]:
            content = "".join(output["data"]["image/png"]).replace("\n", "")
            yield f"![Figure of the code above](data:image/png;base64,{content})"


def _block(language, text):
    return f"````{language}\n{text.rstrip()}\n````"
