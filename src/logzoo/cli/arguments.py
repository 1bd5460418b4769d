"""Arguments that several commands take."""

MODEL_HELP = (
    "an RBM: .nc (artifact of logzoo), .npz (weights, visible_bias, hidden_bias), .mat (MATLAB: vishid, visbiases, "
    "hidbiases) or .h5 (checkpoint of rbms)"
)
DATA_HELP = "0/1 examples: .nc (dataset artifact) or .npy (matrix, one example a row)"
NAMES = {"metavar": "W,A,B", "help": "names of the arrays in MODEL: weights, visible bias, hidden bias, in this order"}
SPINS = {"action": "store_true", "help": "units of MODEL are -1 and +1: log Z is that of the spins"}
JSON = {"dest": "as_json", "action": "store_true", "help": "print one JSON object"}
OPTION = {"action": "append", "default": [], "metavar": "NAME=VALUE", "help": "option of the method; may be repeated"}
