# What may be asked for by name, beside `all` and `claims`: everything of one paper.
#
# inputs:  figures/<scale>/<paper>/; data/<scale>/verdicts/; data/<scale>/zoo.nc
# outputs: none
# steps:   one for each target of config/figures.yaml


for paper, entry in config["papers"].items():

    rule:
        name:
            entry["target"]
        input:
            files_of_paper(paper),
