"""Tours between visits to a stopping set: figures 1 to 3 of Savarese et al. (2018).

Tours are Datasets of `experiments.tours.tour_lengths`, by model; titles: of the models.
"""

from math import isqrt

import numpy as np

from logzoo.figures.style import label_panels, mark_stand_in, new_figure

# Light to dark as hidden units, or the stopping set, grow.
_COLOURS = ("#E69F00", "#009E73", "#56B4E9", "#0072B2", "#332288", "#CC79A7")
_LINES = {"draws": "-", "means": "--"}
_VISIBLE = {"draws": "visible units drawn", "means": "their means, as published"}
_TOUR_COLOURS = ("#0072B2", "#E69F00", "#009E73", "#CC79A7", "#56B4E9", "#332288")
_UNFINISHED = "#999999"
_PUBLISHED = {1: "short", 6: "short", 4: "long", 8: "long"}
_NAMES = {"short": "tours of one sweep", "long": "the longest tours"}


def figure_1(chains):
    """Chains of `experiments.tours.broken_chains`, broken into tours wherever the first hidden state is drawn again."""
    count, sweeps = chains.sizes["chain"], chains.sizes["sweep"]
    figure = new_figure(0.62 * (sweeps + 1) + 0.6, 0.9 * count + 0.9)
    axes = figure.subplots(count, sweeps + 1, squeeze=False)
    for row, chain in zip(axes, range(count), strict=True):
        one = chains.isel(chain=chain)
        _draw_image(row[0], one["start"].values, "black")
        row[0].set_ylabel(f"from a {int(one['chain'])}", fontsize=8)
        for place, (number, finished) in enumerate(tours_of(one["home"].values)):
            _draw_image(row[1 + place], one["v"].values[place], colour_of(number, finished))
            row[1 + place].set_title(f"tour {number + 1}" if finished else "not home", fontsize=7, pad=2)
    for place, axis in enumerate(axes[-1]):
        axis.set_xlabel("image" if place == 0 else f"{place}", fontsize=8)
    figure.supxlabel(
        "sweeps. Colours: tours that returned to their first hidden state, which LVS uses; grey: not finished,\n"
        "left out. CD-K uses the last picture of a row, whatever tour it belongs to.",
        fontsize=8,
    )
    mark_stand_in(figure, chains)
    return figure


def tours_of(home):
    """(number, whether it returns) of the tour that each sweep belongs to; home (sweep,): returns after that sweep."""
    number = np.concatenate([[0], np.cumsum(home)[:-1]])
    return [(int(one), bool(one < np.sum(home))) for one in number]


def colour_of(number, finished):
    """Colour of the frames of a tour."""
    return _TOUR_COLOURS[number % len(_TOUR_COLOURS)] if finished else _UNFINISHED


def figure_2a(tours, titles):
    """Tails of tour lengths of several models, with visible units drawn, and with their means where that was run."""
    figure = new_figure(7.0, 5.0)
    axis = figure.subplots()
    for colour, (model, one) in zip(_COLOURS, tours.items(), strict=False):
        for visible in one["visible"].values:
            lengths = one["length"].sel(visible=visible).isel(rounds=0).values.ravel()
            label = titles[model] if visible == "draws" else None
            _draw_tail(axis, lengths, label=label, color=colour, linestyle=_LINES[visible])
    for visible, line in _LINES.items():
        if any(visible in one["visible"].values for one in tours.values()):
            axis.plot([], [], color="black", linestyle=line, label=_VISIBLE[visible])
    _finish_tails(axis, int(one.attrs["cap"]))
    figure.legend(loc="outside upper center", ncols=3, fontsize=8)
    mark_stand_in(figure, *tours.values())
    return figure


def figure_2b(tours, title):
    """Tails of tour lengths of one model back to stopping sets of several sizes."""
    figure = new_figure(6.4, 4.4)
    axis = figure.subplots()
    for colour, rounds in zip(_COLOURS, tours["rounds"].values, strict=False):
        one = tours.sel(rounds=rounds, visible="draws")
        label = f"R = {int(rounds)}: {int(one['stopping_states']):,} states"
        _draw_tail(axis, one["length"].values.ravel(), label=label, color=colour)
    _finish_tails(axis, int(tours.attrs["cap"]))
    axis.legend(fontsize=8)
    axis.set_title(title, loc="right", fontsize=9)
    mark_stand_in(figure, tours)
    return figure


def figure_2c(tours, title):
    """Tour lengths by the class of the image that they started from: tails, and geometric means."""
    figure = new_figure(9.0, 4.2)
    left, right = figure.subplots(1, 2, width_ratios=(1.3, 1))
    lengths = tours["length"].sel(visible="draws").isel(rounds=0).values.ravel()
    labels = tours["label"].values.ravel()
    classes = np.unique(labels)
    for place, label in enumerate(classes):
        said = _PUBLISHED.get(int(label))
        colour = {"short": "#009E73", "long": "#D55E00", None: "#BBBBBB"}[said]
        one = lengths[labels == label]
        line = ("-", "--")[place % 2]
        _draw_tail(left, one, label=f"{int(label)}" if said else None, color=colour, linestyle=line)
        logs = np.log(one)
        error = 1.96 * logs.std() / np.sqrt(max(one.size - 1, 1))
        mean = np.exp(logs.mean())
        reach = [[mean - np.exp(logs.mean() - error)], [np.exp(logs.mean() + error) - mean]]
        right.errorbar(int(label), mean, reach, fmt="o", color=colour)
    _finish_tails(left, int(tours.attrs["cap"]))
    left.legend(title="started from", fontsize=8)
    right.set_xticks(classes)
    right.set_xlabel("class of the image\n(published: green short, orange long)")
    right.set_ylabel("geometric mean of the lengths [sweeps]")
    right.set_title(title, loc="right", fontsize=9)
    label_panels((left, right))
    mark_stand_in(figure, tours)
    return figure


def figure_3(tours):
    """Images that start very short tours and very long ones, each above the first visible units drawn on its tour."""
    kinds, shown = tours["kind"].values, tours.sizes["shown"]
    figure = new_figure(0.9 * shown + 0.9, 4.9)
    axes = figure.subplots(2 * len(kinds), shown, squeeze=False)
    for place, kind in enumerate(kinds):
        one = tours.sel(kind=kind)
        for column in range(shown):
            image, draw = axes[2 * place : 2 * place + 2, column]
            _draw_image(image, one["image"].values[column], "black")
            _draw_image(draw, one["first_draw"].values[column], "black")
            length, finished = int(one["shown_length"][column]), bool(one["shown_finished"][column])
            image.set_title(_length_of(length, finished), fontsize=8, pad=2)
        axes[2 * place, 0].set_ylabel(f"{_NAMES[kind]}\nimages", fontsize=8)
        axes[2 * place + 1, 0].set_ylabel("first draws", fontsize=8)
    mark_stand_in(figure, tours)
    return figure


def _length_of(length, finished):
    """The length of a tour, or that it was cut, in words."""
    words = f"{length:,} sweep" + ("" if length == 1 else "s")
    return words if finished else f"> {words}"


def tail(lengths):
    """Lengths that occur, and the share of tours that are longer than each."""
    values, counts = np.unique(lengths, return_counts=True)
    return values, 1.0 - np.cumsum(counts) / lengths.size


def _draw_tail(axis, lengths, **look):
    values, longer = tail(lengths)
    # From certainty below one sweep; what is never seen cannot be drawn on a logarithmic axis.
    x, y = np.concatenate([[0.7], values]), np.concatenate([[1.0], longer])
    y = np.where(y > 0.0, y, np.nan)
    axis.plot(x, y, drawstyle="steps-post", **look)


def _finish_tails(axis, cap):
    axis.axvline(cap, color="#999999", linestyle=":", linewidth=1)
    place = axis.get_xaxis_transform()
    axis.text(cap, 0.02, "cap ", fontsize=8, color="#666666", ha="right", va="bottom", transform=place)
    axis.set_xscale("log")
    axis.set_yscale("log")
    axis.set_xlabel("length n [sweeps]")
    axis.set_ylabel("share of tours longer than n")


def _draw_image(axis, values, colour):
    side = isqrt(values.size)
    if side * side != values.size:
        raise ValueError(f"images: expected square ones, found {values.size} pixels")
    axis.imshow(values.reshape(side, side), cmap="binary", vmin=0, vmax=1, interpolation="nearest")
    axis.set_xticks([])
    axis.set_yticks([])
    axis.spines[:].set(visible=True, color=colour, linewidth=2 if colour != "black" else 0.8)
