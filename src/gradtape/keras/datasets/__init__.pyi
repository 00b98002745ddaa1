# Written by `python tools/generate_keras_stubs.py` from Keras 3.15.1; do not edit.


from gradtape.keras.datasets import boston_housing as boston_housing
from gradtape.keras.datasets import california_housing as california_housing
from gradtape.keras.datasets import cifar10 as cifar10
from gradtape.keras.datasets import cifar100 as cifar100
from gradtape.keras.datasets import fashion_mnist as fashion_mnist
from gradtape.keras.datasets import imdb as imdb
from gradtape.keras.datasets import mnist as mnist
from gradtape.keras.datasets import reuters as reuters
