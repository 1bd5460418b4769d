"""Write the page of all figures, tables and verdicts."""

from pathlib import Path

from logzoo.artifacts.netcdf import read_artifact, read_provenance
from logzoo.figures.exhibits import figure_exhibit, likelihoods_exhibit, table_exhibit
from logzoo.figures.page import page
from logzoo.jobs import job, read_named, write_stamped

with job(snakemake.log[0]):
    given, params = snakemake.input, snakemake.params
    records = {path: read_provenance(path) for path in [*given.drawn, *given.truths]}
    captions = {Path(path).stem: Path(path).read_text() for path in given.captions}
    exhibits = {
        name: figure_exhibit(place, captions[name], records)
        if name in captions
        else table_exhibit(place, captions["tables"], records)
        for name, place in params.shown.items()
    }
    exhibits["likelihoods"] = likelihoods_exhibit(
        read_named(given.truths), params.titles, params.published, params.likelihoods, records
    )
    text = page(
        read_artifact(given.scorecard, "scorecard"),
        exhibits,
        papers=params.papers,
        scale=params.scale,
        folder=Path(snakemake.output.page).parent,
        templates=Path(given.templates[0]).parent,
    )
    write_stamped(snakemake, text)
