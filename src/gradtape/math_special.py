"""Special functions: `tf.math.special`."""

from gradtape._src.ops.elementwise.bessel import bessel_i0 as bessel_i0
from gradtape._src.ops.elementwise.bessel import bessel_i0e as bessel_i0e
from gradtape._src.ops.elementwise.bessel import bessel_i1 as bessel_i1
from gradtape._src.ops.elementwise.bessel import bessel_i1e as bessel_i1e
from gradtape._src.ops.elementwise.bessel import bessel_j0 as bessel_j0
from gradtape._src.ops.elementwise.bessel import bessel_j1 as bessel_j1
from gradtape._src.ops.elementwise.bessel import bessel_k0 as bessel_k0
from gradtape._src.ops.elementwise.bessel import bessel_k0e as bessel_k0e
from gradtape._src.ops.elementwise.bessel import bessel_k1 as bessel_k1
from gradtape._src.ops.elementwise.bessel import bessel_k1e as bessel_k1e
from gradtape._src.ops.elementwise.bessel import bessel_y0 as bessel_y0
from gradtape._src.ops.elementwise.bessel import bessel_y1 as bessel_y1
from gradtape._src.ops.elementwise.special_integrals import dawsn as dawsn
from gradtape._src.ops.elementwise.special_integrals import expint as expint
from gradtape._src.ops.elementwise.special_integrals import fresnel_cos as fresnel_cos
from gradtape._src.ops.elementwise.special_integrals import fresnel_sin as fresnel_sin
from gradtape._src.ops.elementwise.special_integrals import spence as spence
