"""The paper's message in one table: changing the arm value changes the best arm and the policy.

Two arms, of which one wins on average and the other in the tail, under both objectives.
"""

import upperhand as uh

arms = [uh.Normal(0.10, 0.05), uh.SkewedStudentT(0.00, 0.16, df=5, skew=0.6)]
policies = ["acp-ucb1", "ucb1"]
runs = uh.simulate(arms, policies, quantile=0.95, horizon=5_000, replications=50, seed=0)

for objective in (uh.Quantile(0.95), uh.Mean()):
    best = arms[objective.best(arms)]
    print(f"Under the {objective.label}, the best arm is {best}")
    for name, curve in runs.regret(objective).items():
        print(f"  {name:9} regret {curve.final.mean():6.1f} ± {curve.se:.1f}")
