"""Tracking figure 2: one step of the filter.

One step of the filter, in the form that logzoo computes. Desjardins et al. (2011), figure 2.
"""

from replication.claim import Claim
from replication.papers.tracking.trk_checks import BY_TEMPERATURE, BY_UPDATE
from replication.reporting.style import new_figure
from replication.types import Artifacts, Figure

CLAIMS = {"": Claim("Equations of one step of the filter", "a drawing", not_tested="a drawing, nothing to measure")}
# Empty lines separate steps. A step has a heading and equations. An indented line continues the line above.
_STEPS = r"""
State after update $t - 1$
$(\zeta_1, \ldots, \zeta_{M-1},\, b)_{t-1} \sim N(\mu,\, P)$;   first $\mu = (\zeta_M, \ldots, \zeta_M, 0)$ and
    $P = \mathrm{diag}(10^2, \ldots, 10^2, 0)$
$\zeta_{M} = \sum_v \, \log(1 + e^{c_v}) + n_h \log 2$ is known;   $x_{in}$: the states of $N$ particles at
    $\beta_i$;   $f$: hidden units summed out

1  Observe the change from the new parameters: importance sampling at the last states $x_{in}$
$w_{in} = f_{i,t}(x_{in}) \, / \, f_{i,t-1}(x_{in})$,     $O^{\Delta t}_i = \log \, \frac{1}{N} \sum_n \,
    w_{in}$,     $(\Sigma_{\Delta t})_{ii} = \mathrm{Var}_n[w_{in}] \, / \, (N \, \bar{w}_i^2)$

2  Predict: without a prior on the drift, the observed change and its noise are added to the state
$A = I - e_1 e_b^{\top}$:  subtracts the bias from the change at $\beta = 1$, whose particles made the gradient
$\mu^{-} = A \, \mu + (O^{\Delta t}, 0)$,     $P^{-} = A \, [\, P + \mathrm{diag}(\Sigma_{\Delta t},\; \sigma_b^2) \,]
    \, A^{\top}$,     $\sigma_b^2 = 10^{-3} \, \epsilon_t$

3  Observe the differences along the ladder: bridge sampling at the states after the sweeps
$s_i = \exp(\mu^{-}_{i+1} - \mu^{-}_i)$,     $u_{in} = \dfrac{f_{i+1}(x_{in})}{s_i f_i(x_{in}) +
    f_{i+1}(x_{in})}$,     $v_{in} = \dfrac{f_i(x_{i+1,n})}{s_i f_i(x_{i+1,n}) + f_{i+1}(x_{i+1,n})}$
$O^{\Delta\beta}_i = \log \, \sum_n \, u_{in} - \log \, \sum_n \, v_{in}$,     $(\Sigma_{\Delta\beta})_{ii} =
    \mathrm{Var}_n[u_{in}] \, / \, (N \bar{u}_i^2) + \mathrm{Var}_n[v_{in}] \, / \, (N \bar{v}_i^2)$

4  Update, in Joseph's form: P stays symmetric and positive despite rounding
$(H \zeta)_i = \zeta_{i+1} - \zeta_i$,  but $(H \zeta)_{M-1} = -\zeta_{M-1}$;     $y = O^{\Delta\beta} -
    (0, \ldots, 0, \zeta_M)$
$K = P^{-} H^{\top} (H P^{-} H^{\top} + \Sigma_{\Delta\beta})^{-1}$,     $\mu \leftarrow \mu^{-} + K (y - H \mu^{-})$
$P \leftarrow (I - K H) \, P^{-} (I - K H)^{\top} + K \, \Sigma_{\Delta\beta} K^{\top}$

Result
$\log Z_t = \mu_1 \pm \sqrt{P_{11}}$,     then repeat from 1 with the parameters of update $t + 1$
"""
_COLOURS = ("black", BY_UPDATE, BY_UPDATE, BY_TEMPERATURE, BY_TEMPERATURE, "black")


def draw(artifacts: Artifacts) -> Figure:
    from matplotlib.patches import Rectangle

    figure = new_figure(7.2, 7.0)
    axis = figure.subplots()
    axis.axis("off")
    axis.set_xlim(0.0, 1.0)
    steps = [step.strip().replace("\n    ", " ").splitlines() for step in _STEPS.split("\n\n")]
    # A line is 1 high, and steps are 0.4 apart.
    axis.set_ylim(-sum(map(len, steps)) - 0.4 * len(steps), 0.1)
    top = 0.0
    for (heading, *equations), colour in zip(steps, _COLOURS, strict=True):
        height = 1 + len(equations)
        axis.add_patch(Rectangle((0.0, top - height), 0.006, height, color=colour))
        axis.text(0.02, top - 0.4, heading, fontsize=8.2, fontweight="bold", color=colour, va="center")
        for number, equation in enumerate(equations, 1):
            axis.text(0.04, top - number - 0.45, equation, fontsize=9.5, va="center", math_fontfamily="stix")
        top -= height + 0.4
    return figure
