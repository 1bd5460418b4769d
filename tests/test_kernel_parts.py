"""Parts of kernels have no door to Python: kernels call them, and nobody else does."""

import ast
import pkgutil
from importlib import import_module

import numpy as np
from numba import njit

import logzoo.kernels
from logzoo.io.provenance import PACKAGE_FOLDER
from logzoo.kernels.compiled import Part, part


def parts():
    """{module: names of its parts} of all kernels."""
    modules = [import_module(f"logzoo.kernels.{one.name}") for one in pkgutil.iter_modules(logzoo.kernels.__path__)]
    return {
        module.__name__: {
            name
            for name, value in vars(module).items()
            if isinstance(value, Part) and value.__module__ == module.__name__
        }
        for module in modules
    }


def used(source, known):
    """The parts that a module of these sources imports, or takes from a module of kernels."""
    tree, found, modules = ast.parse(source), set(), {}
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom):
            found |= {alias.name for alias in node.names} & known.get(node.module, set())
            if node.module == "logzoo.kernels":
                modules |= {alias.asname or alias.name: f"logzoo.kernels.{alias.name}" for alias in node.names}
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id in modules:
            found |= {node.attr} & known.get(modules[node.value.id], set())
    return found


def test_only_kernels_call_parts():
    known = parts()
    assert sum(map(len, known.values())) > 50
    users = [path for path in PACKAGE_FOLDER.rglob("*.py") if path.parent.name != "kernels"]
    assert {path.name: found for path in users if (found := used(path.read_text(), known))} == {}


def test_a_caller_would_be_seen():
    known = {"logzoo.kernels.bernoulli": {"draw_layer"}}
    assert used("from logzoo.kernels.bernoulli import draw_layer as one", known) == {"draw_layer"}
    assert used("from logzoo.kernels import bernoulli as d\nd.draw_layer(1)", known) == {"draw_layer"}
    assert (
        used("from logzoo.kernels.bernoulli import other\nfrom elsewhere import draws\ndraws.draw_layer()", known)
        == set()
    )


@part
def doubled(values):
    return 2.0 * values


@part(error_model="numpy")
def over(one, other):
    return one / other


@njit
def both(values):
    return over(doubled(values)[0], 0.0)


def test_a_part_is_called_by_kernels_and_by_python():
    assert both(np.ones(2)) == np.inf
    np.testing.assert_array_equal(doubled(np.ones(2)), [2.0, 2.0])
    assert over(1.0, 0.0) == np.inf and isinstance(over, Part)
