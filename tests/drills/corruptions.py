"""Damage a copy of a finished tree again and again, and count what the audit misses; run by hand, minutes.

    python tests/drills/corruptions.py FOLDER [--count 500] [--seed 0] [--batch 20]

FOLDER has a finished run or published results, and is copied. Each batch damages files at random (tests/damage.py). A
fault must name each of them. Manifests are left alone (docs/audit.md). The exit code is 1 if any damage was missed, or
if the copy had faults before.
"""

import argparse
import shutil
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[1]))

from damage import corrupt, missed  # noqa: E402

from replication.audit.tree import audit  # noqa: E402
from replication.layout import files_of, kind_of  # noqa: E402


def drill(source, folder, arguments):
    """Yield (kind of file, way, file, what was done, whether it was missed) of every corruption."""
    files = [path for path in files_of(folder) if kind_of(path) not in ("description", "manifest")]
    draws = np.random.Generator(np.random.Philox(key=arguments.seed))
    done = 0
    while done < arguments.count:
        size = min(arguments.batch, arguments.count - done)
        chosen = [files[number] for number in draws.permutation(len(files))[:size]]
        others = [folder / path for path in files if path not in chosen]
        log = {path: corrupt(folder / path, draws, others) for path in chosen}
        wrong = set(missed(audit(folder).faults, chosen))
        for path, (way, text) in log.items():
            yield kind_of(path), way, path, text, path in wrong
        done += len(chosen)
        print(f"{done} tried", flush=True)
        for path in files:  # a swap changes a second file
            if not (folder / path).is_file() or (folder / path).stat().st_mtime != (source / path).stat().st_mtime:
                (folder / path).unlink(missing_ok=True)
                shutil.copy2(source / path, folder / path)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("folder", type=Path)
    for name, default in (("--count", 500), ("--batch", 20), ("--seed", 0)):
        parser.add_argument(name, type=int, default=default)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch, "tree")
        for top in ("data", "figures"):
            shutil.copytree(arguments.folder / top, folder / top)
        started = time.perf_counter()
        untouched = audit(folder).faults
        print(f"untouched: {len(untouched)} faults, {time.perf_counter() - started:.1f} s", flush=True)
        tried, escaped = Counter(), 0
        for kind, way, path, text, wrong in drill(arguments.folder, folder, arguments):
            tried[kind, way] += 1
            if wrong:
                escaped += 1
                print(f"MISSED {path}: {text}", flush=True)
    for (kind, way), count in sorted(tried.items()):
        print(f"{kind:14} {way:18} {count}")
    print(f"{tried.total()} corruptions tried, {escaped} missed")
    return 1 if escaped or untouched else 0


if __name__ == "__main__":
    sys.exit(main())
