"""JSON that anybody may have written."""

import json


def json_object(text):
    """The dict in a JSON text (or bytes); ValueError, a phrase, for anything else, also for what is nested too deep."""
    try:
        content = json.loads(text)
    except RecursionError:
        raise ValueError("nested too deep") from None
    if not isinstance(content, dict):
        raise ValueError("expected a JSON object")
    return content
