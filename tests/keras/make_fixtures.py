"""Records with the real TensorFlow (2.21) how networks learn in mixed precision.

python tests/keras/make_fixtures.py
"""

import json
from pathlib import Path

import keras
from mixed_networks import NETWORKS, POLICIES, losses

HERE = Path(__file__).parent / "from_tensorflow"


def main():
    found = {n: {p: losses(keras, n, p) for p in POLICIES} for n in NETWORKS}
    (HERE / "mixed_precision.json").write_text(json.dumps(found, indent=1) + "\n")


if __name__ == "__main__":
    main()
