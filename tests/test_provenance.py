"""Source digests follow the import graph: they change with what a module uses, and with nothing else."""

import os

import pytest
from imports import direct_imports

from logzoo.io.provenance import source_digest

FILES = {
    "__init__.py": "from package.api import estimate\n",
    "api.py": "def estimate():\n    from package.estimators.rts import run\n    return run()\n",
    "kernels/__init__.py": "",
    "kernels/gibbs.py": "import numpy as np\nimport package.kernels.random as random\n",
    "kernels/random.py": "import math\n",
    "estimators/__init__.py": "",
    "estimators/rts.py": "from package.kernels import gibbs, random\nfrom package.shared import options\n",
    "estimators/ais.py": "def run():\n    import package.kernels.random\n",
    "shared/__init__.py": "options = {}\n",
    "shared/late.py": "def f():\n    from package.kernels.random import draw\n",
    "figures.py": "from package.estimators import ais\n",
}


@pytest.fixture
def root(tmp_path):
    folder = tmp_path / "package"
    for name, text in FILES.items():
        file = folder / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
    return folder


def test_every_form_of_import_is_seen(root):
    expected = {
        "estimators.rts": {"kernels.gibbs", "kernels.random", "shared"},
        "kernels.gibbs": {"kernels.random"},
        "api": {"estimators.rts"},
        "estimators.ais": {"kernels.random"},
        "shared.late": {"kernels.random"},
        "figures": {"estimators.ais"},
    }
    for module, imported in expected.items():
        assert direct_imports(f"package.{module}", packages=(root,)) == {f"package.{name}" for name in imported}
    (root / "figures.py").write_text("from package import version\n")
    assert direct_imports("package.figures", packages=(root,)) == {"package"}, "asked for by name"


def test_digest_changes_with_what_is_imported_and_with_nothing_else(root):
    def digests():
        """Of a module, and of another one that imports it."""
        return [source_digest(f"package.{name}", packages=(root,)) for name in ("estimators.ais", "figures")]

    before = digests()
    (root / "estimators" / "rts.py").write_text("unrelated = True\n")
    (root / "__init__.py").write_text("unrelated = True\n")
    os.utime(root / "kernels" / "random.py", (1, 1))
    assert digests() == before
    (root / "kernels" / "random.py").write_text("import cmath\n")
    assert not {*digests()} & {*before}


_CODE = '''"""A module."""
import math
# A comment.
LIMIT = 3.0


def area(radius):
    """Area of a circle."""
    return math.pi * radius**2  # by a formula
'''


@pytest.mark.parametrize(
    ("old", "new", "counts"),
    [
        ("# A comment.", "# Another comment, of two words more.\n", False),
        ('"""A module."""', '"""A module of one function."""', False),
        ("radius", "r", True),
        ("3.0", "3", True),
        ("math.pi * radius**2", "math.pi * (radius * radius)", True),
        ("area(radius):", "area(radius: float, /) -> float:", True),
        ("area(radius):", "area(radius: float) -> float:", False),
        ("import math\n", "import math\nfrom typing import TYPE_CHECKING, Any\n", False),
        ("import math\n", "import math\nif TYPE_CHECKING:\n    import cmath\nelse:\n    import math\n", True),
    ],
)
def test_digest_covers_behaviour_alone(root, old, new, counts):
    assert old in _CODE
    (root / "kernels/random.py").write_text(_CODE)
    before = source_digest("package.kernels.gibbs", packages=(root,))
    (root / "kernels/random.py").write_text(_CODE.replace(old, new))
    assert (source_digest("package.kernels.gibbs", packages=(root,)) != before) == counts


@pytest.mark.parametrize(
    ("module", "source", "reason"),
    [
        ("numpy", None, "no module named 'numpy'"),
        ("package.bad", "import package.gone", "package.bad imports package.gone, which does not exist"),
        ("package.bad", "\nfrom .api import x", "package.bad has a relative import on line 2"),
    ],
)
def test_what_cannot_be_followed_is_refused_in_one_line(root, module, source, reason):
    if source:
        (root / "bad.py").write_text(source)
    with pytest.raises(ValueError, match=reason) as caught:
        source_digest(module, packages=(root,))
    assert "\n" not in str(caught.value)


def test_scripts_count_with_all_that_they_import(root, tmp_path):
    script, template = tmp_path / "draw.py", tmp_path / "page.html"
    script.write_text("from package.estimators import ais\n")
    template.write_text("<p>{{ text }}</p>")

    def digest():
        return source_digest("package.shared.late", scripts=[script, template], packages=(root,))

    digests = {digest()}
    for path, text in ((script, "\nx = 1\n"), (template, "<b>"), (root / "kernels" / "random.py", "import cmath\n")):
        path.write_text(path.read_text() + text)
        digests.add(digest())
    assert len(digests) == 4
