# The scorecard as text and as a page, a self-contained page of all figures, tables and verdicts, and an interactive page
# of the zoo.
#
# inputs:  data/<scale>/; figures/<scale>/; workflow/templates/
# outputs: figures/<scale>/scorecard.{md,html,csv}; figures/<scale>/index.html; figures/<scale>/zoo.html
# steps:   write_scorecard, page, zoo_page, claims


rule write_scorecard:
    input:
        scorecard=f"{DATA}/scorecard.nc",
        templates=TEMPLATES,
    output:
        md=f"{FIGURES}/scorecard.md",
        html=f"{FIGURES}/scorecard.html",
        csv=f"{FIGURES}/scorecard.csv",
    log:
        f"{LOGS}/figures/scorecard.log",
    conda:
        "../../environment.yml"
    resources:
        mem_mb=rising(1000),
        runtime=rising(15),
    params:
        scale=SCALE,
        folder=lambda wildcards, output: str(Path(output[0]).parent),
        source=script_source("write_scorecard", files=TEMPLATES),
    script:
        "../scripts/write_scorecard.py"


rule page:
    input:
        scorecard=f"{DATA}/scorecard.nc",
        zoo=f"{DATA}/zoo.nc",
        files=[*CATALOGUE.files, *SCORECARD],
        artifacts=sorted({path for exhibit in CATALOGUE.exhibits.values() for path in exhibit["artifacts"]}),
        # `ancient`: the page only links to this file, so its age does not matter.
        companion=ancient(f"{FIGURES}/zoo.html"),
        templates=TEMPLATES,
    output:
        page=f"{FIGURES}/index.html",
    log:
        f"{LOGS}/figures/page.log",
    conda:
        "../../environment.yml"
    resources:
        mem_mb=rising(1000),
        runtime=rising(15),
    params:
        papers=config["papers"],
        scale=SCALE,
        folder=lambda wildcards, output: str(Path(output[0]).parent),
        shown=CATALOGUE.exhibits,
        names=ZOO.settings["names"],
        arenas=arenas_of(config),
        published=published_verdicts(),
        source=script_source("page", files=TEMPLATES),
    script:
        "../scripts/page.py"


rule zoo_page:
    input:
        unpack(lambda wildcards: named_paths(ZOO.inputs)),
        # `ancient`: the page only links to this file, so its age does not matter.
        files=ancient(list(ZOO_FIGURES.values())),
        templates=TEMPLATES,
    output:
        page=f"{FIGURES}/zoo.html",
    log:
        f"{LOGS}/figures/zoo_page.log",
    conda:
        "../../environment.yml"
    resources:
        mem_mb=rising(1000),
        runtime=rising(15),
    params:
        names=ZOO.settings["names"],
        pages=pages_of_estimators({name: config["estimators"][name] for name in config["matrix"]["estimators"]}, ROOT),
        figures=ZOO_FIGURES,
        places=named_paths(ZOO.inputs),
        scale=SCALE,
        folder=lambda wildcards, output: str(Path(output[0]).parent),
        source=script_source("zoo_page", files=TEMPLATES),
    script:
        "../scripts/zoo_page.py"


# The rule has no outputs, so it always runs. `onsuccess` then prints the tables.
rule claims:
    input:
        table=f"{FIGURES}/scorecard.md",
    log:
        f"{LOGS}/claims.log",
    localrule: True
    conda:
        "../../environment.yml"
    shell:
        "true 2> {log}"
