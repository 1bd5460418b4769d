"""The statistics behind the claims, by the figure that shows them: one function of the figure's artifacts each."""

from logzoo.claims import las_vegas, rts, swapping, tracking

CLAIMS = {
    "rts-f1": rts.figure_1,
    "rts-f2": rts.figure_2,
    "rts-f3": rts.figure_3,
    "rts-f4": rts.figure_4,
    "rts-f4-cost": rts.cost_of_mbar,
    "rts-f5": tracking.rts_figure_5,
    "rts-f6": rts.figure_6,
    "rts-f7": rts.figure_7,
    "rts-f8": rts.figure_8,
    "trk-f3": tracking.figure_3,
    "trk-f4a": tracking.figure_4a,
    "trk-f4b": tracking.figure_4b,
    "trk-t1": tracking.table_1,
    "trk-text": tracking.text,
    "ins-f2": swapping.distances("ins-f2"),
    "ins-f3": swapping.trainings("ins-f3"),
    "ins-f4": swapping.distances("ins-f4"),
    "ins-f5": swapping.trainings("ins-f5"),
    "ins-f6": swapping.figure_6,
    "lv-f2a": las_vegas.figure_2a,
    "lv-f2b": las_vegas.figure_2b,
    "lv-f2c": las_vegas.figure_2c,
    "lv-f3": las_vegas.figure_3,
    "lv-f4": las_vegas.figure_4,
    "lv-t1": las_vegas.table("lv-t1"),
    "lv-t2": las_vegas.table("lv-t2"),
}


def claims_module(figure):
    """Name of the module that holds the statistics of a figure's claims."""
    return CLAIMS[figure].__module__
