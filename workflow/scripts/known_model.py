"""Make one RBM of a family whose log Z is known."""

from replication.jobs import job, write_output

from logzoo.models.known.families import known
from logzoo.streams import root_stream

with job(snakemake.log[0]):
    settings = snakemake.params.known
    family, seed = settings["family"], settings["seed"]
    rbm, log_z, source = known(family, seed, **settings["options"])
    dataset = rbm.to_dataset().assign_attrs(title=snakemake.params.title, known_log_z=log_z, known_from=source)
    write_output(snakemake, dataset, kind="model", seed_path=root_stream(seed).child("known", family))
