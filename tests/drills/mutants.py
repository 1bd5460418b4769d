"""Whether tests notice an edit: python tests/drills/mutants.py RESULTS.jsonl [--count N] [--seed S] [--part I/N].

Each mutant is one random edit of the estimators, samplers, kernels, models, statistics or audit: another operator,
number or condition. The tests that are nearest to the module by imports run in a copy of the project until one fails.
RESULTS gets a line for every mutant; a later run continues after the last one.
"""

import argparse
import ast
import json
import os
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

import numpy as np

ROOT = Path(__file__).parents[2]
MUTATED = ("logzoo/estimators", "logzoo/samplers", "logzoo/kernels", "logzoo/models", "replication/audit")
# These files name modules in strings.
REGISTRIES = ("estimator_registry.py", "trainers.py")
OTHERS = {
    **{ast.Add: "-", ast.Sub: "+", ast.Mult: "/", ast.Div: "*", ast.FloorDiv: "*", ast.Mod: "+"},
    **{ast.Lt: "<=", ast.LtE: "<", ast.Gt: ">=", ast.GtE: ">", ast.Eq: "!=", ast.NotEq: "=="},
    **{ast.And: "or", ast.Or: "and", ast.BitAnd: "|", ast.BitOr: "&", ast.LShift: ">>", ast.RShift: "<<"},
}
SYMBOLS = {
    **{ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.Div: "/", ast.FloorDiv: "//", ast.Mod: "%"},
    **{ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">=", ast.Eq: "==", ast.NotEq: "!="},
    **{ast.And: "and", ast.Or: "or", ast.BitAnd: "&", ast.BitOr: "|", ast.LShift: "<<", ast.RShift: ">>"},
}


def mutants_of(path):
    """Every edit of a module: [(line, start, end, text)], of characters of that line."""
    source = path.read_text()
    lines, edits = source.splitlines(), []
    for node in _code(ast.parse(source)):
        if isinstance(node, ast.BinOp):
            edits += _operator(lines, node.left, node.op, node.right)
        elif isinstance(node, ast.Compare) and len(node.ops) == 1:
            edits += _operator(lines, node.left, node.ops[0], node.comparators[0])
        elif isinstance(node, ast.BoolOp):
            edits += _operator(lines, node.values[0], node.op, node.values[1])
        elif isinstance(node, ast.Constant) and type(node.value) in (int, float) and node.lineno == node.end_lineno:
            edits.append((node.lineno, node.col_offset, node.end_col_offset, repr(node.value + 1)))
        elif isinstance(node, ast.UnaryOp) and isinstance(node.op, (ast.Not, ast.USub)):
            edits.append((node.lineno, node.col_offset, node.operand.col_offset, ""))
        elif isinstance(node, ast.If) and node.test.lineno == node.test.end_lineno:
            start, end = node.test.col_offset, node.test.end_col_offset
            text = lines[node.lineno - 1].encode()[start:end].decode()
            edits.append((node.test.lineno, start, end, f"not ({text})"))
    return [edit for edit in edits if lines[edit[0] - 1].isascii()]


def _code(node):
    """Nodes of a tree without annotations."""
    yield node
    for name, value in ast.iter_fields(node):
        if name in ("annotation", "returns"):
            continue
        for child in value if isinstance(value, list) else [value]:
            if isinstance(child, ast.AST):
                yield from _code(child)


def _operator(lines, left, operator, right):
    """The edit of the operator between two expressions, where it stands on the line where the first ends."""
    kind, row = type(operator), left.end_lineno
    if kind not in OTHERS or right.lineno != row:
        return []
    start = lines[row - 1].find(SYMBOLS[kind], left.end_col_offset, right.col_offset)
    return [] if start < 0 else [(row, start, start + len(SYMBOLS[kind]), OTHERS[kind])]


def all_mutants(count, seed):
    """`count` mutants drawn at random: [(path below src, line, start, end, text)]."""
    names = [(path, path.relative_to(ROOT / "src").as_posix()) for path in sorted((ROOT / "src").rglob("*.py"))]
    chosen = [(path, name) for path, name in names if name.startswith(MUTATED) or name.endswith("statistics.py")]
    edits = [(name, *edit) for path, name in chosen for edit in mutants_of(path)]
    order = np.random.Generator(np.random.Philox(key=seed)).permutation(len(edits))
    return [edits[place] for place in order[:count]]


def imports(path, text):
    """Names of modules that a file imports; for a registry also all modules that it may import."""
    names = set()
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.ImportFrom) and node.module:
            names |= {node.module, *(f"{node.module}.{alias.name}" for alias in node.names)}
        elif isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
    if path.name in REGISTRIES:
        folders = [path.parent, ROOT / "src/logzoo/samplers"]
        names |= {_dotted(file) for folder in folders for file in folder.glob("*.py")}
    return names


def _dotted(path):
    base = ROOT / ("src" if "src" in path.relative_to(ROOT).parts else "tests")
    return ".".join(path.relative_to(base).with_suffix("").parts)


def nearest_tests(seconds, most):
    """{module: test files, the nearest by imports and then the fastest first, up to `most` CPU seconds in all}."""
    files = [*(ROOT / "src").rglob("*.py"), *(ROOT / "tests").glob("*.py")]
    graph = {_dotted(path): imports(path, path.read_text()) for path in files}
    graph = {name: targets & graph.keys() for name, targets in graph.items()}
    ranked = {}
    for path in (ROOT / "tests").glob("test_*.py"):
        distance, waiting = {_dotted(path): 0}, [_dotted(path)]
        for name in waiting:
            for target in graph[name] - distance.keys():
                distance[target] = distance[name] + 1
                waiting.append(target)
        for target, length in distance.items():
            ranked.setdefault(target, []).append((length, seconds.get(path.name, 5.0), path.name))
    chosen = {}
    for target, tests in ranked.items():
        total, chosen[target] = 0.0, []
        for _, cost, name in sorted(tests):
            if total + cost <= most or not chosen[target]:
                chosen[target].append(f"tests/{name}")
                total += cost
    return chosen


def killed(folder, mutant, tests, limit):
    """Whether a test fails or exceeds the limit on a mutant in a copy of the project, and which test."""
    name, line, start, end, text = mutant
    path = folder / "src" / name
    source = path.read_text()
    lines = source.splitlines(keepends=True)
    lines[line - 1] = lines[line - 1][:start] + text + lines[line - 1][end:]
    path.write_text("".join(lines))
    command = [sys.executable, "-m", "pytest", "-x", "-q", "-n", "0", "-p", "no:cacheprovider", *tests]
    environment = {"PYTHONPATH": str(folder / "src"), "NUMBA_CACHE_DIR": str(folder / "cache")}
    try:
        with tempfile.TemporaryDirectory() as scratch:
            environment |= {"TMPDIR": scratch, "OPENBLAS_NUM_THREADS": "1"}
            options = {"cwd": folder, "capture_output": True, "text": True, "timeout": limit}
            done = subprocess.run(command, env={**os.environ, **environment}, **options)
        failed = [row for row in done.stdout.splitlines() if row.startswith(("FAILED", "ERROR"))]
        return done.returncode != 0, failed[0][:150] if failed else ""
    except subprocess.TimeoutExpired:
        return True, "ran too long"
    finally:
        path.write_text(source)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("results", type=Path)
    parser.add_argument("--count", type=int, default=300)
    parser.add_argument("--seed", type=int, default=300)
    parser.add_argument("--part", default="0/1")
    parser.add_argument("--seconds", type=Path, help="JSON: CPU seconds of each test file")
    parser.add_argument("--most", type=float, default=60.0, help="CPU seconds of tests for a mutant")
    arguments = parser.parse_args()
    seconds = json.loads(arguments.seconds.read_text()) if arguments.seconds else {}
    part, parts = map(int, arguments.part.split("/"))
    mutants = all_mutants(arguments.count, arguments.seed)
    tests = nearest_tests(seconds, arguments.most)
    arguments.results.touch()
    done = {tuple(json.loads(row)["mutant"]) for row in arguments.results.read_text().splitlines()}
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch) / "project"
        subprocess.run(["git", "clone", "-q", "--shared", str(ROOT), str(folder)], check=True)
        for number, mutant in enumerate(mutants):
            if number % parts != part or mutant in done:
                continue
            begun = time.monotonic()
            module = mutant[0].removesuffix(".py").replace("/", ".")
            dead, by = killed(folder, mutant, tests.get(module, []), 5.0 * arguments.most)
            row = {"mutant": mutant, "killed": dead, "by": by, "seconds": round(time.monotonic() - begun, 1)}
            with arguments.results.open("a") as file:
                file.write(json.dumps(row) + "\n")
    rows = [json.loads(row) for row in arguments.results.read_text().splitlines()]
    print(Counter(row["killed"] for row in rows))


if __name__ == "__main__":
    main()
