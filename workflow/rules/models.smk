# RBMs: trained on a data set, imported from a published file, or of a family whose log Z is known.
#
# inputs:  data/datasets/<dataset>.nc; data/raw/<source>/ for an imported model; the model named by `start`
# outputs: data/<scale>/models/<model>.nc; <model>.trace.nc of trained models; <model>.snapshots.nc if these are stored
# steps:   train_model, train_with_snapshots, import_model, known_model


rule train_model:
    input:
        unpack(start_of),
        dataset=dataset_of,
    output:
        model=f"{DATA}/models/{{model}}.nc",
        trace=f"{DATA}/models/{{model}}.trace.nc",
    log:
        f"{LOGS}/models/{{model}}.log",
    wildcard_constraints:
        model=one_of_names(models.models_from(config, "train") - models.with_snapshots(config)),
    priority: ZOO_FIRST
    conda:
        "../../environment.yml"
    resources:
        mem_mb=rising(1500),
        runtime=rising(720),
    params:
        title=lambda wildcards: config["models"][wildcards.model]["title"],
        train=lambda wildcards: config["models"][wildcards.model]["train"],
        validate=lambda wildcards: config["models"][wildcards.model].get("validate", False),
        seed=config["seed"],
        source=trainer_source("train_model", "logzoo.training.trackers"),
    script:
        "../scripts/train_model.py"


use rule train_model as train_with_snapshots with:
    output:
        model=f"{DATA}/models/{{model}}.nc",
        trace=f"{DATA}/models/{{model}}.trace.nc",
        snapshots=f"{DATA}/models/{{model}}.snapshots.nc",
    wildcard_constraints:
        model=one_of_names(models.with_snapshots(config)),


rule import_model:
    input:
        manifest=lambda wildcards: f"data/raw/{config['models'][wildcards.model]['import']['source']}/manifest.json",
        dataset=dataset_of,
    output:
        model=f"{DATA}/models/{{model}}.nc",
    log:
        f"{LOGS}/models/{{model}}.log",
    wildcard_constraints:
        model=one_of_names(models.models_from(config, "import")),
    conda:
        "../../environment.yml"
    resources:
        mem_mb=rising(1500),
        runtime=rising(120),
    params:
        title=lambda wildcards: config["models"][wildcards.model]["title"],
        file=lambda wildcards: config["models"][wildcards.model]["import"]["file"],
        hidden=lambda wildcards: config["models"][wildcards.model]["import"]["hidden"],
        train=lambda wildcards: config["models"][wildcards.model]["train"],
        seed=config["seed"],
        source=trainer_source("import_model"),
    script:
        "../scripts/import_model.py"


rule known_model:
    output:
        model=f"{DATA}/models/{{model}}.nc",
    log:
        f"{LOGS}/models/{{model}}.log",
    wildcard_constraints:
        model=one_of_names(models.models_from(config, "known")),
    conda:
        "../../environment.yml"
    resources:
        mem_mb=rising(1500),
        runtime=rising(15),
    params:
        title=lambda wildcards: config["models"][wildcards.model]["title"],
        known=lambda wildcards: models.known_settings(config, wildcards.model),
        source=lambda wildcards: script_source("known_model", models.family_of(config, wildcards.model)),
    script:
        "../scripts/known_model.py"
