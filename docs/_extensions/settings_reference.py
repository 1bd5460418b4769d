"""The directive `settings`: every section of the configuration and its keys, from the models that check it."""

import re

from docutils import nodes
from prose import paragraph, section
from sphinx.util.docutils import SphinxDirective

from replication.settings.root import Settings

_BOUNDS = {"minimum": "≥", "exclusiveMinimum": ">", "maximum": "≤", "exclusiveMaximum": "<"}
_TYPES = {"integer": "whole number", "number": "number", "string": "text", "boolean": "true or false"}


def setup(app):
    app.add_directive("settings", SettingsReference)
    return {"parallel_read_safe": True}


def sections():
    """{name of a model: (dotted path of its section, its JSON schema)}, outer sections first."""
    schema = Settings.model_json_schema()
    found = {"Settings": ("", schema)}

    def collect(path, part):
        if "$ref" in part:
            name = _name_of(part)
            if name not in found:
                found[name] = (path, schema["$defs"][name])
                collect_fields(path, schema["$defs"][name])
        for alternative in part.get("anyOf", part.get("oneOf", ())):
            collect(path, alternative)
        if values := _values_of(part):
            collect(f"{path}.<name>", values)
        if "items" in part:
            collect(f"{path}.<number>", part["items"])

    def collect_fields(path, part):
        for key, field in part["properties"].items():
            collect(f"{path}.{key}".lstrip("."), field)

    collect_fields("", schema)
    return found


def type_of(part):
    """The type of a setting in words."""
    choices = [choice for choice in part.get("anyOf", part.get("oneOf", ())) if choice.get("type") != "null"]
    if choices:
        return " or ".join(dict.fromkeys(map(type_of, choices)))
    if "$ref" in part:
        return f"section {_words(_name_of(part))}"
    if "const" in part or "enum" in part:
        return " or ".join(f"`{_spelled(value)}`" for value in part.get("enum", [part.get("const")]))
    if part.get("type") == "array":
        return f"list of {type_of(part['items'])}"
    if part.get("type") == "object":
        return f"{type_of(values)}, by name" if (values := _values_of(part)) else "keys with values"
    bounds = " and ".join(f"{sign} {part[key]:g}" for key, sign in _BOUNDS.items() if key in part)
    form = f"of the form `{part['pattern']}`" if "pattern" in part else ""
    return " ".join(filter(None, [_TYPES.get(part.get("type"), "value"), bounds, form]))


class SettingsReference(SphinxDirective):
    """A section of each model: its place in the configuration, its purpose and its keys."""

    def run(self):
        return [self._section(name, path, schema) for name, (path, schema) in sections().items()]

    def _section(self, name, path, schema):
        required = schema.get("required", ())
        entries = [
            nodes.definition_list_item(
                "",
                nodes.term("", "", nodes.literal("", key)),
                nodes.definition("", paragraph(field["description"]), paragraph(_terms(field, key in required))),
            )
            for key, field in schema["properties"].items()
        ]
        title = f"{_words(name).capitalize()}: `{path}`" if path else "Top level"
        text = [paragraph(each) for each in schema["description"].split("\n\n")]
        return section(self.state.document, title, *text, nodes.definition_list("", *entries), name=f"settings-{name}")


def _terms(field, is_required):
    """Type, and whether the setting is required or has a default."""
    default = field.get("default")
    state = "required" if is_required else "optional" if default is None else f"default `{_spelled(default)}`"
    return f"{type_of(field)}; {state}."


def _spelled(value):
    return str(value).lower() if isinstance(value, bool) else repr(value) if value == " " else str(value)


def _values_of(part):
    """The schema of the values of a mapping. JSON schema lists it by the pattern of the keys, if there is one."""
    for values in (part.get("additionalProperties"), *part.get("patternProperties", {}).values()):
        if isinstance(values, dict):
            return values
    return None


def _name_of(part):
    return part["$ref"].rpartition("/")[2]


def _words(name):
    """The name of a model in words: TrainedModel is a trained model."""
    return re.sub("(?<!^)(?=[A-Z])", " ", name).lower()
