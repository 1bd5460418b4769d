"""Where an artifact comes from: digests of the source code it depends on, and versions of the software.

Only the standard library is imported, and nothing heavy: the package needs a digest when it starts.
"""

import ast
import hashlib
import os
import re
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path

PACKAGE_FOLDER = Path(__file__).parents[1]
_FUNCTION = re.compile(r"\w+(\.\w+)+:\w+")
SOFTWARE = ("logzoo", "netCDF4", "numba", "numpy", "xarray")


def source_digest(*modules: str, scripts: Iterable[str | Path] = (), root: Path = PACKAGE_FOLDER) -> str:
    """Hash the sources of modules and of all that they import inside the package.

    scripts: files outside the package that count, too (by their names), and if they are Python, what they import.
    The digest (64 hexadecimal digits) depends on names and file contents, not on where or when the files were written.
    A package counts through its __init__.py, unless that is empty.

    Raises ValueError for a module that does not exist.
    """
    files = {**_files_of_modules(root), **{Path(script).name: script for script in scripts}}
    begun = [*modules, *(Path(script).name for script in scripts)]
    reached = set().union(*(_reached_from(name, files, root.name) for name in begun))
    return _digest_of_files((name, files[name]) for name in sorted(reached))


def kernels_digest(*, root: Path = PACKAGE_FOLDER) -> str:
    """Hash the sources of the kernels (64 hexadecimal digits): compiled code is valid for one value of it."""
    return _digest_of_files((path.name, path) for path in sorted((root / "kernels").glob("*.py")))


def imported_modules(module: str, *, root: Path = PACKAGE_FOLDER) -> set[str]:
    """Name a module and every module of the package that it imports, directly or not, without importing any.

    Raises ValueError for a module that does not exist and for a relative import.
    """
    return _reached_from(module, _files_of_modules(root), root.name)


def direct_imports(module: str, *, root: Path = PACKAGE_FOLDER) -> set[str]:
    """Name the modules of the package that one module imports itself, function-level imports included.

    Importing a.b.c runs a/b/__init__.py too, so a non-empty one counts. The package's own __init__.py counts
    only where it is asked for by name: every import runs it, and it says nothing about a result.

    Raises ValueError for a module that does not exist and for a relative import.
    """
    return _imported_by(module, _files_of_modules(root), root.name)


def software_versions() -> dict[str, str]:
    """Name the versions of Python, of this package and of the libraries that shape an artifact."""
    # Not at the top: this takes longer to import than all the rest of the module.
    import platform
    from importlib.metadata import PackageNotFoundError, version

    versions = {"python": platform.python_version()}
    for name in SOFTWARE:
        try:
            versions[name] = version(name)
        except PackageNotFoundError:
            versions[name] = "not installed"
    return versions


def _files_of_modules(root: Path) -> dict[str, str]:
    """Map every module of a package to its file; a package in it to its __init__.py."""
    files = {}
    # Strings, not paths: a workflow asks for some hundred digests whenever it starts.
    for folder, _, names in os.walk(root):
        parts = Path(folder).relative_to(root.parent).parts
        for name in names:
            stem, extension = os.path.splitext(name)
            if extension == ".py":
                module = ".".join(parts if stem == "__init__" else (*parts, stem))
                files[module] = os.path.join(folder, name)
    return files


def _reached_from(module: str, files: dict[str, str], package: str) -> set[str]:
    if module not in files:
        raise ValueError(f"no module named {module!r} in {package}")
    reached, waiting = set(), [module]
    while waiting:
        name = waiting.pop()
        if name not in reached:
            reached.add(name)
            waiting.extend(_imported_by(name, files, package))
    return reached


def _imported_by(module: str, files: dict[str, str], package: str) -> set[str]:
    found = set()
    if not str(files[module]).endswith(".py"):
        return found
    for base, name in _import_statements(_content(files[module]), module, package):
        submodule = f"{base}.{name}"
        target = submodule if name and submodule in files else base
        if target not in files:
            raise ValueError(f"{module} imports {target}, which does not exist in {package}")
        found.update({target} if target == package else _with_parents(target, files))
    return found - {module}


def _with_parents(module: str, files: dict[str, str]) -> Iterator[str]:
    """Yield a module and its parents below the root that hold any code; an empty __init__.py holds none."""
    yield module
    parts = module.split(".")
    for length in range(2, len(parts)):
        parent = ".".join(parts[:length])
        if parent in files and _content(files[parent]).strip():
            yield parent


def _content(file: str | Path) -> bytes:
    with open(file, "rb") as opened:
        return opened.read()


@cache
def _import_statements(source: bytes, module: str, package: str) -> tuple[tuple[str, str], ...]:
    """List (module, name or "") of each import from the package; cached, for a workflow asks many times.

    A string "module:function" names what is imported later (`logzoo.methods`).
    """
    found = []
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            found.extend((alias.name, "") for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            if node.level:
                raise ValueError(f"{module} has a relative import on line {node.lineno}: write the full name")
            found.extend((node.module, alias.name) for alias in node.names)
        elif isinstance(node, ast.Constant) and isinstance(node.value, str) and _FUNCTION.fullmatch(node.value):
            found.append((node.value.partition(":")[0], ""))
    return tuple((base, name) for base, name in found if base.split(".")[0] == package)


def _digest_of_files(named_files: Iterable[tuple[str, str | Path]]) -> str:
    digest = hashlib.sha256()
    for name, path in named_files:
        content = _content(path)
        # The length keeps two files from passing for one longer file.
        digest.update(f"{name} {len(content)}\n".encode())
        digest.update(content)
    return digest.hexdigest()
