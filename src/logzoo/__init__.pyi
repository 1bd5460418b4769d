from logzoo.api import draw_samples as draw_samples
from logzoo.api import estimate_log_z as estimate_log_z
from logzoo.api import methods as methods
from logzoo.api import read_log_z as read_log_z
from logzoo.deep import dbm_log_likelihood as dbm_log_likelihood
from logzoo.estimators.estimator import Draws as Draws
from logzoo.estimators.estimator import Estimator as Estimator
from logzoo.estimators.result import Estimate as Estimate
from logzoo.models.exact_sums import exact_log_z as exact_log_z
from logzoo.models.modes import lower_bound as lower_bound
from logzoo.models.rbm import RBM as RBM
from logzoo.samplers.gibbs_states import sample_gibbs as sample_gibbs
from logzoo.scoring import mean_log_likelihood as mean_log_likelihood
from logzoo.scoring import score as score
from logzoo.scoring import scorer as scorer
from logzoo.tracking import LogZTracker as LogZTracker
from logzoo.training.loop import TrainingRun as TrainingRun
from logzoo.training.trainers import train_rbm as train_rbm
from logzoo.training.trainers import trainers as trainers

__version__: str
