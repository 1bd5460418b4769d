"""Settings of figures that pass the schema, and that no job could make the figure from."""

from logzoo.checks import shown


def expect(here, key, fits, expected):
    """Raise ValueError, one line naming a setting of a figure, unless it fits."""
    if not fits:
        found = shown(here.entry[key])
        raise ValueError(f"configuration: figures.{here.name}.{key}: expected {expected}, found {found}")
