"""Compute the true log Z of one model, and the mean log-likelihood of its data."""

from replication.artifacts import stand_ins
from replication.jobs import job, read_inputs, write_output
from replication.truths import as_truth, long_run_truth, with_likelihoods

from logzoo.datasets.build import visible_matrix
from logzoo.datasets.readers import SPLITS
from logzoo.models.exact_sums import exact_log_z
from logzoo.models.rbm import RBM

with job(snakemake.log[0]):
    inputs = read_inputs(snakemake)
    rbm, notice = RBM.from_dataset(inputs["model"]), stand_ins([inputs["model"]])
    if "long_runs" in inputs:
        truth = long_run_truth(inputs["long_runs"])
    elif "known_log_z" in inputs["model"].attrs:
        truth = as_truth(inputs["model"].attrs["known_log_z"], 0.0, inputs["model"].attrs["known_from"])
    else:
        truth = as_truth(exact_log_z(rbm), 0.0, "enumeration")
    data = {split: visible_matrix(inputs["dataset"], split) for split in SPLITS}
    truth = with_likelihoods(truth, rbm, data, {} if notice else snakemake.params.published)
    write_output(snakemake, truth.assign_attrs(title=inputs["model"].attrs["title"], **notice), kind="truth")
