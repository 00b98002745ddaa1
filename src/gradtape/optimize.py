"""`gradtape.optimize`: SciPy's optimizers on variables."""

from gradtape._src.autodiff.minimize import Step as Step
from gradtape._src.autodiff.minimize import minimize as minimize
