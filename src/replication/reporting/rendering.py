"""Pages from templates: the same contents give the same bytes."""

import jinja2


def rendered(name, templates, **contents):
    """The page that the template of that name in the folder `templates` makes of its contents.

    What a template puts out by `tojson` is compact; ValueError for numbers in it that JSON does not have.
    """
    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(templates),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    environment.policies["json.dumps_kwargs"] = {"separators": (",", ":"), "allow_nan": False}
    return environment.get_template(name).render(**contents)
