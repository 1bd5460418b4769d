"""Find log Z at the snapshots of one training."""

from logzoo.datasets.build import visible_matrix
from logzoo.datasets.splits import SPLITS
from logzoo.experiments.snapshots import check_snapshots
from logzoo.jobs import job, read_inputs, stand_in_notice, write_output
from logzoo.paths import log_odds
from logzoo.streams import root_stream

with job(snakemake.log[0]):
    settings = dict(snakemake.params.settings)
    inputs = read_inputs(**dict(snakemake.input.items()))
    data = {split: visible_matrix(inputs["dataset"], split) for split in SPLITS}
    base = log_odds(data["train"])
    monitored = int(inputs["trace"].attrs.get("monitored", 2000))
    data |= {split: data[split][:monitored] for split in ("train", "validation")}
    stream = root_stream(settings.pop("seed")).child("checks", *snakemake.wildcards)
    names = inputs["snapshots"], inputs["trace"], data, snakemake.wildcards.check
    found = check_snapshots(*names, base=base, stream=stream, **settings)
    notice = stand_in_notice(inputs["snapshots"])
    write_output(
        snakemake,
        found.assign_attrs(title=inputs["snapshots"].attrs["title"], **notice),
        kind="check",
        seed_path=stream,
    )
