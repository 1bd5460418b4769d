"""What files hold, each by its kind."""

from functools import partial

from logzoo.artifacts.schema import SCHEMAS
from logzoo.artifacts.stamps import read_stamp
from logzoo.audit.checks import check_file
from logzoo.audit.layout import STAMPED
from logzoo.audit.texts import check_text


def check_contents(findings, folder, kinds):
    """Enter the checks of each file by itself; returns the hash of each artifact and what files record of their making.

    kinds: {path: kind}. Both that are returned go by path; the hash of an artifact that cannot be read is None.
    """
    hashes, records = {}, {}
    for path, kind in kinds.items():
        with findings.going_on(path):
            if kind in SCHEMAS:
                hashes[path] = None
                hashes[path], records[path] = check_file(findings, folder, path, kind)
            elif kind in STAMPED:
                stamp = partial(read_stamp, path, (folder / path).read_bytes())
                records[path] = findings.read(path, "stamp", stamp, "a stamp of what it was made from")
            elif kind == "table text":
                check_text(findings, folder, path)
    return hashes, {path: record for path, record in records.items() if record is not None}
