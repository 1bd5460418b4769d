"""The check of a setting that passes the schema, and that no job could make the figure from."""

from logzoo.checks import shown
from replication.papers.declaration import Here


def expect(here: Here, key: str, fits: object, expected: str) -> None:
    """Raise ValueError, one line naming a setting of a figure, unless it fits."""
    if not fits:
        value = shown(here.entry[key])
        raise ValueError(f"configuration: figures.{here.name}.{key}: expected {expected}, found {value}")
