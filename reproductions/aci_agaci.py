"""ACI and AgACI on time series.

M. Zaffran, O. Féron, Y. Goude, J. Josse, A. Dieuleveut, ICML 2022: figures 2 and 5.

ACI is by I. Gibbs and E. Candès, NeurIPS 2021. α = 0.1. Figure 2 has ACI on a Gaussian AR(1) series
of variance 1 with known quantiles; figure 5 Friedman's regression with ARMA(1,1) noise, φ = θ, 300
steps, the last 100 judged.

The authors' script of figure 2 has 10 steps; their stored results come from 1,000,000, as the
numbers show. Three of their 100 values of γ are shown. The forest study of figure 5 is not
reproduced as it is: 1,000 trees fitted again at 100 steps of 500 runs in 5 settings.

The authors' aggregation is that of the R package opera before version 1.2, and so is the library's.
Fed once with the bounds of ACI at thirty steps that the authors stored, which are not ours to ship,
it gave their stored aggregate: the largest difference in 500 runs of 5 settings was 4.3e-10.
Infinite bounds count as ±1000 in their aggregation, and above; in our AgACI they count as the
largest score so far.

Not found: numbers of Gibbs and Candès' own studies of ACI on simulated data (their code has real
data only), and of DtACI.
"""

from . import ar1, friedman
from .section import Effort, Section


def section(effort: Effort) -> Section:
    """Return the AR(1) study, and what can be held against the forest study."""
    return Section(
        title="ACI and AgACI: time series",
        comparisons=(
            ar1.comparison(effort),
            friedman.coverage(effort),
        ),
    )
