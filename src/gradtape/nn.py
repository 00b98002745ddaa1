"""Neural networks: TensorFlow's `tf.nn`."""

from gradtape._ops.conv_public import atrous_conv2d as atrous_conv2d
from gradtape._ops.conv_public import conv1d as conv1d
from gradtape._ops.conv_public import conv2d as conv2d
from gradtape._ops.conv_public import conv3d as conv3d
from gradtape._ops.conv_public import convolution as convolution
from gradtape._ops.conv_public import depthwise_conv2d as depthwise_conv2d
from gradtape._ops.conv_public import separable_conv2d as separable_conv2d
from gradtape._ops.conv_transpose import atrous_conv2d_transpose as atrous_conv2d_transpose
from gradtape._ops.conv_transpose import conv1d_transpose as conv1d_transpose
from gradtape._ops.conv_transpose import conv2d_transpose as conv2d_transpose
from gradtape._ops.conv_transpose import conv3d_transpose as conv3d_transpose
from gradtape._ops.conv_transpose import conv_transpose as conv_transpose
from gradtape._ops.padding import depth_to_space as depth_to_space
from gradtape._ops.padding import space_to_batch as space_to_batch
from gradtape._ops.padding import space_to_depth as space_to_depth
from gradtape._ops.pooling import avg_pool as avg_pool
from gradtape._ops.pooling import avg_pool1d as avg_pool1d
from gradtape._ops.pooling import avg_pool2d as avg_pool2d
from gradtape._ops.pooling import avg_pool3d as avg_pool3d
from gradtape._ops.pooling import max_pool as max_pool
from gradtape._ops.pooling import max_pool1d as max_pool1d
from gradtape._ops.pooling import max_pool2d as max_pool2d
from gradtape._ops.pooling import max_pool3d as max_pool3d
from gradtape._ops.pooling import pool as pool
from gradtape._ops.sorting import top_k as top_k
