"""Judge the claims that one figure shows."""

from replication.artifacts import stand_ins
from replication.jobs import flat, job, read_inputs, write_output
from replication.papers.declaration import claim_entries
from replication.reporting.verdicts import verdicts

from importlib import import_module

with job(snakemake.log[0]):
    params, artifacts = snakemake.params, read_inputs(snakemake)
    notice = stand_ins(flat(artifacts))
    module = import_module(params.module)
    # As the code declares them: what a job was given may have been edited.
    claims = {name: entry for name, entry in claim_entries(params.figure, module).items() if name in params.claims}
    judged = verdicts(
        claims,
        {f"{params.figure}-{key}": statistic for key, statistic in module.statistics(artifacts).items()},
        reason="stand-in data" if notice else None,
    )
    write_output(snakemake, judged.assign_attrs(notice), kind="verdict")
