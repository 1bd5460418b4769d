"""Compute the verdicts on the claims of one figure or table."""

from replication.artifacts import stand_ins
from replication.jobs import flat, job, read_inputs, write_output
from replication.papers.declaration import by_id, declaration_of
from replication.reporting.verdicts import verdicts

from importlib import import_module

with job(snakemake.log[0]):
    params, artifacts = snakemake.params, read_inputs(snakemake)
    notice = stand_ins(flat(artifacts))
    declared = declaration_of(import_module(params.module), params.figure)
    statistics = by_id(params.figure, declared.statistics(artifacts))
    judged = verdicts(params.claims, statistics, reason="stand-in data" if notice else None)
    write_output(snakemake, judged.assign_attrs(notice | {"protocol": params.protocol}), kind="verdict")
