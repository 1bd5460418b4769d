"""Train one RBM of a grid in full where its race lets it go on; otherwise copy the result of its trial."""

from replication.jobs import discard_checkpoints, job, write_output
from replication.papers.tracking.trk_races import goes_on

from pathlib import Path
from runpy import run_path

from logzoo.io.netcdf import read_artifact

with job(snakemake.log[0]):
    params, inputs, model = snakemake.params, snakemake.input, snakemake.wildcards.model
    in_full = goes_on(read_artifact(inputs.race), model)
    if not in_full:
        seed = f"{params.seed}/{model}"
        for number, kind in enumerate(snakemake.output.keys()):
            result = read_artifact(inputs[f"trial_{kind}"], kind).assign_attrs(title=params.title, rejected=1)
            write_output(snakemake, result, kind=kind, number=number, seed_path=seed)
        discard_checkpoints(snakemake)
if in_full:
    # The same script, so the same bits, as without a race.
    run_path(str(Path(__file__).with_name("train_model.py")), init_globals={"snakemake": snakemake})
