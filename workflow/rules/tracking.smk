# Log Z followed while training: what it really was, and the best model of each grid.
#
# inputs:  data/<scale>/models/; data/datasets/<dataset>.nc
# outputs: data/<scale>/models/<model>.{nc,trace.nc,snapshots.nc}; data/<scale>/checks/<model>.<check>.nc;
#          data/<scale>/best/<grid>.<dataset>.nc
# steps:   train_with_snapshots, check_snapshots, best_model


use rule train_model as train_with_snapshots with:
    output:
        model=f"{DATA}/models/{{model}}.nc",
        trace=f"{DATA}/models/{{model}}.trace.nc",
        snapshots=f"{DATA}/models/{{model}}.snapshots.nc",
    wildcard_constraints:
        model=one_of_names(models_with_snapshots()),


rule check_snapshots:
    input:
        snapshots=f"{DATA}/models/{{model}}.snapshots.nc",
        trace=f"{DATA}/models/{{model}}.trace.nc",
        dataset=dataset_of,
    output:
        check=f"{DATA}/checks/{{model}}.{{check}}.nc",
    log:
        f"logs/{config['scale']}/checks/{{model}}.{{check}}.log",
    wildcard_constraints:
        check="exact|ais",
    conda:
        "../../environment.yml"
    resources:
        **needs("check_snapshots"),
    params:
        settings={**config["checks"]["ais"], "seed": config["seed"]},
        source=source_digest("logzoo.experiments.snapshots"),
    script:
        "../scripts/check_snapshots.py"


rule best_model:
    input:
        unpack(grid_files),
        dataset="data/datasets/{dataset}.nc",
    output:
        best=f"{DATA}/best/{{grid}}.{{dataset}}.nc",
    log:
        f"logs/{config['scale']}/best/{{grid}}.{{dataset}}.log",
    wildcard_constraints:
        grid=one_of_names(config["grids"]),
    conda:
        "../../environment.yml"
    resources:
        **needs("best_model"),
    params:
        settings={**config["checks"]["ais"], "seed": config["seed"]},
        published=lambda wildcards: config["grids"][wildcards.grid]["datasets"][wildcards.dataset]["published"],
        source=source_digest("logzoo.experiments.best"),
    script:
        "../scripts/best_model.py"
