# What may be asked for by name, beside `all` and `claims`: everything of one paper, and what it all will cost.
#
# inputs:  figures/<scale>/<paper>/; data/<scale>/verdicts/; data/<scale>/zoo.nc; workflow/{rates,memory}.yaml
# outputs: none that is an artifact; measure_rates rewrites workflow/{rates,memory}.yaml
# steps:   one for each target of config/figures.yaml, cost, measure_rates


for paper, entry in config["papers"].items():

    rule:
        name:
            entry["target"]
        input:
            files_of_paper(paper),


rule cost:
    log:
        f"logs/{config['scale']}/cost.log",
    localrule: True
    run:
        print_costs()


# From a finished run of the same scale.
rule measure_rates:
    log:
        f"logs/{config['scale']}/measure_rates.log",
    localrule: True
    run:
        write_rates()
