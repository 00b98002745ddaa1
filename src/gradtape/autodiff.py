"""`tf.autodiff`: forward-mode differentiation, and derivatives asked for by name."""

from gradtape._src.autodiff.derivatives import gradient as gradient
from gradtape._src.autodiff.derivatives import hessian as hessian
from gradtape._src.autodiff.derivatives import hessian_diagonal as hessian_diagonal
from gradtape._src.autodiff.derivatives import hvp as hvp
from gradtape._src.autodiff.derivatives import jacobian as jacobian
from gradtape._src.autodiff.derivatives import jvp as jvp
from gradtape._src.autodiff.derivatives import per_example_gradients as per_example_gradients
from gradtape._src.autodiff.derivatives import value_and_gradient as value_and_gradient
from gradtape._src.autodiff.derivatives import vjp as vjp
from gradtape._src.autodiff.forward import ForwardAccumulator as ForwardAccumulator
from gradtape._src.autodiff.implicit import fixed_point as fixed_point
from gradtape._src.autodiff.implicit import implicit_root as implicit_root
from gradtape._src.autodiff.sparse import Sparsity as Sparsity
from gradtape._src.autodiff.sparse import hessian_sparsity as hessian_sparsity
from gradtape._src.autodiff.sparse import jacobian_sparsity as jacobian_sparsity
from gradtape._src.autodiff.sparse import sparse_hessian as sparse_hessian
from gradtape._src.autodiff.sparse import sparse_jacobian as sparse_jacobian
from gradtape._src.autodiff.tape import GradientTape as GradientTape
from gradtape._src.raw.gradients import has_gradient as has_gradient
