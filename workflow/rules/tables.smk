# Tables of log-likelihoods, as artifacts and to read.
#
# inputs:  data/<scale>/best/; data/<scale>/truths/; data/<scale>/models/<model>.trace.nc
# outputs: data/<scale>/tables/<table>.nc; figures/<scale>/<paper>/<table>.{md,html,csv}
# steps:   likelihood_rows, write_table


rule likelihood_rows:
    input:
        rows_of,
    output:
        rows=f"{DATA}/tables/{{table}}.nc",
    log:
        f"logs/{config['scale']}/tables/{{table}}.rows.log",
    conda:
        "../../environment.yml"
    params:
        grid=lambda wildcards: config["tables"][wildcards.table].get("grid"),
        title=lambda wildcards: config["tables"][wildcards.table]["title"],
        titles=TITLES,
        source=source_digest("logzoo.figures.tables"),
    script:
        "../scripts/likelihood_rows.py"


rule write_table:
    input:
        rows=f"{DATA}/tables/{{table}}.nc",
    output:
        md=f"{FIGURES}/{{paper}}/{{table}}.md",
        html=report(
            f"{FIGURES}/{{paper}}/{{table}}.html",
            caption="../report/tables.rst",
            category="{paper}",
            labels={"figure": "{table}", "title": "table of log-likelihoods", "scale": config["scale"]},
        ),
        csv=f"{FIGURES}/{{paper}}/{{table}}.csv",
    log:
        f"logs/{config['scale']}/tables/{{paper}}.{{table}}.log",
    conda:
        "../../environment.yml"
    params:
        source=source_digest("logzoo.figures.tables"),
    script:
        "../scripts/write_table.py"
