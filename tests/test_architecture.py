"""Imports point one way: the table below lists the allowed imports, and a few actions that no module may take."""

import ast
from collections import Counter
from graphlib import CycleError, TopologicalSorter

import pytest
from imports import direct_imports

from replication.artifacts import PACKAGES

HELPERS = {"budgets", "checks", "functions", "io", "printing", "streams", "types"}
SAMPLING = {"kernels", "models", "paths", "samplers"} | HELPERS
BELOW_API = SAMPLING | {"datasets", "estimators", "training"}

# Each part of a package, and the parts that it may import; under `if TYPE_CHECKING` any.
ALLOWED = {
    "logzoo": {
        "checks": set(),
        "functions": {"checks", "printing"},
        "printing": {"checks"},
        "streams": {"checks"},
        "types": set(),
        "budgets": {"checks"},
        "kernels": {"kernels"},
        "io": {"io"},
        "models": {"checks", "io", "kernels", "models", "printing", "streams", "types"},
        "paths": {"checks", "kernels", "models"},
        "samplers": SAMPLING,
        # Estimators import no kernels, because samplers make the sweeps and charge them to the ledger.
        "estimators": SAMPLING - {"kernels"} | {"estimators"},
        # Training imports no estimators, so that a changed estimator makes no model stale.
        "training": SAMPLING | {"training"},
        "datasets": {"checks", "datasets", "io", "models", "streams"},
        "api": BELOW_API - {"training"},
        "reference": {"checks", "functions", "io", "models", "printing"},
        "scoring": {"api", "checks", "models"},
        "deep": {"api", "checks", "models", "scoring"},
        "tracking": {"budgets", "checks", "estimators", "kernels", "models", "paths", "scoring", "streams", "training"},
        # From the top module, `cli` imports only the version.
        "cli": BELOW_API | {"__init__", "api", "cli", "reference", "scoring", "training"},
        "__main__": {"cli"},
        # The public names are imported when they are first used.
        "__init__": set(),
    },
    # Any of them may import the library.
    "replication": {
        "__init__": {"forks"},
        "artifacts": {"types"},
        "claim": set(),
        "layout": {"types"},
        "reporting": {"artifacts", "claim", "reporting", "types"},
        # Declarations of figures and tables, and their inputs beyond the estimates of the matrix.
        "papers": {"artifacts", "claim", "matrix", "papers", "reporting", "types"},
        "audit": {"artifacts", "audit", "forks", "layout", "reporting", "types"},
        "compiling": {"types"},
        "evidence_artifact": set(),
        "forks": {"compiling", "reporting"},
        "types": set(),
        "matrix": set(),
        "models": {"catalogue", "papers"},
        "jobs": {"artifacts", "papers", "types"},
        "settings": {"papers", "settings"},
        "configuration": {"models", "papers", "settings"},
        "catalogue": {"claim", "papers"},
        "costs": {"catalogue", "models", "papers"},
        "project": {"catalogue", "configuration", "papers"},
        "progress": set(),
        "tasks": {"artifacts", "audit", "catalogue", "jobs", "layout", "progress", "protocol", "reporting"},
        "protocol": {"catalogue", "claim"},
        "cli": {"audit", "costs", "project", "protocol"},
        "__main__": {"cli"},
    },
}
# Modules that the library never imports.
NOT_OF_THE_LIBRARY = {"replication", "jinja2", "matplotlib", "pandas"}
KERNEL_LIBRARIES = {"__future__", "collections", "llvmlite", "math", "numba", "numpy", "typing"}
MODERN_RANDOM = {"BitGenerator", "Generator", "Philox", "SeedSequence", "default_rng"}


def violations(root):
    """List every breach of the rules in the package at `root`, one line each."""
    packages, table = tuple({PACKAGES[0].name: PACKAGES[0], root.name: root}.values()), ALLOWED[root.name]
    names = {file: module_name(file, root) for file in sorted(root.rglob("*.py"))}
    graph, found = {}, []
    for file, name in names.items():
        tree = ast.parse(file.read_bytes())
        found += [f"{name}: {breach}" for breach in breaches_of_file(file, tree, root)]
        graph[name] = direct_imports(name, packages=packages) if name != root.name else set()
        allowed = table.get(part_of(file, root))
        if allowed is None:
            found.append(f"{name}: has no row in the table of allowed imports")
            continue
        # Only imports outside functions count in the top __init__.py; other names are imported at their first use.
        at_once = [statement for statement in tree.body if not isinstance(statement, ast.FunctionDef)]
        imported = graph[name] if name != root.name else {one for statement in at_once for one in imports(statement)}
        imported = {module for module in imported if module.partition(".")[0] == root.name}
        reached = {module.split(".")[1] if "." in module else "__init__" for module in imported}
        found += [f"{name}: may not import {part}" for part in sorted(reached - allowed)]
    counts = Counter(file.name for file in names if not file.name.startswith("__"))
    found += [f"{name}: the name of {count} modules" for name, count in counts.items() if count > 1]
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        found.append(f"import cycle: {' -> '.join(error.args[1])}")
    return found


def breaches_of_file(file, tree, root):
    """Yield the breaches of one file: actions that no file, or no kernel, may take."""
    part = part_of(file, root)
    if file.name == "__init__.py" and part != "__init__" and tree.body:
        yield "__init__.py is not empty"
    if not (file.parent / "__init__.py").is_file():
        yield "its folder has no __init__.py, so it would not be installed"
    for module in imports(tree):
        library = module.split(".")[0]
        if library in ("random", "snakemake") or root.name == "logzoo" and library in NOT_OF_THE_LIBRARY:
            yield f"imports {library}"
        if module.startswith("numpy.random"):
            yield "imports from numpy.random: write np.random.Generator"
        # The module `cache` finds a folder for machine code; it has no kernel.
        if part == "kernels" and file.name != "cache.py" and library not in KERNEL_LIBRARIES | {root.name}:
            yield f"a kernel imports {library}"
    for attribute in (node for node in ast.walk(tree) if isinstance(node, ast.Attribute)):
        owner = ast.unparse(attribute.value)
        if owner in ("np.random", "numpy.random") and attribute.attr not in MODERN_RANDOM:
            yield f"uses the global random state: {owner}.{attribute.attr}"


def part_of(file, root):
    return file.relative_to(root).with_suffix("").parts[0]


def module_name(file, root):
    parts = [root.name, *file.relative_to(root).with_suffix("").parts]
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def imports(tree):
    """Yield the full name of everything imported anywhere below a syntax node."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


@pytest.mark.parametrize("root", PACKAGES, ids=lambda root: root.name)
def test_these_packages_keep_the_rules(root):
    assert violations(root) == []
