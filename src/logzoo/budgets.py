"""The sweep ledger: every Gibbs sweep of every chain is counted and may not exceed the budget."""

from __future__ import annotations

import sys

from logzoo.checks import whole_number

# More sweeps than any machine makes in a year; a larger budget is a typing error.
LARGEST_BUDGET = 10**11


class BudgetExceeded(ValueError):
    """A method asked for more sweeps than its budget holds."""


class SweepLedger:
    """A budget of `sweeps` Gibbs sweeps for each of `chains` chains, spent under named purposes.

    sweeps: None for no limit, as in trainings, which only count their sweeps.
    Raises ValueError for impossible sizes and BudgetExceeded, before the sweeps are made, when they do not fit.
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

    def spend(self, sweeps: int, purpose: str, *, chains: int | None = None) -> int:
        """Enter `sweeps` sweeps of `chains` chains (all by default) under `purpose`; returns `sweeps`."""
        chains = self.chains if chains is None else chains
        chain_sweeps = whole_number("sweeps", sweeps, minimum=0) * whole_number("chains", chains)
        if self.chain_sweeps + chain_sweeps > self.sweeps * self.chains:
            budget = f"{self.sweeps} sweeps of {self.chains} chains, {self.spent} spent"
            wanted = f"{sweeps} sweeps of {chains} chains"
            raise BudgetExceeded(f"{purpose}: {wanted} exceed what is left of the budget ({budget})")
        self.by_purpose[purpose] = self.by_purpose.get(purpose, 0) + chain_sweeps
        return sweeps

    def part(self, sweeps: int, purpose: str, *, chains: int | None = None) -> SweepLedger:
        """A SweepLedger of that many sweeps of `chains` chains (all by default), which this one pays for.

        Raises BudgetExceeded when it cannot.
        """
        chains = self.chains if chains is None else chains
        self.spend(sweeps, purpose, chains=chains)
        return SweepLedger(sweeps, chains)
