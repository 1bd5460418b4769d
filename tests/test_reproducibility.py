"""The same bits for any number of threads and any vector width of the processor."""

import os
import subprocess
import sys

import numpy as np
import pytest
from twins import normal_rbm

from logzoo import estimate_log_z, exact_log_z
from logzoo.estimators.estimator_registry import ESTIMATORS, takes
from logzoo.estimators.evidence import gather
from logzoo.samplers.threads import over_chains
from logzoo.streams import root_stream

SAMPLE = """
import hashlib, json
import numpy as np
from logzoo import RBM, sample_gibbs, train_rbm

generator = np.random.default_rng(0)
rbm = RBM(generator.normal(0, 0.4, (70, 45)), generator.normal(0, 1, 70), generator.normal(0, 1, 45))
states = sample_gibbs(rbm, 30, 200, seed=1)
trained = train_rbm(states, "pcd", hidden=9, updates=60, batch=10, seed=2).rbm
print(hashlib.sha256(states.tobytes() + trained.weights.tobytes()).hexdigest())
"""


def random_rbm(visible=40, hidden=14):
    return normal_rbm(0, visible, hidden, 0.8)


@pytest.mark.parametrize("method", sorted(ESTIMATORS))
def test_estimates_have_the_same_bits_on_any_number_of_threads_and_others_from_another_seed(method):
    rbm, options = random_rbm(), {"sweeps": 130, "chains": 7, "check": False}
    if takes(method, "data"):
        options["data"] = np.eye(2, 40, dtype=np.uint8)
    one, many, other = (estimate_log_z(rbm, method, threads=n, seed=s, **options) for n, s in ((1, 0), (5, 0), (1, 1)))
    assert one == many
    if ESTIMATORS[method].drawn:
        assert other.log_z != one.log_z and other.std_error != one.std_error


def test_evidence_and_enumeration_have_the_same_bits_on_any_number_of_threads():
    one, many = (gather(random_rbm(12, 5), root_stream(0), threads=threads) for threads in (1, 5))
    assert one == many
    rbm = random_rbm(21, 20)
    assert exact_log_z(rbm, threads=2) == exact_log_z(rbm, threads=1)


def test_every_chain_is_visited_once_and_an_error_in_a_thread_is_not_lost():
    seen = np.zeros(11, np.int64)

    def kernel(part):
        part += 1
        if part[0] == 2:
            raise ValueError("in a thread")

    over_chains(kernel, 3, seen)
    np.testing.assert_array_equal(seen, np.ones(11))
    with pytest.raises(ValueError, match="in a thread"):
        over_chains(kernel, 2, seen)


def test_a_plain_avx2_processor_draws_the_same_bits():
    digests = set()
    for name in ("haswell", None):
        environment = {key: value for key, value in os.environ.items() if key != "NUMBA_CPU_NAME"}
        if name:
            environment |= {"NUMBA_CPU_NAME": name, "NUMBA_CPU_FEATURES": ""}
        digests.add(subprocess.check_output([sys.executable, "-c", SAMPLE], env=environment, text=True))
    assert len(digests) == 1
