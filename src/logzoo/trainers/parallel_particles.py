"""The chains of a negative phase at many temperatures: parallel tempering whose parameters change between updates."""

import numpy as np

from logzoo.kernels.energies import log_f_tempered, log_z_of_base
from logzoo.kernels.gibbs import forget_hidden, start_chains
from logzoo.kernels.layout import new_chains
from logzoo.kernels.parallel_tempering import Exchanges, Replicas, run_parallel_tempering


class ParallelParticles:
    """`count` ladders of one chain at each inverse temperature beta (rung,), which make k sweeps an update."""

    def __init__(self, key, k, count, betas):
        self.key = key
        self.k = k
        self.count = count
        # Sweeps and densities must agree on the inverse temperatures, to the last bit.
        self.betas = np.asarray(betas, np.float32)
        chains = count * self.betas.size
        self.chains = self.parameters = None
        self.spent = 0  # Gibbs sweeps so far, summed over the chains
        rung = np.tile(np.arange(self.betas.size), count)
        self.replicas = Replicas(rung, np.zeros(chains, np.int64), np.zeros(chains, np.int64))
        pairs = (count, self.betas.size - 1)
        self.attempted, self.accepted = np.zeros(pairs, np.int64), np.zeros(pairs, np.int64)

    def load(self, parameters):
        """Go on with these parameters; at first, draw v of every chain from the base."""
        self.parameters = parameters
        if self.chains is None:
            visible, hidden = parameters.weights.shape[1], parameters.weights_transposed.shape[1]
            self.chains = new_chains(self.count * self.betas.size, visible, hidden)
            start_chains(parameters, self.key, parameters.base, self.chains)
        else:
            forget_hidden(parameters, self.chains)

    def move(self, update, *, all_pairs=False, all_rungs=False):
        """Make the sweeps and exchanges of one update.

        Returns the Exchanges, NaN where log f was not looked at: see `run_parallel_tempering`.
        """
        first, rungs = 1 + update * self.k, self.betas.size
        up, down = (np.full((self.count, self.k, rungs - 1), np.nan) for _ in range(2))
        exchanges = Exchanges(self.attempted, self.accepted, up, down, np.empty((self.count, rungs, rungs)))
        sweeps = self.key, first, first + self.k
        state = self.chains, self.replicas, exchanges
        run_parallel_tempering(self.parameters, self.betas, *sweeps, *state, all_pairs, all_rungs)
        self.spent += self.k * self.replicas.rung.size
        return exchanges

    def log_z_base(self):
        """log Z at the first rung in nats."""
        return log_z_of_base(self.parameters, self.chains.v.shape[1], self.chains.h.shape[1])

    def log_f(self):
        """log f at its own rung of every chain, (rung, ladder) in nats, hidden units summed out."""
        values = np.empty(self.replicas.rung.size)
        log_f_tempered(self.parameters, self.betas[self.replicas.rung], self.chains, values)
        return self._by_rung(values)

    def own_log_f(self, exchanges):
        """The same after `move`, with all pairs or (but for rounding) all rungs, from what it has found already."""
        everywhere = exchanges.log_f.reshape(-1, self.betas.size)
        return self._by_rung(everywhere[np.arange(self.replicas.rung.size), self.replicas.rung])

    def _by_rung(self, values):
        """Numbers (chain,) as an array (rung, ladder)."""
        found = np.empty((self.betas.size, self.count))
        found[self.replicas.rung, np.repeat(np.arange(self.count), self.betas.size)] = values
        return found

    def insert_rung(self, rung, betas):
        """Add a rung below the present one of that number; its chains start as copies of those there.

        betas (rungs + 1,): the inverse temperatures from now on.
        """
        rungs = self.betas.size
        source = np.flatnonzero(self.replicas.rung == rung)
        moved = np.where(self.replicas.rung >= rung, self.replicas.rung + 1, self.replicas.rung)
        places = np.append(np.arange(rungs * self.count).reshape(self.count, rungs), source[:, None], axis=1).ravel()
        old, self.betas = self.chains, np.asarray(betas, np.float32)
        self.chains = new_chains(places.size, old.v.shape[1], old.h.shape[1])
        for name in ("v", "h", "hidden_input", "visible_input"):
            getattr(self.chains, name)[...] = getattr(old, name)[places]
        replicas = Replicas(moved, self.replicas.heading, self.replicas.round_trips)
        self.replicas = Replicas(*(array[places] for array in replicas))
        fresh = np.arange(rungs, places.size, rungs + 1)
        self.replicas.rung[fresh] = rung
        self.replicas.heading[fresh] = 0
        self.replicas.round_trips[fresh] = 0
        pairs = (self.count, rungs)
        self.attempted, self.accepted = np.zeros(pairs, np.int64), np.zeros(pairs, np.int64)

    @property
    def state(self):
        """What a checkpoint holds."""
        counts = {"attempted": self.attempted, "accepted": self.accepted, "spent": np.array(self.spent)}
        return {"v": self.chains.v, "h": self.chains.h, "betas": self.betas, **self.replicas._asdict(), **counts}

    def restore(self, state):
        """Go on from a `state`."""
        self.betas = state["betas"]
        self.replicas = Replicas(*(state[name] for name in Replicas._fields))
        self.attempted, self.accepted, self.spent = state["attempted"], state["accepted"], int(state["spent"])
        self.chains = new_chains(len(state["v"]), state["v"].shape[1], state["h"].shape[1])
        self.chains.v[...] = state["v"]

    def weights_at(self, rung):
        """Weights (chain,) that sum to 1: equal ones of the chains that are at one rung now, zero of all others."""
        return (self.replicas.rung == rung) / self.count

    @property
    def exchange_rates(self):
        """Share (pair,) of the exchanges tried so far that were made, over all ladders; 0 for a pair never tried."""
        return self.accepted.sum(axis=0) / np.maximum(self.attempted.sum(axis=0), 1)
