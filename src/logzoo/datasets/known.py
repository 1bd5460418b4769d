"""Data sets of exact draws from an RBM of known log Z."""

from __future__ import annotations

from typing import TYPE_CHECKING

from logzoo.datasets.readers import SPLITS, Splits
from logzoo.models.known.exact_draws import exact_draws
from logzoo.models.known.families import known
from logzoo.streams import root_stream

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path
    from typing import Any


def read_known(paths: Mapping[str, Path], options: Mapping[str, Any]) -> Splits:
    """Draw the three splits, each from a separate stream, without labels.

    options: `family`, `seed` and `options` of the model, as for `known`, and `samples`, the number of examples in each
    split. Raises ValueError for impossible options, and for models without exact draws.
    """
    family, seed = options["family"], options["seed"]
    rbm = known(family, seed, **options["options"]).rbm
    stream = root_stream(seed).child("known", family, "draws")
    draws = (exact_draws(rbm, options["samples"][split], stream.child(split).generator()) for split in SPLITS)
    return Splits.of((examples, None) for examples in draws)
