"""Odd inputs, thousands of them: values of options, command lines (tests/odd_inputs.py).

python tests/drills/odd.py [--cases N] [--seed N] [--seconds N] [--only NUMBER]

Every case must end well or in one line, in a process of its own: no other exception, no crash, no hang, no memory
above 1 GB, no file of the user's changed. Prints how many cases of each kind
ended how. Exit code 1 if any was lost.
"""

import argparse
import collections
import os
import shutil
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[1]))

import odd_inputs
from fuzz import GOOD, reported, run_case

MOST = 800  # MiB, beyond what this process has


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--cases", type=int, default=10_000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--seconds", type=int, default=60, help="longest that a case may take")
    parser.add_argument("--only", type=int, metavar="NUMBER", help="the case of that number alone, in this process")
    arguments = parser.parse_args()
    counts, lost, start = collections.Counter(), [], time.monotonic()
    with tempfile.TemporaryDirectory() as scratch:
        for number in range(arguments.cases) if arguments.only is None else [arguments.only]:
            folder = Path(scratch, "case")
            folder.mkdir()
            os.chdir(folder)
            odd_inputs.model().save("model.nc")
            np.save("data.npy", odd_inputs.examples())
            make = odd_inputs.CASES[number % len(odd_inputs.CASES)]
            with np.errstate(over="ignore"):
                tried, call = make(folder, np.random.default_rng([arguments.seed, number]))
            if arguments.only is not None:
                print(tried, call(folder), sep="\n")
                return 0
            outcome, detail = run_case(call, folder, arguments.seconds, MOST, may_write=True)
            counts[make.__name__, outcome] += 1
            if outcome not in GOOD:
                lost.append(number)
                print(f"{number} ({tried}): {outcome}: {detail}", flush=True)
            os.chdir(scratch)
            shutil.rmtree(folder)
    return reported(sorted({name for name, _ in counts}), counts, arguments.cases, len(lost), start)


if __name__ == "__main__":
    sys.exit(main())
