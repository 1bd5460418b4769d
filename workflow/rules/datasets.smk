# Raw files from the first source that verifies, and data sets in one NetCDF form.
#
# inputs:  config/datasets.yaml
# outputs: data/raw/<source>/ with manifest.json; data/datasets/<dataset>.nc
# steps:   fetch, build_dataset


rule fetch:
    output:
        manifest="data/raw/{source}/manifest.json",
    log:
        "logs/fetch/{source}.log",
    conda:
        "../../environment.yml"
    resources:
        **needs("fetch"),
    params:
        files=lambda wildcards: config["sources"][wildcards.source]["files"],
        missing_data=config["missing_data"],
        source=source_digest("logzoo.datasets.sources"),
    script:
        "../scripts/fetch.py"


rule build_dataset:
    input:
        manifest=lambda wildcards: f"data/raw/{config['datasets'][wildcards.dataset]['source']}/manifest.json",
    output:
        dataset="data/datasets/{dataset}.nc",
    log:
        "logs/datasets/{dataset}.log",
    conda:
        "../../environment.yml"
    resources:
        **needs("build_dataset"),
    params:
        entry=lambda wildcards: config["datasets"][wildcards.dataset],
        origin=lambda wildcards: config["sources"][config["datasets"][wildcards.dataset]["source"]],
        digits=lambda wildcards: config["datasets"][digits_for(wildcards.dataset)],
        digits_origin=config["sources"]["digits"],
        source=source_digest("logzoo.datasets.build"),
    script:
        "../scripts/build_dataset.py"
