"""Datasets for `isinstance`: `tf.__internal__.types.data`."""

from gradtape._src.data.dataset import DatasetV2 as _Dataset

Dataset = _Dataset
