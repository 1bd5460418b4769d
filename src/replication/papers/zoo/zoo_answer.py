"""Which estimator to use, by kind of model: at most six estimators against sweeps.

Root mean square error of log Z against Gibbs sweeps per chain, as a geometric mean over the models of a kind. The kinds
are trained RBMs, models with several modes, and the published RBM of 500 hidden units. Lines show at most six
estimators: the best estimator of each kind at the largest budget, then AIS, RAISE, RTS and Las Vegas tours. The best is
bold, with its 95% bootstrap interval. Hollow markers: some replicates did not converge. In the hatched region errors
are below the standard error of the truth.
"""

from math import prod
from typing import NamedTuple

import numpy as np

from logzoo.estimators.estimator_registry import ESTIMATORS
from replication.papers.declaration import Here
from replication.papers.zoo import zoo_statistics
from replication.papers.zoo.families import arenas_of, combined
from replication.papers.zoo.zoo_errors import BELOW, COMPARED, HOLLOW, add_key, draw_family, new_panels
from replication.reporting.style import count_ticks, finished
from replication.reporting.tables import two_digits
from replication.types import Artifacts, Dataset, Figure, Names, Settings

_TRAINED, _MULTIMODAL, _IMPORTED = "trained", "several modes", "imported"
_TITLES = {_TRAINED: "trained RBMs", _MULTIMODAL: "several modes", _IMPORTED: "published RBM"}
_MOST_LINES = 6


class Use(NamedTuple):
    """The recommendation for a kind of model, as texts: a row of the table that opens the results page."""

    model: str
    call: str
    result: str


inputs = combined


def settings(here: Here) -> Settings:
    return {"arenas": arenas_of(here.config), "names": here.estimator_titles()}


def kinds_of(zoo: Dataset, arenas: list[str]) -> dict[str, Dataset]:
    """Parts {kind: part} of the zoo, one for each kind with models, at the budgets that all models of the part have."""
    several, imported = np.isin(zoo["family"].values, arenas), zoo["trainer"].values == "imported"
    kinds = np.select([several, imported], [_MULTIMODAL, _IMPORTED], _TRAINED)
    ran, parts = zoo["log_z"].notnull().any(["estimator", "replicate"]).transpose("model", "budget").values, {}
    for kind in _TITLES:
        of_kind = ran[kinds == kind].sum(axis=0)
        # Models of a kind may share no budget. Only models with the most common budget are used. If several budgets are
        # equally common, the largest of them counts.
        largest = ran.shape[1] - 1 - int(np.argmax(of_kind[::-1]))
        part = zoo.isel(model=np.flatnonzero((kinds == kind) & ran[:, largest]))
        if part.sizes["model"]:
            parts |= zoo_statistics.families(part.assign_coords(family=("model", [kind] * part.sizes["model"])))
    return parts


def draw(artifacts: Artifacts, *, arenas: list[str], names: Names) -> Figure:
    zoo = artifacts["zoo"]
    parts = kinds_of(zoo, arenas)
    winners = [part["estimator"].values[zoo_statistics.best_of(part)] for part in parts.values()]
    drawn = [name for name in dict.fromkeys([*winners, *COMPARED]) if name in zoo["estimator"]][:_MOST_LINES]
    figure, axes = new_panels(len(parts), 3.1, 3.0, margin=0.2)
    for axis, (kind, part) in zip(axes, parts.items(), strict=True):
        chosen = part.isel(estimator=np.flatnonzero(np.isin(part["estimator"], drawn)))
        budgets = part["budget"].values
        draw_family(axis, chosen, names, lambda _estimator, budgets: budgets, drawn)
        count_ticks(axis, budgets)
        count = part.sizes["model"]
        axis.set_title(f"{_TITLES[kind]}, {count} model{'s' if count > 1 else ''}", loc="right", fontsize=9)
        axis.set_xlabel("Gibbs sweeps per chain")
    axes[0].set_ylabel("RMSE of log Z [nat]")
    add_key(figure, axes, hollow=HOLLOW, shaded=BELOW)
    return finished(figure, zoo, panels=axes)


def uses(zoo: Dataset, *, arenas: list[str], names: dict[str, str], enumerated: int) -> list[Use]:
    """Recommendations for a small model, for each kind of model of the zoo, and for an unknown model.

    enumerated: largest number of units in the smaller layer for which log Z is enumerated.
    """
    parts = kinds_of(zoo, arenas)
    rows = [Use(f"small: up to {enumerated} units in one layer", "exact_log_z(rbm)", "enumeration, no error")]
    words = {_TRAINED: "trained", _MULTIMODAL: "several separate modes"}
    rows += [_use(words[kind], parts[kind], names) for kind in words if kind in parts]
    rows.append(
        Use("unknown", "estimate_log_z(rbm)", "runs several methods until they agree, or reports that they do not")
    )
    if _IMPORTED in parts:
        rows.append(_use("large, such as the published RBM", parts[_IMPORTED], names))
    return rows


def _use(words, part, names):
    """The row of one kind of model."""
    (best, *ties), budget = zoo_statistics.among_the_best(part)[-1], int(part["budget"][-1])
    name = str(part["estimator"].values[best])
    rmse, (low, high) = (numbers[..., best, -1] for numbers in zoo_statistics.rmse_with_interval(part))
    value, *interval = (two_digits(float(number)) for number in (rmse, low, high))
    failed = float(zoo_statistics.unconverged(part).isel(estimator=best, budget=-1).mean())
    result = f"{names[name]}: RMSE {value} nat [{', '.join(interval)}] at {budget:,} sweeps"
    result += f"; {failed:.0%} of runs report that they did not converge" if failed else ""
    if ties:
        result += f"; {len(ties)} other{'s are' if len(ties) > 1 else ' is'} not significantly worse"
    call = f'estimate_log_z(rbm, "{name}")' if name in ESTIMATORS else names[name]
    return Use(f"{words}: {_sizes(part)}", call, result)


def _sizes(part):
    """The sizes of the smallest and of the largest model of a kind."""
    sizes = sorted({*zip(part["visible"].values.tolist(), part["hidden"].values.tolist(), strict=True)}, key=prod)
    return " to ".join(f"{visible} × {hidden}" for visible, hidden in dict.fromkeys((sizes[0], sizes[-1])))


def findings(zoo: Dataset, *, names: dict[str, str]) -> list[str]:
    """Sentences on the estimators with the lowest error on the most families, and on silently wrong estimates."""
    parts = zoo_statistics.families(zoo).values()
    firsts = [str(part["estimator"].values[zoo_statistics.best_of(part)]) for part in parts]
    counts = sorted({name: firsts.count(name) for name in firsts}.items(), key=lambda item: -item[1])
    first = ", ".join(f"{names[name]} on {count}" for name, count in counts[:3])
    sentences = [f"At the largest budgets of {len(firsts)} families, these estimators are best most often: {first}."]
    exact = zoo_statistics.with_exact_truth(zoo)
    if exact.sizes["model"]:
        counts = zoo_statistics.outcomes(exact)
        right, wrong = (int(counts[name].sum()) for name in ("right", "silently wrong"))
        sentences.append(
            f"Of {right + wrong:,} converged estimates on models whose log Z is exact, {wrong} were silently wrong "
            "(off by more than 0.5 nat and four standard errors)."
        )
    return sentences
