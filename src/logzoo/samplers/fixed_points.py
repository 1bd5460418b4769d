"""What methods that draw nothing pay: the search for modes, and the rest of their budget, which they do not use."""

from logzoo.samplers.base import affordable_modes


def solutions(rbm, ledger, stream, *, threads=1):
    """Solutions of mean field, as `logzoo.models.modes.Modes`; the ledger is used up, the rest of it as left over."""
    modes = affordable_modes(rbm, ledger, stream, threads=threads)
    ledger.spend(ledger.sweeps * ledger.chains - ledger.chain_sweeps, "left over", chains=1)
    return modes
