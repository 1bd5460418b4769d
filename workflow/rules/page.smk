# All figures, tables and verdicts on one page that needs nothing beside itself.
#
# inputs:  data/<scale>/; figures/<scale>/; workflow/report/; workflow/templates/
# outputs: figures/<scale>/index.html
# steps:   page


rule page:
    input:
        scorecard=f"{DATA}/scorecard.nc",
        files=shown_files(),
        drawn=shown_artifacts,
        truths=TRUTHS,
        captions=[*expand("workflow/report/{figure}.rst", figure=config["figures"]), "workflow/report/tables.rst"],
        templates=TEMPLATES,
    output:
        page=f"{FIGURES}/index.html",
    log:
        f"logs/{config['scale']}/figures/page.log",
    conda:
        "../../environment.yml"
    resources:
        **needs("page"),
    params:
        papers=config["papers"],
        scale=config["scale"],
        shown=lambda wildcards: shown(),
        likelihoods=likelihoods_place(),
        titles=TITLES,
        published=PUBLISHED,
        source=source_digest("logzoo.figures.exhibits"),
    script:
        "../scripts/page.py"
