"""The protocol: every claim with its statistic, bounds, size and power, fixed before the first draw.

docs/protocol.md is made from the declarations and a configuration. Its digest covers the claims and the seed, not the
page. The digest changes with a claim, a statistic, a bound, a size or the seed. Captions and causes of results do
not change it. Verdicts and manifests record the digest at the time of their run.
"""

import hashlib
import json
import re
from pathlib import Path

from replication.catalogue import Catalogue
from replication.claim import BOUNDS, ERROR, EXPLORATORY, LEAST_FACTOR, POWER, PUBLISHED_SIZE, fewest_repeats

PAGE = "docs/protocol.md"
_DIGEST = re.compile(r"^Scale: `([\w-]+)`\. Seed: `\d+`\. Digest: `([0-9a-f]{16})`\.$", re.MULTILINE)


def protocol_digest(catalogue: Catalogue) -> str:
    """The digest of the claims and the seed of a configuration, 16 hexadecimal digits."""
    claims = {
        name: {key: value for key, value in entry.items() if key != "why"} for name, entry in catalogue.claims.items()
    }
    text = json.dumps([catalogue.config["seed"], claims], sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def standing(digest: str, scale: str, folder: str | Path) -> str:
    """A sentence that states whether verdicts at a scale are made under the committed protocol."""
    page = Path(folder, PAGE)
    committed = _DIGEST.search(page.read_text(encoding="utf-8")) if page.is_file() else None
    if committed is None or committed[1] != scale:
        return f"No protocol fixes the claims of the scale {scale}: its verdicts show that everything runs."
    if committed[2] == digest:
        return f"The claims were fixed before the draws: protocol {digest}."
    return f"The verdicts were made under another protocol ({digest}) than the protocol in {PAGE} ({committed[2]})."


def protocol_page(catalogue: Catalogue) -> str:
    """The page of the protocol, as Markdown."""
    lines = [
        "# Protocol: claims, statistics, bounds, sizes",
        "",
        f"Scale: `{catalogue.config['scale']}`. Seed: `{catalogue.config['seed']}`."
        f" Digest: `{protocol_digest(catalogue)}`.",
        "",
        "Made from the declarations of the figures and the configuration: `replication protocol --configfile"
        " config/paper.yaml > docs/protocol.md`.",
        "",
        *_RULES,
        "",
        "## Claims by paper",
        "",
        *_counts(catalogue),
    ]
    for paper, entry in catalogue.config["papers"].items():
        shown = [shown for shown in catalogue.shown.values() if shown.paper == paper and shown.claims]
        if shown:
            lines += ["", f"## {entry['source']}"]
        for figure in shown:
            lines += ["", f"### {figure.title}"]
            for name, claim in zip(figure.claim_entries, figure.claims.values(), strict=True):
                lines += ["", *_claim(name, claim, figure.claim_entries[name])]
    return "\n".join([*lines, ""])


_RULES = [
    "## Rules",
    "",
    "- Nothing on this page changes after a draw of this seed, but by a dated amendment below, made before the jobs"
    " concerned are drawn again from a new seed.",
    "- A claim is reproduced if the whole 95% interval of its statistic lies within its bounds, not reproduced if none"
    " of it does, and undecided otherwise. There is one look: repeats are not added after a result is seen.",
    "- Bounds are read off the paper. Where it states none, the statistic is an estimate beside the published value,"
    " without a verdict. Diagnostics that no paper claims have no verdict and are not counted.",
    "- An experiment smaller than the paper's is *reduced*: its verdicts say so and are counted apart. A setting that"
    " the paper does not name is *exploratory*, and gets no verdict.",
    f"- All claims with a verdict are tested together at {ERROR:.0%} (Holm 1979). A verdict that falls is marked with a"
    " dagger and stays.",
    f"- Repeats are chosen for a power of {POWER:.0%} at the published effect, or at a factor of {LEAST_FACTOR} where"
    " none is printed, as far as the core-hours allow. Each claim names the effect, the spread, where both are from,"
    " and the power.",
    "- The definitions were written after the [earlier publication](claims-history.md) was read. Its draws, and those"
    " of the pilots below, have other seeds and are in no verdict.",
    "- If the time does not suffice, whole figures become reduced, the one with the most core-hours a claim first;"
    " never the repeats of a few claims.",
    "",
    "## Amendments",
    "",
    "- 30 November 2026, before any job of these figures was drawn: to limit the core-hours, `rts-f5` and `lv-t1`, the"
    " two figures with the most core-hours a claim, are reduced. `rts-f5` has 250 instead of 2,000 particles, and nine"
    " instead of five trainings, for a power of 80%. `lv-t1` has 25 instead of 100 epochs. The digest was"
    " `3bef9e26358ac4d6`. Verdicts of the other figures that name it were made under the same claims.",
    "",
    "## Pilots",
    "",
    "Pilots gave spreads, failures and settings that a paper does not name.",
    "",
    "- Las Vegas (seeds 54 to 59): one training of each trainer of table 1 at the published size, and tours of these"
    " RBMs. The statistic of `lv-f2a-one` was changed after a pilot of 16 units.",
    "- RTS (seed 77): the small model of figure 3 was trained in six settings. Its step and number of updates were"
    " chosen by whether AIS and RTS agree at 1,000 sweeps. RMSEs were not looked at.",
    "- Tracking: two trainings of figure 4, right. After them the likelihoods of `trk-f4b-turn` and `trk-f4b-train`"
    " were changed from those by AIS to the tracked ones, which the figure shows.",
    "- Infinite swapping: short trainings and chains, for spreads alone.",
]


def _counts(catalogue):
    """A table of the claims by paper, level and kind."""
    yield "| paper | with a verdict | at the published size | reduced | power at least 80% | estimates | not tested |"
    yield "|---|---|---|---|---|---|---|"
    for paper, entry in catalogue.config["papers"].items():
        claims = [
            claim
            for shown in catalogue.shown.values()
            if shown.paper == paper
            for claim in shown.claim_entries.values()
        ]
        judged = [claim for claim in claims if has_verdict(claim)]
        untested = sum("not_tested" in claim for claim in claims)
        published = sum(claim.get("level") == PUBLISHED_SIZE for claim in judged)
        powered = sum(claim.get("power", 0.0) >= POWER for claim in judged)
        estimates = len(claims) - len(judged) - untested
        if claims:
            numbers = len(judged), published, len(judged) - published, powered, estimates, untested
            yield f"| {entry['source']} | {' | '.join(map(str, numbers))} |"


def has_verdict(entry: dict) -> bool:
    """Whether a claim gets a verdict: it has bounds, and its level is not exploratory."""
    return any(bound in entry for bound in BOUNDS) and entry.get("level") != EXPLORATORY


def _claim(name, claim, entry):
    yield f"**{name}**. {claim.text} ({claim.where or 'a diagnostic of ours'}; published: {claim.published})."
    if claim.not_tested:
        yield f"Not tested: {claim.not_tested}."
        return
    yield f"Measured: {claim.measured}."
    bounds = " and ".join(f"{bound.replace('_', ' ')} {value:g}" for bound, value in claim.bounds.items())
    yield f"Reproduced if {bounds} (from: {claim.bound})." if has_verdict(entry) else "An estimate without a verdict."
    if "level" in entry:
        yield (
            f"Level: {entry['level']}. Size: {entry['size']}. Repeats: {entry['repeats']:,}."
            + (f" Trainings: {entry['trainings']:,}." if entry["trainings"] else "")
        )
    if "power" in entry:
        yield (
            f"Power: {entry['power']:.0%} at an effect of {claim.power.effect:g} ({claim.power.source});"
            f" 80% takes {fewest_repeats(claim):,} repeats."
        )
