"""What is said where other data, or another model, stand in for what could not be had."""

STAND_IN = " (STAND-IN)"


def stand_ins(artifacts):
    """Attributes that name every data set that another stands in for, and why (by line); empty if there is none.

    Each of the artifacts has attributes of its own, or is nothing but its attributes.
    """
    notices = [getattr(artifact, "attrs", artifact) for artifact in artifacts]
    notices = [notice for notice in notices if "stand_in_for" in notice]
    # What was joined before is taken apart first.
    return {
        key: mark.join(sorted({text for notice in notices for text in notice.get(key, "no reason given").split(mark)}))
        for key, mark in (("stand_in_for", ", "), ("stand_in_reason", "\n"))
        if notices
    }


def stand_in_line(attributes):
    """A plain line on what others stand in for; empty if there is nothing."""
    if "stand_in_for" not in attributes:
        return ""
    return f"STAND-IN: something else stands in for {attributes['stand_in_for']}"


def stand_in_note(artifact):
    """What is said behind the name of a row made of something that stands in; nothing for others."""
    return STAND_IN if "stand_in_for" in artifact.attrs else ""
