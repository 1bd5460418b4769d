"""Judge the claims that one figure shows."""

from replication.artifacts import stand_ins
from replication.jobs import flat, job, read_inputs, write_output
from replication.papers.declaration import claim_entries, declaration_of
from replication.reporting.verdicts import verdicts

from importlib import import_module

with job(snakemake.log[0]):
    params, artifacts = snakemake.params, read_inputs(snakemake)
    notice = stand_ins(flat(artifacts))
    declared = declaration_of(import_module(params.module), params.figure)
    # As the code declares them: what a job was given may have been edited.
    claims = {name: entry for name, entry in claim_entries(params.figure, declared).items() if name in params.claims}
    judged = verdicts(
        claims,
        {f"{params.figure}-{key}": statistic for key, statistic in declared.statistics(artifacts).items()},
        reason="stand-in data" if notice else None,
    )
    write_output(snakemake, judged.assign_attrs(notice), kind="verdict")
