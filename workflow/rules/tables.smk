# Tables of log-likelihoods, as artifacts and to read.
#
# inputs:  data/<scale>/{best,trainings,truths}/; data/<scale>/models/<model>.trace.nc
# outputs: data/<scale>/tables/<table>.nc; figures/<scale>/<paper>/<table>.{md,html,csv}
# steps:   likelihood_rows, write_table


rule likelihood_rows:
    input:
        rows_of,
    output:
        rows=f"{DATA}/tables/{{table}}.nc",
    log:
        f"logs/{config['scale']}/tables/{{table}}.rows.log",
    wildcard_constraints:
        table=one_of_names(likelihood_tables()),
    conda:
        "../../environment.yml"
    resources:
        **needs("likelihood_rows"),
    params:
        grid=lambda wildcards: config["tables"][wildcards.table].get("grid"),
        title=table_title,
        titles=lambda wildcards: {model: TITLES[model] for model in tabled_models(wildcards.table)},
        trainers=table_trainers,
        source=source_digest("logzoo.figures.tables"),
    script:
        "../scripts/likelihood_rows.py"


for name in config["tables"]:

    rule:
        name:
            f"write_table_{name.replace('-', '_')}"
        input:
            rows=f"{DATA}/tables/{name}.nc",
        output:
            md=f"{table_file(name)}.md",
            html=table_report(name),
            csv=f"{table_file(name)}.csv",
        log:
            f"logs/{config['scale']}/tables/{name}.log",
        conda:
            "../../environment.yml"
        resources:
            **needs(f"write_table_{name.replace('-', '_')}"),
        params:
            source=source_digest("logzoo.figures.tables"),
        script:
            "../scripts/write_table.py"
