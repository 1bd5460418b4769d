"""Infinite swapping: ladders of replicas whose temperatures are reassigned after each sweep (Hult et al. 2019).

INS-Gibbs: among all replicas of a ladder at once, by the probabilities of all assignments. PINS: within groups of
neighbouring temperatures. In turn: Metropolis exchanges of neighbours from the lowest temperature upwards, parallel
tempering as the paper has it.
"""

import numpy as np

from logzoo.budgets import SweepLedger
from logzoo.checks import finite_array, one_of, whole_number
from logzoo.kernels.assignments import LARGEST
from logzoo.kernels.fixed_point import new_chains
from logzoo.kernels.gibbs import forget_hidden, start_chains
from logzoo.kernels.swapping import run_infinite_swapping

TEMPERATURES = (1.0, 2.0, 3.0, 4.0, 5.0)
DENSITIES = ("marginal", "joint")
IN_TURN = "in-turn"


class InfiniteSwapping:
    """`count` ladders of one replica at each temperature; the path tempers all parameters.

    temperatures (K,): rising from 1. group: temperatures that swap among themselves, None for all, or "in-turn" for
    exchanges of neighbours. density: what assignments are weighed by, log f(v) or log f(v, h). Rungs are numbered by
    rising inverse temperature, so the last is that of the model. Raises ValueError for impossible settings.
    """

    def __init__(self, key, count, temperatures=TEMPERATURES, group=None, density="marginal"):
        temperatures = finite_array("temperatures", temperatures, dimensions=1)
        if temperatures.size == 0 or temperatures[0] != 1.0 or np.any(np.diff(temperatures) <= 0.0):
            raise ValueError(f"temperatures: expected numbers that increase from 1, found {temperatures.tolist()}")
        self.key = key
        self.count = count
        # Sweeps and densities must agree on the inverse temperatures, to the last bit.
        self.betas = np.sort(1.0 / temperatures).astype(np.float32)
        self.partitions = partitions_of(temperatures.size, group)
        self.joint = one_of("density", density, DENSITIES) == "joint"
        self.rung = np.tile(np.arange(temperatures.size), count)
        self.shares = np.zeros(self.rung.size)
        self.occupancy = np.zeros((self.rung.size, temperatures.size), np.int64)
        self.parameters = self.chains = None
        self.ledger = SweepLedger(None, self.rung.size)  # pays for every sweep

    def load(self, parameters, log_odds=None):
        """Go on with these parameters; at first, draw v of every chain from independent units of these log-odds.

        log_odds: as in `logzoo.kernels.gibbs.start_chains`; the visible bias unless given.
        """
        self.parameters = parameters
        if self.chains is None:
            visible, hidden = parameters.weights.shape[1], parameters.weights_transposed.shape[1]
            self.chains = new_chains(self.rung.size, visible, hidden)
            log_odds = parameters.visible_bias if log_odds is None else log_odds
            start_chains(parameters, self.key, log_odds, self.chains)
        else:
            forget_hidden(parameters, self.chains)

    def move(self, first, last):
        """Pay for and make the sweeps first, ..., last - 1, numbered from 1; returns the Chains, inputs up to date."""
        self.move_and_sum(first, last, np.zeros((0, 0)))
        return self.chains

    def move_and_sum(self, first, last, sums):
        """`move`; after every sweep the sum over each group of ladders of (v p(h | v)', v, p(h | v)), weighted by eq 8.

        sums (groups, V H + V + H) float64, added to: of as many equal groups of ladders.
        """
        self.ledger.spend(last - first, "training")
        replicas = self.partitions, self.joint, self.chains, self.rung, self.shares, self.occupancy
        run_infinite_swapping(self.parameters, self.betas, self.key, first, last, *replicas, sums)

    @property
    def spent(self):
        """Gibbs sweeps so far, summed over the chains."""
        return self.ledger.chain_sweeps

    @property
    def weights(self):
        """Weights (chain,) of the states for expectations under the model, which sum to 1 (eq 8)."""
        return self.shares / self.count

    @property
    def state(self):
        """What a checkpoint holds."""
        counts = {"occupancy": self.occupancy, "spent": np.array(self.ledger.chain_sweeps)}
        return {"v": self.chains.v, "h": self.chains.h, "rung": self.rung, **counts}

    def restore(self, state):
        """Go on from a `state`."""
        self.rung, self.occupancy = state["rung"], state["occupancy"]
        self.ledger.by_purpose = {"training": int(state["spent"])}
        self.chains = new_chains(len(state["v"]), state["v"].shape[1], state["h"].shape[1])
        self.chains.v[...] = state["v"]


def partitions_of(rungs, group):
    """Groups (partition, rung) of neighbouring rungs, one row for each sweep in turn, as the kernel has them.

    group: temperatures in a group, whose second partition is shifted by half; None for all of them; "in-turn" for none.
    Raises ValueError for groups of fewer than 2 and more than can be summed over.
    """
    if group == IN_TURN:
        return np.zeros((0, rungs), np.int64)
    size = rungs if group is None else min(whole_number("group", group, minimum=2), rungs)
    if size > LARGEST:
        raise ValueError(f"group: expected at most {LARGEST} temperatures that swap together, found {size}")
    if size == rungs:
        return np.zeros((1, rungs), np.int64)
    rung = np.arange(rungs)
    return np.stack([rung // size, (rung + size // 2) // size])
