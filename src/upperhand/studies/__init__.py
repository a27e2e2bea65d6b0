"""Studies from files: grids of policies, instances and horizons, in blocks that outlive a crash.

A study is a TOML file (`config.py`) that describes a grid of *series* (`plan.py`): one policy on
one instance at one horizon. Each is cut into blocks of replications, which threads, an executor or
a cluster play (`run.py`, `cluster.py`). A block is written to a folder (`folder.py`) and never
changes. The results are computed from these files (`results.py`).
"""

from .config import read_plan
from .folder import Folder
from .plan import Cell, Plan, Series
from .results import Study
from .run import run_plan, run_study

__all__ = ["Cell", "Folder", "Plan", "Series", "Study", "read_plan", "run_plan", "run_study"]
