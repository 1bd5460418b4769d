"""Options of an estimator: defaults declared beside the method, unknown names refused."""


def merged(method, defaults, given):
    """`defaults` updated by `given`; ValueError naming the options of the method for an unknown one."""
    unknown = sorted(set(given) - set(defaults))
    if unknown:
        known = ", ".join(sorted(defaults)) or "none"
        raise ValueError(f"{method}: unknown option {', '.join(unknown)}; expected one of {known}")
    return {**defaults, **given}
