"""Early stopping: the parameters of the best row of the trace, and when to look no further."""

import numpy as np


class EarlyStopping:
    """Keeps the parameters whose log-likelihood was best; `over` once it has not risen for `patience` updates."""

    def __init__(self, patience):
        self.patience = patience
        self.over = False
        self.best = {}

    def see(self, update, log_likelihood, values):
        """Take note of the log-likelihood in nats of the parameters `values` at an update; ValueError unless finite."""
        if not np.isfinite(log_likelihood):
            found = f"found {log_likelihood} at update {update}"
            raise ValueError(f"patience: expected a tracker that says what the log-likelihood is, {found}")
        if not self.best or log_likelihood > self.best["log_likelihood"]:
            numbers = {"update": np.array(update), "log_likelihood": np.array(log_likelihood)}
            self.best = numbers | {name: array.copy() for name, array in values.state.items()}
        self.over = bool(update - self.best["update"] >= self.patience)

    def give_back(self, values):
        """Set `values` to the best parameters, if there are any."""
        if self.best:
            values.restore(self.best)

    @property
    def attributes(self):
        """Attributes for the trace: where the best parameters were found."""
        if not self.best:
            return {}
        return {"best_update": int(self.best["update"]), "best_log_likelihood": float(self.best["log_likelihood"])}

    @property
    def state(self):
        """What a checkpoint holds."""
        return {**self.best, "over": np.array(self.over)}

    def restore(self, state):
        """Go on from a `state`."""
        self.over = bool(state["over"])
        self.best = {name: array for name, array in state.items() if name != "over"}
