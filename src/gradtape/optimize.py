"""`gradtape.optimize`: SciPy's optimizers on variables."""

from gradtape._train.minimize import Step as Step
from gradtape._train.minimize import minimize as minimize
