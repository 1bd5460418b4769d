"""replication: the figures, tables and claims of four papers on log partition functions, tested with logzoo."""

import importlib
import os

if "LOGZOO_FORKS" in os.environ:
    importlib.import_module("replication.forks").hand_over()
