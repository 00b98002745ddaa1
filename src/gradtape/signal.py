"""`tf.signal`: Fourier transforms."""

from gradtape._ops.fft import fft as fft
from gradtape._ops.fft import fft2d as fft2d
from gradtape._ops.fft import fft3d as fft3d
from gradtape._ops.fft import ifft as ifft
from gradtape._ops.fft import ifft2d as ifft2d
from gradtape._ops.fft import ifft3d as ifft3d
from gradtape._ops.fft import irfft as irfft
from gradtape._ops.fft import irfft2d as irfft2d
from gradtape._ops.fft import irfft3d as irfft3d
from gradtape._ops.fft import rfft as rfft
from gradtape._ops.fft import rfft2d as rfft2d
from gradtape._ops.fft import rfft3d as rfft3d
