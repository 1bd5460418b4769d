# Raw files come from the first source whose checksum matches. Data sets are NetCDF files of one schema.
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
        mem_mb=rising(1000),
        runtime=rising(30),
    params:
        files=lambda wildcards: config["sources"][wildcards.source]["files"],
        source=script_source("fetch"),
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
        mem_mb=rising(1500),
        runtime=rising(15),
    params:
        entries=lambda wildcards: entries_of(wildcards.dataset),
        source=lambda wildcards: script_source("build_dataset", *models.drawn_by(config, wildcards.dataset)),
    script:
        "../scripts/build_dataset.py"
