# Figures and tables. Their declarations draw them from artifacts alone.
#
# inputs:  data/<scale>/
# outputs: figures/<scale>/<paper>/<figure>.png and, if `pdf` is set, .pdf; <table>.html, .md and .csv
# steps:   draw, write_table

PICTURES = {
    "png": report(
        f"{FIGURES}/{{paper}}/{{shown}}.png", caption="../report/shown.rst", category="{paper}", labels=in_report
    )
}
if config["pdf"]:
    PICTURES["pdf"] = f"{FIGURES}/{{paper}}/{{shown}}.pdf"


rule draw:
    input:
        unpack(lambda wildcards: named_paths(CATALOGUE.shown[wildcards.shown].inputs)),
    output:
        **PICTURES,
    log:
        f"{LOGS}/figures/{{paper}}/{{shown}}.log",
    wildcard_constraints:
        shown=one_of_names(name for name, shown in CATALOGUE.shown.items() if not shown.is_table),
    conda:
        "../../environment.yml"
    resources:
        mem_mb=rising(1000),
        runtime=rising(15),
    params:
        settings=lambda wildcards: CATALOGUE.shown[wildcards.shown].settings,
        module=lambda wildcards: CATALOGUE.shown[wildcards.shown].module.__name__,
        caption=lambda wildcards: CATALOGUE.shown[wildcards.shown].caption,
        source=lambda wildcards: script_source("draw", CATALOGUE.shown[wildcards.shown].module.__name__),
    script:
        "../scripts/draw.py"


rule write_table:
    input:
        rows=f"{DATA}/tables/{{shown}}.nc",
    output:
        html=report(
            f"{FIGURES}/{{paper}}/{{shown}}.html", caption="../report/shown.rst", category="{paper}", labels=in_report
        ),
        md=f"{FIGURES}/{{paper}}/{{shown}}.md",
        csv=f"{FIGURES}/{{paper}}/{{shown}}.csv",
    log:
        f"{LOGS}/figures/{{paper}}/{{shown}}.log",
    wildcard_constraints:
        shown=one_of_names(name for name, shown in CATALOGUE.shown.items() if shown.is_table),
    conda:
        "../../environment.yml"
    resources:
        mem_mb=rising(1000),
        runtime=rising(15),
    params:
        caption=lambda wildcards: CATALOGUE.shown[wildcards.shown].caption,
        source=script_source("write_table"),
    script:
        "../scripts/write_table.py"
