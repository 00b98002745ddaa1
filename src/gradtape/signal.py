"""`tf.signal`: Fourier and cosine transforms, frames, windows and features of speech."""

from gradtape._src.ops.signal.cosine import dct as dct
from gradtape._src.ops.signal.cosine import idct as idct
from gradtape._src.ops.signal.fft import fft as fft
from gradtape._src.ops.signal.fft import fft2d as fft2d
from gradtape._src.ops.signal.fft import fft3d as fft3d
from gradtape._src.ops.signal.fft import ifft as ifft
from gradtape._src.ops.signal.fft import ifft2d as ifft2d
from gradtape._src.ops.signal.fft import ifft3d as ifft3d
from gradtape._src.ops.signal.fft import irfft as irfft
from gradtape._src.ops.signal.fft import irfft2d as irfft2d
from gradtape._src.ops.signal.fft import irfft3d as irfft3d
from gradtape._src.ops.signal.fft import rfft as rfft
from gradtape._src.ops.signal.fft import rfft2d as rfft2d
from gradtape._src.ops.signal.fft import rfft3d as rfft3d
from gradtape._src.ops.signal.fft_axes import fftnd as fftnd
from gradtape._src.ops.signal.fft_axes import ifftnd as ifftnd
from gradtape._src.ops.signal.fft_axes import irfftnd as irfftnd
from gradtape._src.ops.signal.fft_axes import rfftnd as rfftnd
from gradtape._src.ops.signal.frames import fftshift as fftshift
from gradtape._src.ops.signal.frames import frame as frame
from gradtape._src.ops.signal.frames import ifftshift as ifftshift
from gradtape._src.ops.signal.frames import inverse_mdct as inverse_mdct
from gradtape._src.ops.signal.frames import inverse_stft as inverse_stft
from gradtape._src.ops.signal.frames import inverse_stft_window_fn as inverse_stft_window_fn
from gradtape._src.ops.signal.frames import (
    linear_to_mel_weight_matrix as linear_to_mel_weight_matrix,
)
from gradtape._src.ops.signal.frames import mdct as mdct
from gradtape._src.ops.signal.frames import (
    mfccs_from_log_mel_spectrograms as mfccs_from_log_mel_spectrograms,
)
from gradtape._src.ops.signal.frames import overlap_and_add as overlap_and_add
from gradtape._src.ops.signal.frames import stft as stft
from gradtape._src.ops.signal.windows import hamming_window as hamming_window
from gradtape._src.ops.signal.windows import hann_window as hann_window
from gradtape._src.ops.signal.windows import (
    kaiser_bessel_derived_window as kaiser_bessel_derived_window,
)
from gradtape._src.ops.signal.windows import kaiser_window as kaiser_window
from gradtape._src.ops.signal.windows import vorbis_window as vorbis_window
