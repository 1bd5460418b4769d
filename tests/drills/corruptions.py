"""Damage a copy of a finished tree again and again, and see what the audit misses; run by hand, minutes.

    python tests/drills/corruptions.py FOLDER [--count 500] [--seed 0] [--batch 20] [--without-manifest]

FOLDER is the folder of a project in which the workflow has finished; it is copied, never touched. Each batch damages
some files in ways drawn at random (tests/damage.py), each of which a fault must name. Ends in 1 if any was missed.
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

from logzoo.audit.layout import files_of, kind_of  # noqa: E402
from logzoo.audit.tasks import read_tasks  # noqa: E402
from logzoo.audit.tree import audit  # noqa: E402


def drill(source, folder, arguments):
    """Yield (kind of file, way, file, what was done, whether it was missed) of every corruption."""
    files = [path for path in files_of(folder) if kind_of(path) != "description"]
    tasks = None if arguments.expected is None else read_tasks(arguments.expected)
    draws = np.random.Generator(np.random.Philox(key=arguments.seed))
    made = 0
    while made < arguments.count:
        # A manifest of a run vouches for many damaged files; it is damaged alone.
        kept = [path for path in files if kind_of(path) != "manifest"]
        size = min(arguments.batch, arguments.count - made, len(kept))
        chosen = [kept[place] for place in draws.permutation(len(kept))[:size]]
        if len(kept) < len(files) and draws.random() < 0.2:
            chosen = [draws.choice([path for path in files if path not in kept])]
        others = [folder / path for path in kept if path not in chosen]
        log = {path: corrupt(folder / path, draws, others) for path in chosen}
        wrong = set(missed(audit(folder, tasks).faults, chosen))
        for path, (way, done) in log.items():
            yield kind_of(path), way, path, done, path in wrong
        made += len(chosen)
        print(f"{made} tried", flush=True)
        for path in files:  # a swap changes a second file
            if not (folder / path).is_file() or (folder / path).stat().st_mtime != (source / path).stat().st_mtime:
                (folder / path).unlink(missing_ok=True)
                shutil.copy2(source / path, folder / path)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--count", type=int, default=500)
    parser.add_argument("--batch", type=int, default=20)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--expected", help="logs/<scale>/expected.json of snakemake audit")
    parser.add_argument("--without-manifest", action="store_true", help="see what no other check notices")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch, "tree")
        for top in ("data", "figures"):
            shutil.copytree(arguments.folder / top, folder / top)
        if arguments.without_manifest:
            for path in folder.glob("data/*/manifest.json"):
                path.unlink()
        started = time.perf_counter()
        untouched = audit(folder).faults
        seconds = time.perf_counter() - started
        print(f"untouched: {len(untouched)} faults in {len(files_of(folder))} files, {seconds:.1f} s", flush=True)
        tried, escaped = Counter(), []
        for kind, way, path, done, wrong in drill(arguments.folder, folder, arguments):
            tried[kind, way] += 1
            if wrong:
                escaped.append(f"MISSED {path}: {done}")
                print(escaped[-1], flush=True)
    for (kind, way), count in sorted(tried.items()):
        print(f"{kind:14} {way:18} {count}")
    print(f"{tried.total()} corruptions tried, {len(escaped)} missed")
    return 1 if escaped or untouched else 0


if __name__ == "__main__":
    sys.exit(main())
