"""Import one published RBM. If its file or its data set is not available, train a replacement."""

from replication.artifacts import raw_manifest, stand_ins
from replication.jobs import checkpoint_of, discard_checkpoints, job, read_inputs, write_output

import logging
from pathlib import Path

from logzoo.datasets.build import visible_matrix
from logzoo.models.rbm import RBM
from logzoo.training.trainers import train_rbm

with job(snakemake.log[0]):
    params = snakemake.params
    model = snakemake.wildcards.model
    manifest = raw_manifest(snakemake.input.manifest)
    inputs = read_inputs(snakemake)
    data = visible_matrix(inputs["dataset"], "train")
    attributes = {"title": params.title, **stand_ins([inputs["dataset"]])}
    seed = ""
    reason = manifest.get("unavailable")
    if reason is None and "stand_in_for" in attributes:
        reason = f"its data set is replaced: {attributes['stand_in_reason']}"
    if reason is None:
        rbm = RBM.from_mat(Path(snakemake.input.manifest).parent / params.file)
        if (rbm.visible, rbm.hidden) != (data.shape[1], params.hidden):
            expected = f"{data.shape[1]} visible and {params.hidden} hidden units"
            raise ValueError(f"{params.file}: expected {expected}, found {rbm.visible} and {rbm.hidden}")
    else:
        logging.warning("%s: a model trained on %s replaces it: %s", model, inputs["dataset"].title, reason)
        settings = dict(params.train)
        options = settings.pop("options", {})
        seed = f"{params.seed}/{model}"
        rbm = train_rbm(data, seed=seed, checkpoint=checkpoint_of(snakemake), **settings, **options).rbm
        attributes |= {"stand_in_for": model, "stand_in_reason": reason}
    write_output(snakemake, rbm.to_dataset().assign_attrs(attributes), kind="model", seed_path=seed)
    discard_checkpoints(snakemake)
