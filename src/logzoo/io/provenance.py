"""The origin of an artifact: digests of the source code that it depends on, and versions of the software.

Only the standard library is imported, because every plan of the workflow computes digests and should start fast.
"""

from __future__ import annotations

import ast
import hashlib
import sys
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any

PACKAGE_FOLDER = Path(__file__).parents[1]
_DOCUMENTED = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
# Fields of the syntax tree that hold the annotations of a function.
_ANNOTATIONS = {(ast.arg, "annotation"), (ast.FunctionDef, "returns"), (ast.AsyncFunctionDef, "returns")}
# Imports from these modules are left out of digests, because a digest covers each use of the imported names.
_TYPING_MODULES = {"__future__", "collections.abc", "typing"}
SOFTWARE = ("netCDF4", "numba", "numpy", "xarray")


def source_digest(
    *modules: str, scripts: Iterable[str | Path] = (), packages: tuple[Path, ...] = (PACKAGE_FOLDER,)
) -> str:
    """Hash the code of modules and of all modules of `packages` that they import, directly or not.

    packages: folders of the packages. scripts: further files outside the packages; Python scripts count with their
    imports. The digest (64 hexadecimal digits) covers names and syntax trees of modules and Python scripts. It leaves
    out comments, docstrings, positions, annotations of functions, blocks under `if TYPE_CHECKING`, and imports from
    `typing`, `collections.abc` and `__future__`. For other files it covers the name and the bytes. Raises ValueError
    for a module that does not exist and for a relative import.
    """
    outside = {Path(script).name: str(script) for script in scripts}
    files = {**_files_of_modules(packages), **outside}
    reached, waiting = {}, {*modules, *outside}
    while waiting:
        module = waiting.pop()
        reached[module] = _content(module, files)
        if files[module].endswith(".py"):
            waiting |= _imports_of(module, reached[module], files) - reached.keys()
    digest = hashlib.sha256()
    for name, text in sorted(reached.items()):
        content = _analysed(text)[1] if files[name].endswith(".py") else text
        # The length distinguishes two files from one longer file.
        digest.update(f"{name} {len(content)}\n".encode())
        digest.update(content)
    return digest.hexdigest()


def software_versions() -> dict[str, str]:
    """Return {name: version} for Python, logzoo and the libraries that may change an artifact."""
    # platform and metadata take longer to import than the rest of the module.
    import platform
    from importlib.metadata import version

    # logzoo itself may run from a checkout without being installed.
    versions = {"python": platform.python_version(), "logzoo": sys.modules["logzoo"].__version__}
    return versions | {name: version(name) for name in SOFTWARE}


@cache
def _files_of_modules(packages: tuple[Path, ...]) -> dict[str, str]:
    """Map modules of packages to files, and packages to __init__.py. Files added later are not in the cache."""
    relatives = {path: path.relative_to(root.parent) for root in packages for path in root.rglob("*.py")}
    names = {path: ".".join(relative.with_suffix("").parts) for path, relative in relatives.items()}
    return {name.removesuffix(".__init__"): str(path) for path, name in names.items()}


def _content(module: str, files: Mapping[str, str]) -> bytes:
    if module not in files:
        raise ValueError(f"no module named {module!r}")
    with open(files[module], "rb") as opened:
        return opened.read()


def _imports_of(module: str, source: bytes, files: Mapping[str, str]) -> set[str]:
    imported = set()
    for level, line, base, name in _analysed(source)[0]:
        if level:
            raise ValueError(f"{module} has a relative import on line {line}: write the full name")
        if base.partition(".")[0] in files:
            target = f"{base}.{name}" if name and f"{base}.{name}" in files else base
            if target not in files:
                raise ValueError(f"{module} imports {target}, which does not exist")
            imported.add(target)
    return imported - {module}


@cache
def _analysed(source: bytes) -> tuple[list[tuple[int, int, str, str]], bytes]:
    """Import statements [(level, line, module, name or "")] of Python code, and the code's syntax tree as bytes."""
    tree, statements, parts = ast.parse(source), [], []
    for node in _statements(tree.body):
        if isinstance(node, ast.Import):
            statements.extend((0, node.lineno, alias.name, "") for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            statements.extend((node.level, node.lineno, node.module or "", alias.name) for alias in node.names)
    _write_syntax(tree, parts)
    return statements, " ".join(parts).encode()


def _write_syntax(node: ast.AST, parts: list[str]) -> None:
    """Append a syntax tree to `parts`. Empty fields are left out, because versions of Python differ in them."""
    parts.append(f"({type(node).__name__}")
    for name in node._fields:
        value: Any = getattr(node, name, None)
        if name == "body" and isinstance(node, _DOCUMENTED):
            documented = ast.get_docstring(node, clean=False) is not None
            value = [item for item in value[documented:] if not _is_for_type_checkers(item)]
        if value is None or value == [] or (type(node), name) in _ANNOTATIONS:
            continue
        parts.append(name)
        for item in value if type(value) is list else (value,):
            if isinstance(item, ast.AST):
                _write_syntax(item, parts)
            else:
                parts.append(repr(item))
    parts.append(")")


def _is_for_type_checkers(statement: ast.AST) -> bool:
    """Whether a statement is an import for annotations, or a block under `if TYPE_CHECKING`."""
    if isinstance(statement, ast.ImportFrom):
        return statement.level == 0 and statement.module in _TYPING_MODULES
    test = statement.test if isinstance(statement, ast.If) and not statement.orelse else None
    return isinstance(test, ast.Name) and test.id == "TYPE_CHECKING"


def _statements(body: Iterable[ast.stmt]) -> Iterator[ast.stmt]:
    """Yield statements and their inner statements, except imports and blocks for type checkers."""
    for statement in body:
        if _is_for_type_checkers(statement):
            continue
        yield statement
        for part in ("body", "orelse", "finalbody", "handlers", "cases"):
            yield from _statements(getattr(statement, part, ()))
