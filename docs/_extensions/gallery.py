"""The directive `gallery`: the declaration of every figure and table, with its picture or rows from a finished run."""

import csv
from pathlib import Path

from docutils import nodes
from prose import inline, paragraph, section
from repository import from_root
from sphinx import addnodes
from sphinx.util.docutils import SphinxDirective

from replication.claim import BOUNDS
from replication.project import catalogue_of
from replication.reporting.verdicts import bound_of, number_of

# Folders of finished runs below the root. The first folder with the file of a figure or table is used.
RUNS = ("results/decisive/figures", "figures/quick", "results/quick/figures")
# This file is next to the folders of the papers.
_VERDICTS = "scorecard.csv"


def setup(app):
    app.add_directive("gallery", Gallery)
    return {"parallel_read_safe": True}


def made(shown, root):
    """The file of a figure or table in a finished run, or None."""
    name = f"{shown.paper}/{shown.name}{'.md' if shown.is_table else '.png'}"
    return next((path for run in RUNS for path in sorted(Path(root, run).rglob(name))), None)


def verdicts_beside(path):
    """{claim: row of the scorecard} of the run that made a file of a figure or table."""
    card = path.parent.parent / _VERDICTS
    if not card.is_file():
        return {}
    with card.open(newline="") as lines:
        return {row["id"]: row for row in csv.DictReader(lines)}


def said_of(claim, row):
    """Sentences on the published statement, its test and its verdict; row: of the scorecard, or None."""
    limits = claim.bounds if row is None else {name: row[name] for name in BOUNDS if row[name]}
    bounds = bound_of(dict.fromkeys(BOUNDS, "nan") | limits)
    said = [f"Published: {claim.published}."]
    if claim.not_tested:
        return [*said, f"Not tested: {claim.not_tested.rstrip('.')}."]
    if row is None:
        said.append(f"Holds if its statistic is {bounds}." if limits else "The paper states no bound.")
        return [*said, f"Where it is not reproduced: {claim.why}"] if claim.why else said
    if row["claim"] != claim.text:
        said.append(f"The run tested an earlier form of the claim: {row['claim']}.")
    numbers = {name: float(row[name] or "nan") for name in ("value", "low", "high")}
    claimed = f", claimed {bounds}" if limits else ""
    said.append(f"{row['verdict'].capitalize()}: {row['statistic']}, {number_of(numbers)}{claimed}.")
    reason = row["reason"].rstrip(".")
    return [*said, f"{reason[0].upper()}{reason[1:]}."] if reason else said


class Gallery(SphinxDirective):
    """A section of each paper, with a section of each figure and table."""

    def run(self):
        self._folder = Path(self.env.srcdir)
        self._root = self._folder.parent
        self._catalogue = catalogue_of(folder=self._root)
        for path in (*self._root.glob("config/**/*.yaml"), *self._root.glob("src/replication/papers/**/*.py")):
            self.env.note_dependency(str(path))
        return [self._paper(name, entry) for name, entry in self._catalogue.config["papers"].items()]

    def _paper(self, name, entry):
        of_paper = [one for one in self._catalogue.shown.values() if one.paper == name]
        content = [paragraph(entry["source"]), self._thumbnails(of_paper), *map(self._shown, of_paper)]
        return section(self.state.document, entry["title"], *content, name=name)

    def _thumbnails(self, of_paper):
        """Small pictures that lead to the sections below."""
        thumbnails = nodes.container(classes=["thumbnails"])
        for one in of_paper:
            path = made(one, self._root)
            if path and not one.is_table:
                link = nodes.reference("", "", refid=one.name, internal=True)
                link += nodes.image("", uri=from_root(path, self._folder), alt=one.title)
                thumbnails += nodes.paragraph("", "", link)
        return thumbnails

    def _shown(self, one):
        path = made(one, self._root)
        rows = verdicts_beside(path) if path else {}
        content = [*self._picture(one, path), *map(paragraph, one.caption.split("\n\n"))]
        if one.claims:
            claims = (_claim(name, claim, rows.get(name)) for name, claim in one.claims.items())
            content.append(nodes.bullet_list("", *claims))
        code = Path(one.module.__file__).resolve()
        link = addnodes.download_reference("", "", refdoc=self.env.docname, reftarget=from_root(code, self._folder))
        link += nodes.literal("", code.relative_to(self._root).as_posix())
        content.append(paragraph(f"`{one.name}`, declared in", nodes.Text(" "), link))
        return section(self.state.document, one.title, *content, name=one.name)

    def _picture(self, one, path):
        """A picture that links to its file, or the rows of a table; before a run, the command that makes the file."""
        if path is None:
            first = self._catalogue.files_of(one)[0]
            return [paragraph(f"Not made in this checkout yet: `snakemake --cores 2 {first}`")]
        self.env.note_dependency(str(path))
        if one.is_table:
            # The first line is the title.
            return self.parse_text_to_nodes(path.read_text().partition("\n")[2])
        # The class makes it a thumbnail. With a width, Sphinx links the picture to the file, which has full size.
        return [nodes.image("", uri=from_root(path, self._folder), alt=one.title, width="18em", classes=["thumbnail"])]


def _claim(name, claim, row):
    said = inline(f"(`{name}`). {' '.join(said_of(claim, row))}")
    return nodes.list_item(
        "", nodes.paragraph("", "", nodes.strong("", "", *inline(claim.text)), nodes.Text(" "), *said)
    )
