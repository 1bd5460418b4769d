# RBMs: trained on a data set, or imported from a published file.
#
# inputs:  data/datasets/<dataset>.nc; data/raw/<source>/ for an imported model
# outputs: data/<scale>/models/<model>.nc; <model>.trace.nc for a trained one
# steps:   train_model, import_model


rule train_model:
    input:
        unpack(start_of),
        dataset=dataset_of,
    output:
        model=f"{DATA}/models/{{model}}.nc",
        trace=f"{DATA}/models/{{model}}.trace.nc",
    log:
        f"logs/{config['scale']}/models/{{model}}.log",
    wildcard_constraints:
        model=one_of_names(trained_models() - models_with_snapshots()),
    priority: ZOO_FIRST
    conda:
        "../../environment.yml"
    resources:
        **needs("train_model"),
    params:
        title=lambda wildcards: model_entry(wildcards)["title"],
        train=lambda wildcards: model_entry(wildcards)["train"],
        validate=lambda wildcards: model_entry(wildcards).get("validate", False),
        seed=config["seed"],
        source=lambda wildcards: source_digest(
            trainer_module(model_entry(wildcards)["train"]["method"]), "logzoo.trackers.registry"
        ),
    script:
        "../scripts/train_model.py"


rule import_model:
    input:
        manifest=lambda wildcards: f"data/raw/{model_entry(wildcards)['import']['source']}/manifest.json",
        dataset=dataset_of,
    output:
        model=f"{DATA}/models/{{model}}.nc",
    log:
        f"logs/{config['scale']}/models/{{model}}.log",
    wildcard_constraints:
        model=one_of_names(set(config["models"]) - trained_models()),
    conda:
        "../../environment.yml"
    resources:
        **needs("import_model"),
    params:
        title=lambda wildcards: model_entry(wildcards)["title"],
        file=lambda wildcards: model_entry(wildcards)["import"]["file"],
        train=lambda wildcards: model_entry(wildcards)["train"],
        seed=config["seed"],
        source=lambda wildcards: source_digest(
            trainer_module(model_entry(wildcards)["train"]["method"]), "logzoo.models.rbm"
        ),
    script:
        "../scripts/import_model.py"
