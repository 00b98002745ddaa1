"""Loads models in TensorFlow that it saved, and that gradtape loaded and saved again.

    python tests/saving/export/check_models_again.py write DIRECTORY    # where gradtape is
    python tests/saving/export/check_models_again.py check DIRECTORY    # where TensorFlow is

The second command compares results, gradients and losses with those that were recorded when the
models were made, and exits with 1 if anything differs.
"""

import sys
import zipfile
from pathlib import Path

HERE = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(HERE))


def write(directory):
    """Loads the models, and saves them."""
    import gradtape as tf

    files = sorted((HERE / "tensorflow_models").glob("*.zip"))
    refused = 0
    for file in files:
        folder = directory / file.stem
        with zipfile.ZipFile(file) as archive:
            archive.extractall(folder)
        model = tf.saved_model.load(folder)
        try:
            tf.saved_model.save(model, folder / "again", signatures=model.signatures)
        except (tf.errors.UnimplementedError, ValueError) as error:  # no graph
            refused += 1
            print(f"{file.stem}: {error}")
    print(f"{len(files)} models, {refused} can't be saved, the others are in {directory}")


def check(directory):
    """Compares what TensorFlow makes of the models; returns how many differ."""
    import tensorflow as tf
    from recorded_models import Recorded

    wrong = 0
    folders = sorted(path.parent for path in directory.glob("*/again"))
    for folder in folders:
        try:
            Recorded(tf, folder, folder / "again").check_all()
            problem = ""
        except Exception as error:  # noqa: BLE001 (all are counted)
            problem = f"{type(error).__name__}: {error}"[:1500]
        wrong += bool(problem)
        print(f"{folder.name}: {problem or 'equal'}")
    print(f"{len(folders)} models, {wrong} differ")
    return wrong


if __name__ == "__main__":
    action, target = sys.argv[1], Path(sys.argv[2])
    sys.exit(write(target) if action == "write" else min(check(target), 1))
