"""The validator of RO-Crates, where it is installed (pip install roc-validator), finds nothing against a crate of ours.

It would fetch the vocabulary of RO-Crate 1.1; here it gets the terms that a crate uses, and no network.
"""

import io
import json

import pytest
from crates import CONTEXT, TERMS, finished_project, read_crate

from logzoo.audit.crate import write_crate

pytestmark = pytest.mark.nightly
pytest.importorskip("rocrate_validator", reason="roc-validator is not installed", exc_type=ImportError)


@pytest.fixture(scope="module")
def described(tmp_path_factory):
    folder = finished_project(tmp_path_factory.mktemp("nightly") / "project")
    write_crate(folder, "tiny", agent="Jane Doe")
    return folder


@pytest.fixture(scope="module")
def cache(tmp_path_factory):
    """A cache of the validator that holds the vocabulary."""
    import requests
    from requests.adapters import BaseAdapter
    from requests_cache import CachedSession
    from urllib3 import HTTPResponse

    class Held(BaseAdapter):
        def send(self, request, **_):
            answer = requests.Response()
            answer.status_code, answer.url, answer.request = 200, request.url, request
            answer.headers["Content-Type"] = "application/ld+json"
            answer.raw = HTTPResponse(io.BytesIO(TERMS.read_bytes()), preload_content=False)
            return answer

        def close(self):
            pass

    path = tmp_path_factory.mktemp("nightly") / "cache"
    with CachedSession(cache_name=str(path), backend="sqlite", expire_after=-1) as session:
        session.mount("https://", Held())
        assert session.get(f"{CONTEXT}/context").json() == json.loads(TERMS.read_text())
    return path


def complaints(folder, cache):
    """What the validator finds against a MUST of the profile or of those that it builds on."""
    from rocrate_validator import services
    from rocrate_validator.models import ValidationSettings

    settings = ValidationSettings(
        rocrate_uri=str(folder),
        profile_identifier="workflow-run-crate",
        requirement_severity="REQUIRED",
        offline=True,
        cache_path=cache,
    )
    return [issue.message for issue in services.validate(settings).get_issues()]


def test_the_validator_has_no_complaints(described, cache):
    assert complaints(described, cache) == []


@pytest.mark.parametrize(
    ("identifier", "key", "complaint"),
    [
        ("./", "conformsTo", "Workflow Run Crate profile"),
        ("./", "license", "license"),
        ("./", "mainEntity", "mainEntity"),
        ("#run-tiny", "instrument", "instrument"),
        ("Snakefile", "programmingLanguage", "programmingLanguage"),
    ],
)
def test_a_planted_breach_is_found(described, cache, tmp_path, identifier, key, complaint):
    content = read_crate(described)
    del next(one for one in content["@graph"] if one["@id"] == identifier)[key]
    broken = tmp_path / "ro-crate-metadata.json"
    for path in described.iterdir():
        (tmp_path / path.name).symlink_to(path)
    broken.unlink()
    broken.write_text(json.dumps(content))
    assert any(complaint in message for message in complaints(tmp_path, cache))
