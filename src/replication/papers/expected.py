"""Check settings that pass the schema but from which no job could make the figure."""

from logzoo.checks import shown
from replication.papers.declaration import Here


def expect(here: Here, key: str, fits: object, expected: str) -> None:
    """Raise ValueError, one line that names the setting of the figure, unless it fits."""
    if not fits:
        value = shown(here.entry[key])
        raise ValueError(f"configuration: figures.{here.name}.{key}: expected {expected}, found {value}")
