"""Nodes of plain prose, in which `backticks` mark code. There is no other markup."""

from docutils import nodes


def paragraph(text, *more):
    """A paragraph of a text, followed by further nodes."""
    return nodes.paragraph("", "", *inline(text), *more)


def inline(text):
    """The nodes of a text: code between backticks, words elsewhere."""
    parts = " ".join(text.split()).split("`")
    return [nodes.literal(part, part) if place % 2 else nodes.Text(part) for place, part in enumerate(parts) if part]


def section(document, title, *content, name=None):
    """A section with its title. Links lead to it by its name, by default the title."""
    found = nodes.section("", nodes.title("", "", *inline(title)), *content, names=[nodes.fully_normalize_name(title)])
    found["ids"].append(nodes.make_id(name or title))
    document.note_implicit_target(found, found)
    return found
