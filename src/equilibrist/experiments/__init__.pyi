from equilibrist.experiments.findings import Findings as Findings
from equilibrist.experiments.findings import close as close
from equilibrist.experiments.registry import Experiment as Experiment
