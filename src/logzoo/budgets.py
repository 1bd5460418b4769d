"""The sweep ledger, which counts every Gibbs sweep of every chain and enforces the budget."""

from __future__ import annotations

import sys

from logzoo.checks import whole_number

# A larger budget counts as a typo.
LARGEST_BUDGET = 10**11


class BudgetExceeded(ValueError):
    """More sweeps were requested than the budget has left."""


class SweepLedger:
    """A budget of Gibbs sweeps per chain, spent under named purposes.

    Parameters
    ----------
    sweeps : int or None
        Sweeps per chain, or None for no limit. The ledger of a training has no limit.
    chains : int
        Number of chains.

    Attributes
    ----------
    by_purpose : dict of str to int
        Sweeps spent so far under each purpose, summed over the chains.

    Raises
    ------
    ValueError
        For sizes that are not whole numbers above 0, for over 10^11 sweeps, and for over 10^12 chains.

    Examples
    --------
    >>> ledger = SweepLedger(100, 20)
    >>> ledger.spend(30, "sampling")
    30
    >>> ledger.remaining
    70
    """

    def __init__(self, sweeps: int | None, chains: int) -> None:
        self.sweeps = sys.maxsize if sweeps is None else whole_number("sweeps", sweeps)
        if sweeps is not None and self.sweeps > LARGEST_BUDGET:
            raise ValueError(f"sweeps: expected at most {LARGEST_BUDGET:,}, found {sweeps}")
        self.chains = whole_number("chains", chains)
        self.by_purpose: dict[str, int] = {}

    @property
    def spent(self) -> int:
        """Sweeps per chain spent so far, rounded up to whole sweeps of all chains."""
        return -(-self.chain_sweeps // self.chains)

    @property
    def chain_sweeps(self) -> int:
        """Sweeps spent so far, summed over the chains."""
        return sum(self.by_purpose.values())

    @property
    def remaining(self) -> int:
        """Sweeps per chain that are left."""
        return self.sweeps - self.spent

    @property
    def left(self) -> int:
        """Sweeps that are left, summed over the chains."""
        return self.sweeps * self.chains - self.chain_sweeps

    def spend(self, sweeps: int, purpose: str, *, chains: int | None = None) -> int:
        """Count `sweeps` sweeps of `chains` chains (all by default) under `purpose`, and return `sweeps`.

        Call it before the sweeps run. It raises BudgetExceeded and counts nothing if too few sweeps are left.
        """
        chains = self.chains if chains is None else chains
        chain_sweeps = whole_number("sweeps", sweeps, minimum=0) * whole_number("chains", chains)
        if chain_sweeps > self.left:
            budget = f"{self.sweeps} sweeps of {self.chains} chains, {self.spent} spent"
            wanted = f"{sweeps} sweeps of {chains} chains"
            raise BudgetExceeded(f"{purpose}: {wanted} exceed the rest of the budget ({budget}); raise sweeps")
        self.by_purpose[purpose] = self.by_purpose.get(purpose, 0) + chain_sweeps
        return sweeps

    def part(self, sweeps: int, purpose: str, *, chains: int | None = None) -> SweepLedger:
        """A new SweepLedger of these sizes, counted here as spent; raises BudgetExceeded as `spend` does."""
        chains = self.chains if chains is None else chains
        self.spend(sweeps, purpose, chains=chains)
        return SweepLedger(sweeps, chains)
