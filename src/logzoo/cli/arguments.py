"""Arguments that several commands take."""

from typing import Any

MODEL_HELP = (
    "an RBM: .nc (artifact of logzoo), .npz (weights, visible_bias, hidden_bias), .mat (MATLAB: vishid, visbiases, "
    "hidbiases) or .h5 (checkpoint of rbms)"
)
DATA_HELP = "0/1 examples: .nc (dataset artifact) or .npy (matrix, one example a row)"
NAMES: dict[str, Any] = {
    "metavar": "W,A,B",
    "help": "names of the arrays in MODEL: weights, visible bias, hidden bias, in this order",
}
SPINS: dict[str, Any] = {"action": "store_true", "help": "units of MODEL are -1 and +1: log Z is that of the spins"}
JSON: dict[str, Any] = {"dest": "as_json", "action": "store_true", "help": "print one JSON object"}
OPTION: dict[str, Any] = {
    "action": "append",
    "default": [],
    "metavar": "NAME=VALUE",
    "help": "option of the method; may be repeated",
}
