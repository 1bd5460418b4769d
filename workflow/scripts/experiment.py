"""Run one experiment. If it writes checkpoints, it continues from them after an interruption."""

from replication.artifacts import stand_ins
from replication.jobs import checkpoint_of, discard_checkpoints, flat, job, read_inputs, write_output

from functools import partial
from pkgutil import resolve_name

from logzoo.streams import root_stream

with job(snakemake.log[0]):
    params = snakemake.params
    inputs, settings = read_inputs(snakemake), dict(params.settings)
    stream = root_stream(params.seed).child(*params.stream) if params.stream else ""
    if params.stream:
        settings["stream"] = stream
    if params.checkpoints:
        settings["checkpoint"] = partial(checkpoint_of, snakemake)
    result = resolve_name(params.run)(inputs, **settings)
    attributes = {**params.attributes, **stand_ins(flat(inputs)), **result.attrs}
    write_output(snakemake, result.assign_attrs(attributes), kind=params.kind, seed_path=stream)
    discard_checkpoints(snakemake)
