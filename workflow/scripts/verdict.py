"""Judge the claims that one figure shows."""

from importlib import import_module

from logzoo.pipeline.jobs import flat, job, read_inputs, write_output
from logzoo.reporting.stand_ins import stand_ins
from logzoo.reporting.verdicts import verdicts

with job(snakemake.log[0]):
    params, artifacts = snakemake.params, read_inputs(snakemake)
    notice = stand_ins(flat(artifacts))
    statistics = import_module(params.module).statistics(artifacts)
    judged = verdicts(
        params.claims,
        {f"{params.figure}-{key}": statistic for key, statistic in statistics.items()},
        reason="stand-in data" if notice else None,
    )
    write_output(snakemake, judged.assign_attrs(notice), kind="verdict")
