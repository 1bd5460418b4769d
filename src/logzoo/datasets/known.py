"""Exact draws of an RBM of known log Z, as the data set of that model."""

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

    options: `family`, `seed` and `options` of the model, as `known` takes them, and `samples` ({train, validation,
    test}: examples). Raises ValueError, which names the option, and for models that `exact_draws` cannot draw from.
    """
    family, seed = options["family"], options["seed"]
    rbm = known(family, seed, **options["options"]).rbm
    stream = root_stream(seed).child("known", family, "draws")
    draws = (exact_draws(rbm, options["samples"][split], stream.child(split).generator()) for split in SPLITS)
    return Splits.of((examples, None) for examples in draws)
