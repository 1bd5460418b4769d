# Figures and tables: one rule each, from artifacts alone.
#
# inputs:  data/<scale>/
# outputs: figures/<scale>/<paper>/<figure>.png and .pdf; figures/<scale>/likelihoods.md
# steps:   rts_f1, rts_f3, zoo_rmse, likelihoods

TITLES = {model: entry["title"] for model, entry in config["models"].items()}
SHORT_TITLES = {model: entry["short"] for model, entry in config["models"].items()}
ESTIMATOR_NAMES = {name: entry["title"] for name, entry in config["estimators"].items()}
PUBLISHED = {model: entry["published"] for model, entry in config["models"].items() if "published" in entry}


rule rts_f1:
    input:
        iterations=f"{DATA}/figures/rts-f1.nc",
    output:
        png=figure_report("rts-f1"),
        pdf=f"{figure_file('rts-f1')}.pdf",
    log:
        f"logs/{config['scale']}/figures/rts-f1.log",
    conda:
        "../../environment.yml"
    params:
        shown=config["figures"]["rts-f1"]["shown"],
        source=source_digest("logzoo.figures.rts"),
    script:
        "../scripts/rts_f1.py"


rule rts_f3:
    input:
        estimates=expand(
            f"{DATA}/estimates/{{model}}/{{estimator}}.nc",
            model=config["figures"]["rts-f3"]["models"],
            estimator=config["figures"]["rts-f3"]["estimators"],
        ),
        truths=expand(f"{DATA}/truths/{{model}}.nc", model=config["figures"]["rts-f3"]["models"]),
    output:
        png=figure_report("rts-f3"),
        pdf=f"{figure_file('rts-f3')}.pdf",
    log:
        f"logs/{config['scale']}/figures/rts-f3.log",
    conda:
        "../../environment.yml"
    params:
        titles=SHORT_TITLES,
        names=ESTIMATOR_NAMES,
        published=PUBLISHED,
        source=source_digest("logzoo.figures.rts"),
    script:
        "../scripts/rts_f3.py"


rule zoo_rmse:
    input:
        zoo=f"{DATA}/zoo.nc",
    output:
        png=figure_report("zoo-rmse"),
        pdf=f"{figure_file('zoo-rmse')}.pdf",
    log:
        f"logs/{config['scale']}/figures/zoo-rmse.log",
    conda:
        "../../environment.yml"
    params:
        titles=SHORT_TITLES,
        names=ESTIMATOR_NAMES,
        source=source_digest("logzoo.figures.zoo"),
    script:
        "../scripts/zoo_rmse.py"


rule likelihoods:
    input:
        truths=expand(f"{DATA}/truths/{{model}}.nc", model=MATRIX["models"]),
    output:
        table=f"{FIGURES}/likelihoods.md",
    log:
        f"logs/{config['scale']}/figures/likelihoods.log",
    conda:
        "../../environment.yml"
    params:
        titles=TITLES,
        published=PUBLISHED,
        source=source_digest("logzoo.figures.zoo"),
    script:
        "../scripts/likelihoods.py"
