"""Establish log Z of one model, and the mean log-likelihood of its data."""

from pathlib import Path

from logzoo.datasets.build import visible_matrix
from logzoo.datasets.splits import SPLITS
from logzoo.jobs import job, read_inputs, stand_in_notice, write_output
from logzoo.models.rbm import RBM
from logzoo.truths import exact_truth, long_run_truth, with_likelihoods

with job(snakemake.log[0]):
    inputs = read_inputs(model=snakemake.input.model, dataset=snakemake.input.dataset)
    long_runs = read_inputs(**{Path(path).stem.rsplit(".")[-1]: path for path in snakemake.input.long_runs})
    rbm = RBM.from_dataset(inputs["model"])
    truth = long_run_truth(long_runs) if long_runs else exact_truth(rbm)
    truth = with_likelihoods(truth, rbm, {split: visible_matrix(inputs["dataset"], split) for split in SPLITS})
    notice = stand_in_notice(inputs["model"])
    published = {} if notice else snakemake.params.published
    if "log_z" in published:
        # The published log Z with our own free energies: what the publication should have found on these data.
        at_published = float(truth["mean_log_f"].sel(split="test")) - published["log_z"]
        truth["test_log_likelihood_at_published_log_z"] = (
            (),
            at_published,
            {"long_name": "mean test log-likelihood under the published log Z", "units": "nat"},
        )
    write_output(snakemake, truth.assign_attrs(title=inputs["model"].attrs["title"], **notice), kind="truth")
