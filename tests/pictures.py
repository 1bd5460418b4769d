"""Figures that are drawn twice."""

from io import BytesIO


def assert_drawn_alike(draw):
    """A figure has the same dots each time: few of them, for the time it takes. All bytes are compared elsewhere."""
    first, second = BytesIO(), BytesIO()
    for copy in (first, second):
        draw().savefig(copy, dpi=50)
    assert first.getvalue() == second.getvalue()
