"""Run the code of a text as its reader would, and compare the output with the text."""

import contextlib
import io
import re

NUMBER = re.compile(r"[-+]?\d+\.\d+")
_BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def blocks(path):
    """(language, text) of every block of a page."""
    return _BLOCK.findall(path.read_text())


def printed(sources, namespace=None):
    """The output of each source, run one after the other in one namespace."""
    namespace, texts = {"__name__": "__main__"} if namespace is None else namespace, []
    for source in sources:
        with contextlib.redirect_stdout(io.StringIO()) as out:
            exec(source, namespace)
        texts.append(out.getvalue())
    return texts


def differences(found, stored):
    """Pairs of texts that differ in their words, or in a number by more than 0.05 (training adds in any order)."""
    return [
        (first, other)
        for first, other in zip(found, stored, strict=True)
        if NUMBER.sub("#", first).split() != NUMBER.sub("#", other).split()
        or any(
            abs(float(a) - float(b)) > 0.05 for a, b in zip(NUMBER.findall(first), NUMBER.findall(other), strict=True)
        )
    ]
