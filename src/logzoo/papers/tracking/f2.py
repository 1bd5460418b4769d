"""Tracking figure 2: one step of the filter.

One step of the filter, in the form that is computed here. Desjardins et al. (2011), figure 2.
"""

from logzoo.papers.declaration import Claim
from logzoo.papers.tracking.drawing import BY_TEMPERATURE, BY_UPDATE
from logzoo.reporting.style import new_figure

CLAIMS = {"": Claim("Equations of one step of the filter", "a drawing", not_tested="a drawing, nothing to measure")}
_STEPS = (
    (
        "State after update $t - 1$",
        "black",
        (
            r"$(\zeta_1, \ldots, \zeta_{M-1},\, b)_{t-1} \sim N(\mu,\, P)$;   "
            r"first $\mu = (\zeta_M, \ldots, \zeta_M, 0)$ and $P = \mathrm{diag}(10^2, \ldots, 10^2, 0)$",
            r"$\zeta_{M} = \sum_v \, \log(1 + e^{c_v}) + n_h \log 2$ is known;   "
            r"$x_{in}$: the states of $N$ particles at $\beta_i$;   $f$: hidden units summed out",
        ),
    ),
    (
        "1  See the change that the parameters made: importance sampling at the last states $x_{in}$",
        BY_UPDATE,
        (
            r"$w_{in} = f_{i,t}(x_{in}) \, / \, f_{i,t-1}(x_{in})$,     "
            r"$O^{\Delta t}_i = \log \, \frac{1}{N} \sum_n \, w_{in}$,     "
            r"$(\Sigma_{\Delta t})_{ii} = \mathrm{Var}_n[w_{in}] \, / \, (N \, \bar{w}_i^2)$",
        ),
    ),
    (
        "2  Predict: without a prior on the drift, the observed change moves the state and brings its noise along",
        BY_UPDATE,
        (
            r"$A = I - e_1 e_b^{\top}$:  the bias comes off the change at $\beta = 1$, "
            r"whose particles made the gradient",
            r"$\mu^{-} = A \, \mu + (O^{\Delta t}, 0)$,     "
            r"$P^{-} = A \, [\, P + \mathrm{diag}(\Sigma_{\Delta t},\; \sigma_b^2) \,] \, A^{\top}$,     "
            r"$\sigma_b^2 = 10^{-3} \, \epsilon_t$",
        ),
    ),
    (
        "3  See the differences along the ladder: bridge sampling at the states after the sweeps",
        BY_TEMPERATURE,
        (
            r"$s_i = \exp(\mu^{-}_{i+1} - \mu^{-}_i)$,     "
            r"$u_{in} = \dfrac{f_{i+1}(x_{in})}{s_i f_i(x_{in}) + f_{i+1}(x_{in})}$,     "
            r"$v_{in} = \dfrac{f_i(x_{i+1,n})}{s_i f_i(x_{i+1,n}) + f_{i+1}(x_{i+1,n})}$",
            r"$O^{\Delta\beta}_i = \log \, \sum_n \, u_{in} - \log \, \sum_n \, v_{in}$,     "
            r"$(\Sigma_{\Delta\beta})_{ii} = \mathrm{Var}_n[u_{in}] \, / \, (N \bar{u}_i^2)"
            r" + \mathrm{Var}_n[v_{in}] \, / \, (N \bar{v}_i^2)$",
        ),
    ),
    (
        "4  Update, in Joseph's form: P stays symmetric and positive whatever the rounding",
        BY_TEMPERATURE,
        (
            r"$(H \zeta)_i = \zeta_{i+1} - \zeta_i$,  but $(H \zeta)_{M-1} = -\zeta_{M-1}$;     "
            r"$y = O^{\Delta\beta} - (0, \ldots, 0, \zeta_M)$",
            r"$K = P^{-} H^{\top} (H P^{-} H^{\top} + \Sigma_{\Delta\beta})^{-1}$,     "
            r"$\mu \leftarrow \mu^{-} + K (y - H \mu^{-})$",
            r"$P \leftarrow (I - K H) \, P^{-} (I - K H)^{\top} + K \, \Sigma_{\Delta\beta} K^{\top}$",
        ),
    ),
    (
        "Read off",
        "black",
        (r"$\log Z_t = \mu_1 \pm \sqrt{P_{11}}$,     then go on from 1 with the parameters of update $t + 1$",),
    ),
)


def inputs(here):
    return {}


def draw(artifacts):
    """The equations of one update of the filter, in the order in which they are worked out."""
    from matplotlib.patches import Rectangle

    figure = new_figure(7.2, 7.0)
    axis = figure.subplots()
    axis.axis("off")
    axis.set_xlim(0.0, 1.0)
    gap, line = 0.4, 1.0
    heights = [line * (len(equations) + 1.0) for _, _, equations in _STEPS]
    axis.set_ylim(-sum(heights) - gap * len(heights), 0.1)
    top = 0.0
    for (heading, colour, equations), height in zip(_STEPS, heights, strict=True):
        axis.add_patch(Rectangle((0.0, top - height), 0.006, height, color=colour))
        axis.text(0.02, top - 0.4 * line, heading, fontsize=8.2, fontweight="bold", color=colour, va="center")
        for number, equation in enumerate(equations, 1):
            y = top - line * (number + 0.45)
            axis.text(0.04, y, equation, fontsize=9.5, va="center", math_fontfamily="stix")
        top -= height + gap
    return figure
