"""Where an artifact comes from: digests of the source code it depends on, and versions of the software.

Only the standard library is imported, and nothing heavy: the package needs a digest when it starts.
"""

import ast
import hashlib
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path

PACKAGE_FOLDER = Path(__file__).parents[1]
SOFTWARE = ("logzoo", "netCDF4", "numba", "numpy", "xarray")


def source_digest(*modules: str, root: Path = PACKAGE_FOLDER) -> str:
    """Hash the sources of modules and of all that they import inside the package.

    The digest (64 hexadecimal digits) depends on module names and file contents, not on where or when the
    files were written. A package counts through its __init__.py, unless that is empty.

    Raises ValueError for a module that does not exist.
    """
    reached = set().union(*(imported_modules(module, root=root) for module in modules))
    return _digest_of_files((name, _source_file(name, root)) for name in sorted(reached))


def kernels_digest(*, root: Path = PACKAGE_FOLDER) -> str:
    """Hash the sources of the kernels (64 hexadecimal digits): compiled code is valid for one value of it."""
    return _digest_of_files((path.name, path) for path in sorted((root / "kernels").glob("*.py")))


def imported_modules(module: str, *, root: Path = PACKAGE_FOLDER) -> set[str]:
    """Name a module and every module of the package that it imports, directly or not, without importing any.

    Raises ValueError for a module that does not exist and for a relative import.
    """
    if _source_file(module, root) is None:
        raise ValueError(f"no module named {module!r} in {root.name}")
    reached, waiting = set(), [module]
    while waiting:
        name = waiting.pop()
        if name not in reached:
            reached.add(name)
            waiting.extend(direct_imports(name, root=root))
    return reached


def direct_imports(module: str, *, root: Path = PACKAGE_FOLDER) -> set[str]:
    """Name the modules of the package that one module imports itself, function-level imports included.

    Importing a.b.c runs a/b/__init__.py too, so a non-empty one counts. The package's own __init__.py counts
    only where it is asked for by name: every import runs it, and it says nothing about a result.

    Raises ValueError for a module that does not exist and for a relative import.
    """
    found = set()
    for base, name in _import_statements(_source_file(module, root).read_bytes(), module, root.name):
        submodule = f"{base}.{name}"
        target = submodule if name and _source_file(submodule, root) else base
        if _source_file(target, root) is None:
            raise ValueError(f"{module} imports {target}, which does not exist in {root.name}")
        found.update({target} if target == root.name else _with_parents(target, root))
    return found - {module}


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


def _with_parents(module: str, root: Path) -> Iterator[str]:
    """Yield a module and its parents below the root that hold any code; an empty __init__.py holds none."""
    yield module
    parts = module.split(".")
    for length in range(2, len(parts)):
        parent = ".".join(parts[:length])
        file = _source_file(parent, root)
        if file and file.read_bytes().strip():
            yield parent


def _source_file(module: str, root: Path) -> Path | None:
    """Find the file of a module (of a package, its __init__.py); None for what the package does not hold."""
    top, *parts = module.split(".")
    if top != root.name:
        return None
    location = root.joinpath(*parts)
    candidates = (location.parent / f"{location.name}.py", location / "__init__.py")
    return next((path for path in candidates if path.is_file()), None)


@cache
def _import_statements(source: bytes, module: str, package: str) -> tuple[tuple[str, str], ...]:
    """List (module, name or "") of each import from the package; cached, for a workflow asks many times."""
    found = []
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            found.extend((alias.name, "") for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            if node.level:
                raise ValueError(f"{module} has a relative import on line {node.lineno}: write the full name")
            found.extend((node.module, alias.name) for alias in node.names)
    return tuple((base, name) for base, name in found if base.split(".")[0] == package)


def _digest_of_files(named_files: Iterable[tuple[str, Path]]) -> str:
    digest = hashlib.sha256()
    for name, path in named_files:
        content = path.read_bytes()
        # The length keeps two files from passing for one longer file.
        digest.update(f"{name} {len(content)}\n".encode())
        digest.update(content)
    return digest.hexdigest()
