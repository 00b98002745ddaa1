"""`tf.profiler.experimental`: profiles for TensorBoard, as pages and as tables."""

from gradtape._src.profiling.experimental import Profile as Profile
from gradtape._src.profiling.experimental import ProfilerOptions as ProfilerOptions
from gradtape._src.profiling.experimental import Trace as Trace
from gradtape._src.profiling.experimental import start as start
from gradtape._src.profiling.experimental import stop as stop
