"""Statistics of the claims, by the wording of docs/protocol.md, without the code of logzoo: one module for each paper.

Each function yields (claim, statistic, arrays, together): a function of arrays with the independent repeats first, and
whether the repeats of the arrays are paired and therefore resampled together.
"""
