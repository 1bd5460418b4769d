"""Collect the evidence on log Z of one model: rigorous bounds, and estimates by independent chains."""

from replication.artifacts import stand_ins
from replication.evidence_artifact import as_dataset
from replication.jobs import job, read_inputs, write_output

import numpy as np
from logzoo.datasets.build import visible_matrix
from logzoo.estimators.evidence import gather
from logzoo.models.rbm import RBM
from logzoo.streams import root_stream

with job(snakemake.log[0]):
    inputs = read_inputs(snakemake)
    stream = root_stream(snakemake.params.seed).child("evidence", snakemake.wildcards.model)
    examples = visible_matrix(inputs["dataset"], "train")
    # Grey levels between 0 and 1 are not states of the model.
    data = examples if examples.dtype == np.uint8 else None
    chains = snakemake.params.chains
    evidence = as_dataset(gather(RBM.from_dataset(inputs["model"]), stream, data=data, chains=chains))
    write_output(snakemake, evidence.assign_attrs(stand_ins([inputs["model"]])), kind="evidence", seed_path=stream)
