# Figures and tables: one rule each, from artifacts alone.
#
# inputs:  data/<scale>/
# outputs: figures/<scale>/<paper>/<figure>.png and .pdf; figures/<scale>/likelihoods.md
# steps:   one for each figure, likelihoods


rule rts_f1:
    input:
        iterations=f"{DATA}/figures/rts-f1.nc",
        verdict=verdict_on("rts-f1"),
    output:
        png=figure_report("rts-f1"),
        pdf=f"{figure_file('rts-f1')}.pdf",
    log:
        f"logs/{config['scale']}/figures/rts-f1.log",
    conda:
        "../../environment.yml"
    resources:
        **needs("rts_f1"),
    params:
        shown=config["figures"]["rts-f1"]["shown"],
        source=source_digest("logzoo.figures.rts", "logzoo.figures.verdicts"),
    script:
        "../scripts/rts_f1.py"


rule rts_f2:
    input:
        mixture=f"{DATA}/figures/rts-f2.nc",
        verdict=verdict_on("rts-f2"),
    output:
        png=figure_report("rts-f2"),
        pdf=f"{figure_file('rts-f2')}.pdf",
    log:
        f"logs/{config['scale']}/figures/rts-f2.log",
    conda:
        "../../environment.yml"
    resources:
        **needs("rts_f2"),
    params:
        names=ESTIMATOR_NAMES,
        source=source_digest("logzoo.figures.mixture", "logzoo.figures.verdicts"),
    script:
        "../scripts/rts_f2.py"


rule rts_f3:
    input:
        estimates=expand(
            f"{DATA}/estimates/{{model}}/{{estimator}}.nc",
            model=f3_models(),
            estimator=config["figures"]["rts-f3"]["estimators"],
        ),
        truths=expand(f"{DATA}/truths/{{model}}.nc", model=f3_models()),
        verdict=verdict_on("rts-f3"),
    output:
        png=figure_report("rts-f3"),
        pdf=f"{figure_file('rts-f3')}.pdf",
    log:
        f"logs/{config['scale']}/figures/rts-f3.log",
    conda:
        "../../environment.yml"
    resources:
        **needs("rts_f3"),
    params:
        titles=SHORT_TITLES,
        names=ESTIMATOR_NAMES,
        published=PUBLISHED,
        source=source_digest("logzoo.figures.rts", "logzoo.figures.verdicts"),
    script:
        "../scripts/rts_f3.py"


rule rts_f3_seconds:
    input:
        estimates=expand(
            f"{DATA}/estimates/{{model}}/{{estimator}}.nc",
            model=f3_models(),
            estimator=config["figures"]["rts-f3"]["estimators"],
        ),
        truths=expand(f"{DATA}/truths/{{model}}.nc", model=f3_models()),
        timings=expand(f"{DATA}/timings/rts-f3.{{model}}.nc", model=f3_models()),
    output:
        png=figure_report("rts-f3-seconds"),
        pdf=f"{figure_file('rts-f3-seconds')}.pdf",
    log:
        f"logs/{config['scale']}/figures/rts-f3-seconds.log",
    conda:
        "../../environment.yml"
    resources:
        **needs("rts_f3_seconds"),
    params:
        titles=SHORT_TITLES,
        names=ESTIMATOR_NAMES,
        source=source_digest("logzoo.figures.rts"),
    script:
        "../scripts/rts_f3_seconds.py"


rule rts_f4:
    input:
        rungs=f"{DATA}/figures/rts-f4.nc",
        truth=f"{DATA}/truths/{model_of('rts-f4')}.nc",
        verdict=verdict_on("rts-f4"),
    output:
        png=figure_report("rts-f4"),
        pdf=f"{figure_file('rts-f4')}.pdf",
    log:
        f"logs/{config['scale']}/figures/rts-f4.log",
    conda:
        "../../environment.yml"
    resources:
        **needs("rts_f4"),
    params:
        title=SHORT_TITLES[model_of("rts-f4")],
        names=ESTIMATOR_NAMES,
        source=source_digest("logzoo.figures.rts_rungs", "logzoo.figures.verdicts"),
    script:
        "../scripts/rts_f4.py"


rule rts_f4_cost:
    input:
        timings=f"{DATA}/timings/rts-f4.nc",
        verdict=verdict_on("rts-f4-cost"),
    output:
        png=figure_report("rts-f4-cost"),
        pdf=f"{figure_file('rts-f4-cost')}.pdf",
    log:
        f"logs/{config['scale']}/figures/rts-f4-cost.log",
    conda:
        "../../environment.yml"
    resources:
        **needs("rts_f4_cost"),
    params:
        title=SHORT_TITLES[model_of("rts-f4")],
        source=source_digest("logzoo.figures.rts_rungs", "logzoo.figures.verdicts"),
    script:
        "../scripts/rts_f4_cost.py"


rule rts_f6:
    input:
        mixture=f"{DATA}/figures/rts-f6.nc",
        verdict=verdict_on("rts-f6"),
    output:
        png=figure_report("rts-f6"),
        pdf=f"{figure_file('rts-f6')}.pdf",
    log:
        f"logs/{config['scale']}/figures/rts-f6.log",
    conda:
        "../../environment.yml"
    resources:
        **needs("rts_f6"),
    params:
        source=source_digest("logzoo.figures.mixture", "logzoo.figures.verdicts"),
    script:
        "../scripts/rts_f6.py"


rule rts_f7:
    input:
        estimates=expand(f"{DATA}/estimates/{model_of('rts-f7')}/{{estimator}}.nc", estimator=f7_estimators()),
        truth=f"{DATA}/truths/{model_of('rts-f7')}.nc",
        verdict=verdict_on("rts-f7"),
    output:
        png=figure_report("rts-f7"),
        pdf=f"{figure_file('rts-f7')}.pdf",
    log:
        f"logs/{config['scale']}/figures/rts-f7.log",
    conda:
        "../../environment.yml"
    resources:
        **needs("rts_f7"),
    params:
        settings=config["figures"]["rts-f7"],
        title=SHORT_TITLES[model_of("rts-f7")],
        names=names_with_base(),
        source=source_digest("logzoo.figures.rts_base", "logzoo.figures.verdicts"),
    script:
        "../scripts/rts_f7.py"


rule rts_f8:
    input:
        stationary=expand(f"{DATA}/figures/rts-f8.{{model}}.nc", model=config["figures"]["rts-f8"]["models"]),
        truths=expand(f"{DATA}/truths/{{model}}.nc", model=config["figures"]["rts-f8"]["models"]),
        verdict=verdict_on("rts-f8"),
    output:
        png=figure_report("rts-f8"),
        pdf=f"{figure_file('rts-f8')}.pdf",
    log:
        f"logs/{config['scale']}/figures/rts-f8.log",
    conda:
        "../../environment.yml"
    resources:
        **needs("rts_f8"),
    params:
        titles=SHORT_TITLES,
        names=ESTIMATOR_NAMES,
        source=source_digest("logzoo.figures.rts_stationary", "logzoo.figures.verdicts"),
    script:
        "../scripts/rts_f8.py"


rule rts_f5:
    input:
        trace=f"{DATA}/models/{model_of('rts-f5')}.trace.nc",
        check=f"{DATA}/checks/{model_of('rts-f5')}.ais.nc",
        verdict=verdict_on("rts-f5"),
    output:
        png=figure_report("rts-f5"),
        pdf=f"{figure_file('rts-f5')}.pdf",
    log:
        f"logs/{config['scale']}/figures/rts-f5.log",
    conda:
        "../../environment.yml"
    resources:
        **needs("rts_f5"),
    params:
        title=SHORT_TITLES[model_of("rts-f5")],
        source=source_digest("logzoo.figures.tracking", "logzoo.figures.verdicts"),
    script:
        "../scripts/tracked_figure.py"


use rule rts_f5 as trk_f4a with:
    input:
        trace=f"{DATA}/models/{model_of('trk-f4a')}.trace.nc",
        check=f"{DATA}/checks/{model_of('trk-f4a')}.ais.nc",
        verdict=verdict_on("trk-f4a"),
    output:
        png=figure_report("trk-f4a"),
        pdf=f"{figure_file('trk-f4a')}.pdf",
    log:
        f"logs/{config['scale']}/figures/trk-f4a.log",
    params:
        title=SHORT_TITLES[model_of("trk-f4a")],
        source=source_digest("logzoo.figures.tracking", "logzoo.figures.verdicts"),


use rule rts_f5 as trk_f4b with:
    input:
        trace=f"{DATA}/models/{model_of('trk-f4b')}.trace.nc",
        check=f"{DATA}/checks/{model_of('trk-f4b')}.ais.nc",
        verdict=verdict_on("trk-f4b"),
    output:
        png=figure_report("trk-f4b"),
        pdf=f"{figure_file('trk-f4b')}.pdf",
    log:
        f"logs/{config['scale']}/figures/trk-f4b.log",
    params:
        title=SHORT_TITLES[model_of("trk-f4b")],
        source=source_digest("logzoo.figures.tracking", "logzoo.figures.verdicts"),


rule trk_f3:
    input:
        traces=expand(f"{DATA}/models/{{model}}.trace.nc", model=tracked_runs()),
        exact=expand(f"{DATA}/checks/{{model}}.exact.nc", model=tracked_runs()),
        ais=expand(f"{DATA}/checks/{{model}}.ais.nc", model=tracked_runs()),
        verdict=verdict_on("trk-f3"),
    output:
        png=figure_report("trk-f3"),
        pdf=f"{figure_file('trk-f3')}.pdf",
    log:
        f"logs/{config['scale']}/figures/trk-f3.log",
    conda:
        "../../environment.yml"
    resources:
        **needs("trk_f3"),
    params:
        panels={speed: config["figures"]["trk-f3"][speed] for speed in ("slow", "fast")},
        train={model: config["models"][model]["train"] for model in tracked_runs()},
        source=source_digest("logzoo.figures.tracking", "logzoo.figures.verdicts"),
    script:
        "../scripts/trk_f3.py"


rule trk_drawing:
    output:
        png=[figure_report(name) for name in ("trk-f1", "trk-f2")],
        pdf=[f"{figure_file(name)}.pdf" for name in ("trk-f1", "trk-f2")],
    log:
        f"logs/{config['scale']}/figures/trk-drawing.log",
    conda:
        "../../environment.yml"
    resources:
        **needs("trk_drawing"),
    params:
        source=source_digest("logzoo.figures.tracking_model"),
    script:
        "../scripts/trk_drawing.py"


rule likelihoods:
    input:
        truths=expand(f"{DATA}/truths/{{model}}.nc", model=MATRIX_MODELS),
    output:
        table=f"{FIGURES}/likelihoods.md",
    log:
        f"logs/{config['scale']}/figures/likelihoods.log",
    conda:
        "../../environment.yml"
    resources:
        **needs("likelihoods"),
    params:
        titles=TITLES,
        published=PUBLISHED,
        source=source_digest("logzoo.figures.zoo"),
    script:
        "../scripts/likelihoods.py"
