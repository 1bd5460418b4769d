"""Check settings that pass the schema but do not allow a job to make the figure."""

from logzoo.checks import shown
from replication.papers.declaration import Here


def expect(here: Here, key: str, fits: object, expected: str) -> None:
    """Raise a one-line ValueError that names the setting of the figure, unless `fits` is true."""
    if not fits:
        value = shown(here.entry[key])
        raise ValueError(f"configuration: figures.{here.name}.{key}: expected {expected}, found {value}")
