"""Makes the models in this folder with the real TensorFlow (2.21), to be run with it.

    python tests/saving/tensorflow_models/make.py [NAME ...]

Each model is a zip file: what `tf.saved_model.save` has written, and `recorded.npz` with the
arguments of some calls of the loaded model, what they give, the gradients of the sum of their
squares, the gradients of the sum of the squares of these, and the losses of three steps of
training. `layer_models.py`, `program_models.py`, `training_v1_models.py` and
`applied_models.py` have more models; `tf_keras` (Keras 2), `sonnet`, `gpflow` and
`tensorflow_probability` make some.
"""

import contextlib
import importlib
import json
import shutil
import sys
import tempfile
import zipfile
from pathlib import Path

import numpy as np

tf = importlib.import_module("tensorflow")
keras = importlib.import_module("keras")

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE))
MODELS = dict(
    entry
    for name in ("layer_models", "program_models", "training_v1_models", "applied_models")
    for entry in importlib.import_module(name).MODELS.items()
)
RATE = 1e-4


def model(build):
    """Marks a function that gives `(object, signatures, calls)`.

    A call is `(path, args, kwargs)`, and possibly the order of the highest gradient to compare,
    which is 2 by default.
    """
    MODELS[build.__name__] = build
    return build


def rows(*shape, seed=0):
    return np.random.default_rng(seed).standard_normal(shape).astype(np.float32)


def plain(array):
    """An array that `np.savez` keeps without pickle: strings in hexadecimal digits."""
    if getattr(array, "dtype", np.dtype(object)).kind != "O":
        return array
    texts = np.asarray(array, object)
    digits = [text.hex() for text in texts.ravel()]
    return np.array(digits, "S").reshape(texts.shape)


def exported(made):
    """Marks a model that Keras exports."""
    return ("keras", made)


@model
def dense():
    made = keras.Sequential(
        [
            keras.Input((4,)),
            keras.layers.Dense(5, activation="relu"),
            keras.layers.Dropout(0.5),
            keras.layers.Dense(2, activation="softmax"),
        ]
    )
    x = rows(3, 4)
    calls = [("serve", [x], {}), ("signatures.serving_default", [], {"keras_tensor": x})]
    return exported(made), None, calls


@model
def convolutional():
    made = keras.Sequential(
        [
            keras.Input((8, 8, 3)),
            keras.layers.Conv2D(4, 3, padding="same", activation="gelu"),
            keras.layers.BatchNormalization(),
            keras.layers.MaxPooling2D(),
            keras.layers.SeparableConv2D(4, 3, activation="swish"),
            keras.layers.Conv2DTranspose(2, 2, strides=2),
            keras.layers.GlobalAveragePooling2D(),
            keras.layers.Dense(2),
        ]
    )
    return exported(made), None, [("serve", [rows(2, 8, 8, 3)], {})]


@model
def lstm():
    made = keras.Sequential(
        [
            keras.Input((5, 3)),
            keras.layers.LSTM(4, return_sequences=True),
            keras.layers.Bidirectional(keras.layers.GRU(3)),
            keras.layers.Dense(2),
        ]
    )
    return exported(made), None, [("serve", [rows(2, 5, 3)], {})]


@model
def lstm_unknown_length():
    made = keras.Sequential(
        [
            keras.Input((None, 3)),
            keras.layers.Masking(0.0),
            keras.layers.LSTM(4),
            keras.layers.Dense(1),
        ]
    )
    x = rows(2, 4, 3)
    x[1, 2:] = 0
    return exported(made), None, [("serve", [x], {})]


@model
def attention():
    words = keras.Input((6,), dtype="int32")
    x = keras.layers.Embedding(10, 8)(words)
    y = keras.layers.MultiHeadAttention(2, 4)(x, x, use_causal_mask=True)
    x = keras.layers.LayerNormalization()(x + y)
    y = keras.layers.Dense(8, activation="gelu")(x)
    out = keras.layers.Dense(3)(keras.layers.GlobalMaxPooling1D()(x + y))
    ids = np.random.default_rng(0).integers(0, 10, (2, 6)).astype(np.int32)
    return exported(keras.Model(words, out)), None, [("serve", [ids], {})]


@model
def text_vectorization():
    layer = keras.layers.TextVectorization(output_sequence_length=5)
    layer.adapt(["the cat sat", "the dog sat on the mat"])
    made = keras.Sequential(
        [
            keras.Input((), dtype="string"),
            layer,
            keras.layers.Embedding(12, 3),
            keras.layers.GlobalAveragePooling1D(),
            keras.layers.Dense(1),
        ]
    )
    lines = np.array([b"The cat, on a mat!", b"dog"], object)
    return exported(made), None, [("serve", [lines], {})]


@model
def image_preprocessing():
    made = keras.Sequential(
        [
            keras.Input((6, 6, 3), dtype="uint8"),
            keras.layers.Rescaling(1 / 127.5, offset=-1),
            keras.layers.Resizing(9, 7),
            keras.layers.CenterCrop(6, 6),
            keras.layers.ZeroPadding2D(1),
            keras.layers.Conv2D(2, 3, strides=2),
            keras.layers.Flatten(),
            keras.layers.Dense(2),
        ]
    )
    x = np.random.default_rng(0).integers(0, 255, (2, 6, 6, 3)).astype(np.uint8)
    return exported(made), None, [("serve", [x], {})]


@model
def functional_structures():
    first, second = keras.Input((3,), name="first"), keras.Input((2,), name="second")
    x = keras.layers.Concatenate()([first, second])
    x = keras.layers.Dense(4, activation="tanh", name="hidden")(x)
    outs = {"a": keras.layers.Dense(1)(x), "b": keras.layers.Dense(2, activation="sigmoid")(x)}
    made = keras.Model({"first": first, "second": second}, outs)
    given = {"first": rows(2, 3), "second": rows(2, 2, seed=1)}
    return exported(made), None, [("serve", [given], {})]


@model
def keras_saved():
    """A Keras 3 model saved as an object, with all of its layers."""
    made = keras.Sequential(
        [
            keras.Input((3,)),
            keras.layers.Dense(4, activation="elu"),
            keras.layers.LayerNormalization(),
            keras.layers.Dense(1),
        ]
    )

    root = tf.Module()
    root.model = made
    root.predict = tf.function(
        lambda x: made(x, training=False), input_signature=[tf.TensorSpec([None, 3], tf.float32)]
    )
    return root, None, [("predict", [rows(2, 3)], {})]


def _keras2():
    return importlib.import_module("tf_keras")


@model
def keras2_dense():
    k = _keras2()
    made = k.Sequential(
        [
            k.layers.InputLayer((4,)),
            k.layers.Dense(3, activation="relu"),
            k.layers.BatchNormalization(),
            k.layers.Dense(2),
        ]
    )
    x = rows(3, 4)
    calls = [("", [x], {"training": False}), ("signatures.serving_default", [x], {})]
    return made, None, calls


@model
def keras2_lstm():
    k = _keras2()
    made = k.Sequential(
        [
            k.layers.InputLayer((4, 3)),
            k.layers.LSTM(3, return_sequences=True),
            k.layers.GRU(2),
            k.layers.Dense(1),
        ]
    )
    return made, None, [("", [rows(2, 4, 3)], {"training": False})]


@model
def keras2_convolutional():
    k = _keras2()
    made = k.Sequential(
        [
            k.layers.InputLayer((6, 6, 2)),
            k.layers.DepthwiseConv2D(3, padding="same", depth_multiplier=2),
            k.layers.ReLU(6.0),
            k.layers.AveragePooling2D(),
            k.layers.Conv2D(3, 2, dilation_rate=2),
            k.layers.Flatten(),
            k.layers.Dense(1, activation="softplus"),
        ]
    )
    return made, None, [("", [rows(2, 6, 6, 2)], {})]


@model
def module_functions():
    class Linear(tf.Module):
        def __init__(self):
            super().__init__()
            self.w = tf.Variable(rows(3, 2), name="w")
            self.layers = [tf.Variable(1.0), {"b": tf.Variable([1.0, 2.0])}]
            self.frozen = tf.Variable(2.0, trainable=False)
            self.steps = tf.Variable(0, dtype=tf.int64)

        @tf.function(input_signature=[tf.TensorSpec([None, 3], tf.float32)])
        def __call__(self, x):
            return x @ self.w * self.layers[0] + self.layers[1]["b"]

        @tf.function
        def scaled(self, x, scale=2.0, *, squared=False):
            y = self(x) * scale * self.frozen
            return {"y": tf.square(y) if squared else y, "shape": (tf.shape(y), [scale])}

        @tf.function(input_signature=[])
        def step(self):
            self.steps.assign_add(1)
            return self.steps.read_value()

    made = Linear()
    x = rows(4, 3)
    made.scaled(tf.constant(x))
    made.scaled(tf.constant(x), 0.3, squared=True)
    made.scaled(tf.constant(x), tf.constant(0.5))
    calls = [
        ("", [x], {}),
        ("scaled", [x], {}),
        ("scaled", [x], {"scale": 0.3, "squared": True}),
        ("scaled", [x, np.float32(0.5)], {}),
        ("signatures.double", [], {"x": x}),
        ("step", [], {}),
        ("step", [], {}),
    ]

    @tf.function(input_signature=[tf.TensorSpec([None, 3], tf.float32, name="x")])
    def double(x):
        return {"twice": 2 * made(x)}

    return made, {"double": double}, calls


@model
def control_flow():
    class Flow(tf.Module):
        def __init__(self):
            super().__init__()
            self.w = tf.Variable([0.5, -0.25])
            self.calls = tf.Variable(0)

        @tf.function(input_signature=[tf.TensorSpec([2]), tf.TensorSpec([], tf.int32)])
        def power(self, x, n):
            y = tf.ones_like(x)
            for _ in tf.range(n):
                y *= x * self.w
                if tf.reduce_sum(y) > 1.0:
                    y = tf.sqrt(tf.abs(y))
                    self.calls.assign_add(1)
            return y

        @tf.function(input_signature=[tf.TensorSpec([2]), tf.TensorSpec([], tf.int32)])
        def choose(self, x, n):
            branches = [lambda: x * self.w, lambda: tf.sin(x), lambda: x @ tf.ones([2, 1])[:, 0:1]]
            del branches[2]
            return tf.switch_case(n, [*branches, lambda: x - self.w])

        @tf.function(input_signature=[tf.TensorSpec([None, 2])])
        def collect(self, xs):
            out = tf.TensorArray(tf.float32, size=0, dynamic_size=True)
            state = tf.zeros([2])
            for i in tf.range(tf.shape(xs)[0]):
                state = tf.tanh(state + xs[i] * self.w)
                out = out.write(i, state)
            return out.stack()

        @tf.function(input_signature=[tf.TensorSpec([None, 2])])
        def mapped(self, xs):
            return tf.map_fn(lambda x: x * tf.reduce_sum(self.w * x), xs)

        @tf.function(input_signature=[tf.TensorSpec([None, 2])])
        def scanned(self, xs):
            return tf.scan(lambda a, x: a * self.w + x, xs)

    x, xs = rows(2), rows(3, 2, seed=1)
    calls = [
        ("power", [3 * x, np.int32(3)], {}),
        ("choose", [x, np.int32(0)], {}),
        ("choose", [x, np.int32(2)], {}),
        ("collect", [xs], {}),
        ("mapped", [xs], {}),
        ("scanned", [xs], {}),
    ]
    return Flow(), None, calls


@model
def control_flow_v1():
    """Conditionals and loops of TensorFlow 1's operations, with a v1 saver."""
    v1 = tf.compat.v1

    def write(directory):
        v1.disable_control_flow_v2()
        with tf.Graph().as_default(), v1.Session() as session:
            x = v1.placeholder(tf.float32, [None, 2], "x")
            w = v1.get_variable("w", initializer=tf.constant([[1.0, -1.0], [0.5, 2.0]]))
            y = v1.while_loop(
                lambda i, _: i < 3,
                lambda i, y: (i + 1, v1.cond(i > 0, lambda: tf.tanh(y @ w), lambda: y + 1.0)),
                [0, x],
            )[1]
            y = v1.cond(tf.reduce_sum(y) > 0.0, lambda: y * 2.0, lambda: y @ w)
            session.run(v1.global_variables_initializer())
            v1.saved_model.simple_save(session, directory, {"x": x}, {"y": y})
        v1.enable_control_flow_v2()

    return ("v1", write), None, [("signatures.serving_default", [], {"x": rows(2, 2)})]


@model
def builder_v1():
    """A model of TensorFlow 1 with variables of references, a table with an asset and a main op."""
    v1 = tf.compat.v1

    def write(directory):
        words = Path(directory).parent / "words.txt"
        words.write_text("cat\ndog\nmat\n")
        with tf.Graph().as_default(), v1.Session() as session:
            x = v1.placeholder(tf.string, [None], "words")
            w = v1.get_variable(
                "w", [4, 2], initializer=v1.constant_initializer(rows(4, 2)), use_resource=False
            )
            b = v1.get_variable("b", [2], initializer=v1.ones_initializer(), use_resource=True)
            asset = tf.constant(str(words))
            v1.add_to_collection(v1.GraphKeys.ASSET_FILEPATHS, asset)
            table = v1.lookup.StaticHashTable(
                v1.lookup.TextFileInitializer(
                    asset,
                    tf.string,
                    v1.lookup.TextFileIndex.WHOLE_LINE,
                    tf.int64,
                    v1.lookup.TextFileIndex.LINE_NUMBER,
                ),
                3,
            )
            y = tf.nn.embedding_lookup(w, table.lookup(x)) * b
            session.run([v1.global_variables_initializer(), v1.tables_initializer()])
            builder = v1.saved_model.Builder(directory)
            info = v1.saved_model.build_tensor_info
            signature = v1.saved_model.build_signature_def(
                {"words": info(x)}, {"y": info(y)}, "tensorflow/serving/predict"
            )
            builder.add_meta_graph_and_variables(
                session,
                ["serve"],
                {"embed": signature},
                main_op=v1.tables_initializer(),
                assets_collection=v1.get_collection(v1.GraphKeys.ASSET_FILEPATHS),
            )
            builder.save()

    given = np.array([b"dog", b"bird", b"cat"], object)
    return ("v1", write), None, [("signatures.embed", [], {"words": given})]


@model
def tables():
    class Tables(tf.Module):
        def __init__(self):
            super().__init__()
            self.file = Path(tempfile.mkdtemp()) / "words.txt"
            self.file.write_text("red\ngreen\nblue\n")
            self.words = tf.lookup.StaticVocabularyTable(
                tf.lookup.TextFileInitializer(
                    str(self.file),
                    tf.string,
                    tf.lookup.TextFileIndex.WHOLE_LINE,
                    tf.int64,
                    tf.lookup.TextFileIndex.LINE_NUMBER,
                ),
                2,
            )
            pairs = tf.lookup.KeyValueTensorInitializer([0, 1, 2], ["zero", "one", "two"])
            self.names = tf.lookup.StaticHashTable(pairs, "many")
            self.seen = tf.lookup.experimental.MutableHashTable(tf.string, tf.int64, -1)
            self.seen.insert(["red"], [5])
            del self.file

        @tf.function(input_signature=[tf.TensorSpec([None], tf.string)])
        def ids(self, words):
            return self.words.lookup(words)

        @tf.function(input_signature=[tf.TensorSpec([None], tf.int32)])
        def name(self, numbers):
            return tf.strings.upper(self.names.lookup(numbers)), self.names.size()

        @tf.function(input_signature=[tf.TensorSpec([None], tf.string)])
        def count(self, words):
            old = self.seen.lookup(words)
            self.seen.insert(words, old + 1)
            return self.seen.lookup(words)

    words = np.array([b"blue", b"pink", b"red"], object)
    calls = [
        ("ids", [words], {}),
        ("name", [np.array([2, 7], np.int32)], {}),
        ("count", [words], {}),
    ]
    return Tables(), None, calls


@model
def ragged_and_sparse():
    class Composite(tf.Module):
        def __init__(self):
            super().__init__()
            self.w = tf.Variable(rows(5, 2))

        @tf.function(input_signature=[tf.RaggedTensorSpec([None, None], tf.int64)])
        def pooled(self, ids):
            return tf.reduce_mean(tf.gather(self.w, ids), axis=1)

        @tf.function(input_signature=[tf.SparseTensorSpec([None, 5], tf.float32)])
        def product(self, x):
            return tf.sparse.sparse_dense_matmul(x, self.w)

        @tf.function(input_signature=[tf.TensorSpec([None], tf.string)])
        def words(self, lines):
            return tf.strings.split(lines).to_tensor(default_value="-")

        @tf.function(input_signature=[tf.TensorSpec([None, None])])
        def to_sparse(self, x):
            return tf.sparse.reorder(tf.sparse.from_dense(x))

    ragged = tf.ragged.constant([[1, 2], [3], [4, 0, 1]], dtype=tf.int64)
    sparse = tf.sparse.from_dense([[0.0, 1.0, 0.0, 2.0, 0.0], [3.0, 0.0, 0.0, 0.0, 1.0]])
    calls = [
        ("pooled", [ragged], {}),
        ("product", [sparse], {}),
        ("words", [np.array([b"a b c", b"d"], object)], {}),
        ("to_sparse", [np.array([[0, 1], [2, 0]], np.float32)], {}),
    ]
    return Composite(), None, calls


@model
def labels_boxes_and_crosses():
    logits = tf.TensorSpec([None, None, 5])
    texts, numbers = tf.TensorSpec([None, None], tf.string), tf.TensorSpec([None, None], tf.int64)

    class Composite(tf.Module):
        @tf.function(input_signature=[logits, numbers, tf.TensorSpec([None], tf.int32)])
        def loss(self, x, labels, lengths):
            labels = tf.cast(tf.sparse.from_dense(labels), tf.int32)
            return tf.nn.ctc_loss(labels, x, None, lengths, blank_index=-1)

        @tf.function(input_signature=[logits, numbers, tf.TensorSpec([None], tf.int32)])
        def collapsed_loss(self, x, labels, lengths):
            labels = tf.cast(tf.sparse.from_dense(labels), tf.int32)
            options = {"preprocess_collapse_repeated": True}
            options["ignore_longer_outputs_than_inputs"] = True
            return tf.compat.v1.nn.ctc_loss(labels, x, lengths, **options)

        @tf.function(input_signature=[logits, tf.TensorSpec([None], tf.int32)])
        def decoded(self, x, lengths):
            x = tf.stop_gradient(x)
            greedy = tf.nn.ctc_greedy_decoder(x, lengths, blank_index=1)
            beam = tf.nn.ctc_beam_search_decoder(x, lengths, beam_width=20, top_paths=2)
            merged = tf.compat.v1.nn.ctc_beam_search_decoder(x, lengths, beam_width=20)
            return tf.nest.map_structure(tf.stop_gradient, (greedy, beam, merged))

        @tf.function(input_signature=[tf.TensorSpec([1, None, 1, 4]), tf.TensorSpec([1, None, 2])])
        def boxes(self, boxes, scores):
            given = tf.stop_gradient(boxes), tf.stop_gradient(scores)
            found = tf.image.combined_non_max_suppression(*given, 2, 3, 0.4, 0.1)
            return tf.nest.map_structure(tf.stop_gradient, tuple(found))

        @tf.function(input_signature=[texts, numbers])
        def crosses(self, words, ids):
            given = [words, tf.sparse.from_dense(ids)]
            return tf.sparse.cross(given, separator="|"), tf.sparse.cross_hashed(given, 100)

        @tf.function(input_signature=[texts, texts])
        def ragged_crosses(self, words, others):
            given = [others, tf.RaggedTensor.from_tensor(words, padding="-")]
            return tf.ragged.cross(given), tf.ragged.cross_hashed(given, 100)

    x, lengths = rows(6, 3, 5), np.array([6, 4, 1], np.int32)
    labels = np.array([[1, 2, 2], [3, 1, 0], [2, 0, 0]])
    words = np.array([[b"a", b"b"], [b"c", b"-"]], object)
    calls = [
        ("loss", [x, labels, lengths], {}),
        ("collapsed_loss", [x, np.array([[1, 2, 2], [3, 1, 0], [2, 1, 0]]), lengths], {}),
        ("decoded", [x, lengths], {}),
        ("boxes", [np.abs(rows(1, 6, 1, 4)), np.abs(rows(1, 6, 2, seed=1))], {}),
        ("crosses", [words, np.array([[0, 2], [3, 4]])], {}),
        ("ragged_crosses", [words, words[:, :1]], {}),
    ]
    return Composite(), None, calls


@model
def composite_values():
    class Pair(tf.experimental.ExtensionType):
        __name__ = "tests.Pair"
        values: tf.Tensor
        rows: tf.RaggedTensor
        count: int = 2

    class Composite(tf.Module):
        def __init__(self):
            super().__init__()
            self.w = tf.Variable(rows(5, 2))
            self.scale = tf.Variable(2.0)

        @tf.function(input_signature=[tf.RaggedTensorSpec([None, None])])
        def pair(self, x):
            return {"pair": Pair(tf.reduce_sum(x, 1), x * self.scale), "rows": [x + self.scale]}

        @tf.function(input_signature=[tf.SparseTensorSpec([None, 5])])
        def scaled(self, x):
            dense = tf.transpose(self.w)[0]
            return {"times": x * dense, "over": x / (tf.square(dense) + 1.0)}

        @tf.function(input_signature=[tf.TensorSpec([None], tf.int32)])
        def gradient_rows(self, ids):
            with tf.GradientTape() as tape:
                loss = tf.reduce_sum(tf.gather(self.w, ids) ** 3)
            return tape.gradient(loss, self.w)

        @tf.function(input_signature=[tf.TensorSpec([None, 2]), tf.TensorSpec([None], tf.int64)])
        def whole(self, values, indices):
            size = tf.stack([5, 2])
            return tf.convert_to_tensor(tf.IndexedSlices(values, indices, size)) * self.scale

    ragged = tf.ragged.constant([[1.0, 2.0], [], [4.0, 0.5, 1.0]])
    sparse = tf.sparse.from_dense([[0.0, 1.0, 0.0, 2.0, 0.0], [3.0, 0.0, 0.0, 0.0, 1.0]])
    calls = [
        ("pair", [ragged], {}),
        ("scaled", [sparse], {}),
        ("gradient_rows", [np.array([1, 3, 1], np.int32)], {}),
        ("whole", [rows(3, 2), np.array([4, 0, 4])], {}),
    ]
    return Composite(), None, calls


@model
def strings():
    class Text(tf.Module):
        @tf.function(input_signature=[tf.TensorSpec([None], tf.string)])
        def normalized(self, lines):
            lower = tf.strings.lower(tf.strings.strip(lines))
            plain = tf.strings.regex_replace(lower, r"[^a-z0-9 ]", "")
            return plain, tf.strings.length(plain), tf.strings.substr(plain, 0, 3)

        @tf.function(input_signature=[tf.TensorSpec([None], tf.string)])
        def hashed(self, words):
            return tf.strings.to_hash_bucket_fast(words, 100), tf.strings.join([words, words], "+")

        @tf.function(input_signature=[tf.TensorSpec([None], tf.float32)])
        def shown(self, x):
            text = tf.strings.as_string(x, precision=2)
            return tf.strings.reduce_join(text, separator=","), tf.strings.to_number(text)

        @tf.function(input_signature=[tf.TensorSpec([], tf.string)])
        def matches(self, line):
            return tf.strings.regex_full_match(line, "a+b"), line == "aab"

    lines = np.array([b" Hello, World! ", b"TF 2"], object)
    calls = [
        ("normalized", [lines], {}),
        ("hashed", [lines], {}),
        ("shown", [np.array([1.5, 2.25], np.float32)], {}),
        ("matches", [np.array(b"aab", object)], {}),
    ]
    return Text(), None, calls


@model
def random_numbers():
    """Random numbers: their shapes and dtypes are recorded, not their values."""

    class Random(tf.Module):
        def __init__(self):
            super().__init__()
            self.w = tf.Variable(rows(3))

        @tf.function(input_signature=[tf.TensorSpec([None, 3])])
        def noisy(self, x):
            noise = tf.random.normal(tf.shape(x)) + tf.random.uniform([3], 1.0, 2.0)
            noise += tf.random.truncated_normal([3])
            return 0.0 * noise + x * self.w

        @tf.function(input_signature=[tf.TensorSpec([2], tf.int32)])
        def stateless(self, seed):
            x = tf.random.stateless_uniform([4], seed)
            y = tf.random.stateless_normal([2, 2], seed)
            k = tf.random.stateless_uniform([3], seed, 0, 9, tf.int32)
            z = tf.random.stateless_truncated_normal([2], seed)
            inside = tf.reduce_all((x >= 0) & (x < 1)) & tf.reduce_all((k >= 0) & (k < 9))
            return inside, tf.shape(y), tf.reduce_all(tf.abs(z) <= 2.0)

        @tf.function(input_signature=[tf.TensorSpec([], tf.int32)])
        def dropped(self, n):
            x = tf.nn.dropout(tf.ones([n]), 0.5)
            picked = tf.random.categorical(tf.zeros([2, 3]), n)
            shuffled = tf.sort(tf.random.shuffle(tf.range(n)))
            return tf.reduce_all((x == 0) | (x == 2)), tf.shape(picked), shuffled

    calls = [
        ("noisy", [rows(2, 3)], {}),
        ("stateless", [np.array([1, 2], np.int32)], {}),
        ("dropped", [np.int32(5)], {}),
    ]
    return Random(), None, calls


@model
def custom_gradient():
    class Custom(tf.Module):
        def __init__(self):
            super().__init__()
            self.w = tf.Variable(0.5)

        @tf.function(input_signature=[tf.TensorSpec([None])])
        def clipped(self, x):
            @tf.custom_gradient
            def clip(y):
                return tf.identity(y), lambda dy: tf.clip_by_value(dy, -0.1, 0.1)

            return clip(x * self.w)

        @tf.function(input_signature=[tf.TensorSpec([None])])
        def stopped(self, x):
            return x * tf.stop_gradient(x) + self.w * tf.grad_pass_through(tf.round)(x)

    x = rows(3)
    return Custom(), None, [("clipped", [x], {}), ("stopped", [x], {})]


@model
def training_step():
    """A model whose saved function computes gradients and changes variables."""

    class Trained(tf.Module):
        def __init__(self):
            super().__init__()
            self.w = tf.Variable(rows(3, 2))
            self.b = tf.Variable(tf.zeros([2]))
            self.momentum = tf.Variable(tf.zeros([3, 2]), trainable=False)

        @tf.function(input_signature=[tf.TensorSpec([None, 3]), tf.TensorSpec([None, 2])])
        def train(self, x, y):
            with tf.GradientTape() as tape:
                out = tf.nn.softmax_cross_entropy_with_logits(y, tf.nn.relu(x @ self.w) + self.b)
                loss = tf.reduce_mean(out)
            dw, db = tape.gradient(loss, [self.w, self.b])
            self.momentum.assign(0.9 * self.momentum + dw)
            self.w.assign_sub(0.1 * self.momentum)
            self.b.assign_sub(0.1 * db)
            return loss

        @tf.function(input_signature=[tf.TensorSpec([None, 3])])
        def predict(self, x):
            return tf.nn.softmax(tf.nn.relu(x @ self.w) + self.b)

    x = rows(4, 3)
    y = np.eye(2, dtype=np.float32)[[0, 1, 1, 0]]
    calls = [("predict", [x], {}), *[("train", [x, y], {})] * 3, ("predict", [x], {})]
    return Trained(), None, calls


@model
def linear_algebra():
    class Algebra(tf.Module):
        def __init__(self):
            super().__init__()
            self.a = tf.Variable(rows(3, 3) + 4 * np.eye(3, dtype=np.float32))

        @tf.function(input_signature=[tf.TensorSpec([3, 2])])
        def solved(self, b):
            s = tf.matmul(self.a, self.a, transpose_b=True)
            x = tf.linalg.solve(self.a, b)
            y = tf.linalg.triangular_solve(tf.linalg.cholesky(s), b)
            return x, y, tf.linalg.det(self.a), tf.linalg.logdet(s)

        @tf.function(input_signature=[tf.TensorSpec([2, 3, 3])])
        def contracted(self, x):
            y = tf.einsum("bij,jk->bik", x, self.a)
            return tf.linalg.trace(y), tf.linalg.band_part(y, 1, 0), tf.linalg.diag_part(y)

        @tf.function(input_signature=[tf.TensorSpec([4])])
        def transformed(self, x):
            f = tf.signal.fft(tf.cast(x, tf.complex64))
            return tf.abs(f), tf.signal.irfft(tf.signal.rfft(x)), tf.math.real(f)

    calls = [
        ("solved", [rows(3, 2)], {}),
        ("contracted", [rows(2, 3, 3)], {}),
        ("transformed", [rows(4)], {}),
    ]
    return Algebra(), None, calls


@model
def shapes_and_slices():
    class Shapes(tf.Module):
        def __init__(self):
            super().__init__()
            self.w = tf.Variable(rows(4))

        @tf.function(input_signature=[tf.TensorSpec([None, None, 4])])
        def rearranged(self, x):
            n = tf.shape(x)
            y = tf.reshape(x * self.w, [n[0] * n[1], 4])
            z = tf.transpose(tf.tile(y[tf.newaxis, ::-1, 1:3], [2, 1, 1]), [2, 0, 1])
            top = tf.math.top_k(y, 2)
            return z, tf.stack(tf.unstack(y, axis=1), 0), top.values, top.indices

        @tf.function(input_signature=[tf.TensorSpec([3, 4])])
        def scattered(self, x):
            y = tf.tensor_scatter_nd_add(x, [[0], [2]], tf.stack([self.w, self.w]))
            z = tf.gather_nd(y, [[0, 1], [2, 3]])
            split = tf.split(y, [1, 3], axis=1)
            padded = tf.pad(split[0], [[1, 0], [0, 1]], constant_values=1.0)
            return z, padded, tf.concat(split[::-1], 1), tf.one_hot(tf.argmax(x, 1), 4)

        @tf.function(input_signature=[tf.TensorSpec([None])])
        def selected(self, x):
            kept = tf.boolean_mask(x, x > 0)
            values, where = tf.unique(tf.round(x))
            total = tf.math.unsorted_segment_sum(x, where, tf.size(values))
            return kept, total, tf.where(x > 0, x, 0.1 * x), tf.cumsum(x, exclusive=True)

        @tf.function(input_signature=[tf.TensorSpec(None)])
        def any_rank(self, x):
            return tf.reduce_sum(x) * self.w, tf.rank(x), tf.reverse(tf.reshape(x, [-1]), [0])

    calls = [
        ("rearranged", [rows(2, 3, 4)], {}),
        ("scattered", [rows(3, 4)], {}),
        ("selected", [rows(6)], {}),
        ("any_rank", [rows(2, 3)], {}),
    ]
    return Shapes(), None, calls


@model
def elementwise():
    class Elementwise(tf.Module):
        def __init__(self):
            super().__init__()
            self.w = tf.Variable(0.3)

        @tf.function(input_signature=[tf.TensorSpec([None])])
        def smooth(self, x):
            y = tf.exp(-tf.square(x)) + tf.math.erf(x) + tf.math.softplus(x) + tf.nn.elu(x)
            y += tf.sinh(x) * tf.cosh(self.w) + tf.math.lgamma(tf.abs(x) + 1.0) + tf.atan2(x, 2.0)
            return y + tf.math.log1p(x * x) + tf.pow(tf.abs(x), 1.5) + tf.nn.leaky_relu(x)

        @tf.function(input_signature=[tf.TensorSpec([None], tf.int32)])
        def whole(self, n):
            return n // 3, n % 3, tf.bitwise.bitwise_and(n, 5), tf.cast(n, tf.float32) * self.w

        @tf.function(input_signature=[tf.TensorSpec([None]), tf.TensorSpec([None])])
        def compared(self, x, y):
            return tf.maximum(x, y) * self.w, (x < y) | (x > 1.0), tf.reduce_any(x == y)

    calls = [
        ("smooth", [rows(5)], {}),
        ("whole", [np.array([7, -7, 4], np.int32)], {}),
        ("compared", [rows(3), rows(3, seed=1)], {}),
    ]
    return Elementwise(), None, calls


@model
def normalizers():
    """Makes Keras' preprocessing layers: Normalization, StringLookup, Discretization, Hashing,
    ..."""
    number, word = keras.Input((1,), name="n"), keras.Input((1,), dtype="string", name="w")
    normal = keras.layers.Normalization()
    normal.adapt(rows(20, 1) * 3 + 2)
    lookup = keras.layers.StringLookup(output_mode="one_hot")
    lookup.adapt(np.array([["a"], ["b"], ["a"]]))
    cut = keras.layers.Discretization([-1.0, 0.0, 1.0], output_mode="one_hot")
    x = keras.layers.Concatenate()([normal(number), lookup(word), cut(number)])
    made = keras.Model({"n": number, "w": word}, keras.layers.Dense(2)(x))
    given = {"n": rows(3, 1), "w": np.array([[b"a"], [b"zz"], [b"b"]], object)}
    return exported(made), None, [("serve", [given], {})]


@model
def data_set():
    class Data(tf.Module):
        @tf.function(input_signature=[tf.TensorSpec([None])])
        def total(self, x):
            data = (
                tf.data.Dataset.from_tensor_slices(x).map(lambda v: v * v).filter(lambda v: v > 0.5)
            )
            return data.reduce(tf.constant(0.0), lambda a, v: a + v)

        @tf.function(input_signature=[tf.TensorSpec([], tf.int64)])
        def batches(self, n):
            total = tf.constant(0, tf.int64)
            for rows in tf.data.Dataset.range(n).batch(2):
                total = total * 10 + tf.reduce_sum(rows)
            return total

    return Data(), None, [("total", [rows(5)], {}), ("batches", [np.int64(5)], {})]


@model
def parsed_examples():
    class Parser(tf.Module):
        def __init__(self):
            super().__init__()
            self.w = tf.Variable(rows(2, 1))

        @tf.function(input_signature=[tf.TensorSpec([None], tf.string)])
        def score(self, serialized):
            features = tf.io.parse_example(
                serialized,
                {
                    "x": tf.io.FixedLenFeature([2], tf.float32),
                    "tag": tf.io.VarLenFeature(tf.string),
                },
            )
            return features["x"] @ self.w, tf.sparse.to_dense(features["tag"], default_value="?")

    def example(x, tags):
        feature = {
            "x": tf.train.Feature(float_list=tf.train.FloatList(value=x)),
            "tag": tf.train.Feature(bytes_list=tf.train.BytesList(value=tags)),
        }
        return tf.train.Example(features=tf.train.Features(feature=feature)).SerializeToString()

    given = np.array([example([1.0, 2.0], [b"a", b"b"]), example([3.0, -1.0], [])], object)
    return Parser(), None, [("score", [given], {})]


@model
def image_functions():
    class Images(tf.Module):
        def __init__(self):
            super().__init__()
            self.w = tf.Variable(0.5)

        @tf.function(input_signature=[tf.TensorSpec([None, 4, 4, 3])])
        def augmented(self, x):
            y = tf.image.resize(x * self.w, [6, 6])
            y = tf.image.adjust_brightness(tf.image.flip_left_right(y), 0.1)[:, 1:5, 1:5]
            y = tf.image.per_image_standardization(y + tf.square(x)) * self.w
            return tf.image.rgb_to_grayscale(y), tf.image.resize(x, [2, 3], "nearest")

        @tf.function(input_signature=[tf.TensorSpec([4, 4, 1], tf.uint8)])
        def encoded(self, x):
            return tf.image.convert_image_dtype(tf.io.decode_png(tf.io.encode_png(x)), tf.float32)

        @tf.function(input_signature=[tf.TensorSpec([1, 6, 6, 2])])
        def windows(self, x):
            y = tf.nn.max_pool2d(x, 2, 2, "VALID") + tf.nn.avg_pool2d(x, 2, 2, "SAME") * self.w
            return y, tf.image.extract_patches(x, [1, 2, 2, 1], [1, 3, 3, 1], [1] * 4, "VALID")

    gray = np.arange(16, dtype=np.uint8).reshape(4, 4, 1)
    calls = [
        ("augmented", [rows(2, 4, 4, 3)], {}),
        ("encoded", [gray], {}),
        ("windows", [rows(1, 6, 6, 2)], {}),
    ]
    return Images(), None, calls


@model
def second_order():
    """Functions that contain gradients themselves, through a loop and a choice."""

    class Physics(tf.Module):
        def __init__(self):
            super().__init__()
            self.k = tf.Variable(1.5)

        @tf.function(input_signature=[tf.TensorSpec([None])])
        def force(self, x):
            with tf.GradientTape() as tape:
                tape.watch(x)
                energy = x
                for _ in tf.range(2):
                    energy = tf.sin(energy) * self.k
                energy = tf.reduce_sum(energy * energy)
            return tape.gradient(energy, x)

    return Physics(), None, [("force", [rows(3)], {})]


def tensors(value):
    """An argument as TensorFlow takes it."""
    if isinstance(value, dict):
        return {k: tensors(v) for k, v in value.items()}
    if isinstance(value, (list, tuple)):
        return [tensors(v) for v in value]
    if isinstance(value, (np.ndarray, np.generic)):
        return tf.constant(value, tf.string if value.dtype == object else None)
    return value


def found(root, path):
    """The part of a model at a path such as `signatures.serving_default`."""
    for name in path.split(".") if path else []:
        root = (
            root[name] if isinstance(root, dict) or name not in dir(root) else getattr(root, name)
        )
    return root


def flat(value):
    """The tensors of a structure, those of composite ones among them."""
    leaves = tf.nest.flatten(value, expand_composites=True)
    return [x if isinstance(x, tf.Tensor) else tf.constant(x) for x in leaves]


def loss_of(outputs):
    reals = [x for x in outputs if x.dtype.is_floating]
    return tf.add_n([tf.reduce_sum(tf.square(x)) for x in reals]) if reals else None


def recorded(loaded, variables, calls):
    """Returns the results of a loaded model, with gradients and three steps of training."""
    kept, recorded_calls = {}, []
    wanted = [v for _, v in variables]
    for number, (path, *given) in enumerate(calls):
        function = found(loaded, path)
        args, kwargs = tensors(given[0]), tensors(given[1])
        for place, x in enumerate(flat([args, kwargs])):
            kept[f"{number}/in/{place}"] = x.numpy()
        out, gradients, second = differentiated(function, args, kwargs, wanted, *given[2:])
        for place, x in enumerate(flat(out)):
            kept[f"{number}/out/{place}"] = x.numpy()
        for key, values in (("gradient", gradients), ("second", second)):
            for place, d in enumerate(values or []):
                if d is not None:
                    kept[f"{number}/{key}/{place}"] = tf.convert_to_tensor(d).numpy()
        recorded_calls.append(
            {
                "path": path,
                "args": shown(args),
                "kwargs": shown(kwargs),
                "outputs": shown(out),
                "losses": trained(function, args, kwargs, variables) if gradients else [],
                "second": second is not None,
            }
        )
    return kept, recorded_calls


def differentiated(function, args, kwargs, variables, order=2):
    """Returns results and gradients to the second order, or to the highest that TensorFlow has."""
    watched = [
        x
        for x in tf.nest.flatten([args, kwargs], expand_composites=True)
        if isinstance(x, tf.Tensor) and x.dtype.is_floating
    ]
    sources = [*variables, *watched]
    gradients, tapes = [None, None], [tf.GradientTape() for _ in range(order)]
    try:
        with contextlib.ExitStack() as stack:
            for tape in tapes:
                stack.enter_context(tape)
                tape.watch(watched)
            out = function(*args, **kwargs)
            loss = loss_of(flat(out))
            for place, tape in enumerate(reversed(tapes)):
                if loss is None:
                    break
                found_gradients = [
                    None if d is None else tf.convert_to_tensor(d)
                    for d in tape.gradient(loss, sources)
                ]
                gradients[place] = found_gradients
                loss = loss_of([d for d in found_gradients if d is not None])
    except Exception as error:  # TensorFlow raises many kinds
        if not order:
            raise
        sys.stdout.write(f"  no gradient {order}: {type(error).__name__}: {error}"[:200] + "\n")
        return differentiated(function, args, kwargs, variables, order - 1)
    return out, *gradients


def trained(function, args, kwargs, variables):
    """The losses of three steps of gradient descent; the variables get their old values back."""
    before = [v.numpy() for _, v in variables]
    losses = []
    for _ in range(3):
        with tf.GradientTape() as tape:
            loss = loss_of(flat(function(*args, **kwargs)))
        losses.append(float(loss))
        for (_, v), d in zip(
            variables, tape.gradient(loss, [v for _, v in variables]), strict=True
        ):
            if d is not None:
                v.assign_sub(RATE * tf.convert_to_tensor(d))
    for (_, v), old in zip(variables, before, strict=True):
        v.assign(old)
    return losses


def shown(value):
    """A structure as JSON: dictionaries, lists, the kind of a composite tensor, 0 for a tensor."""
    if isinstance(value, dict):
        return {k: shown(value[k]) for k in sorted(value)}
    if isinstance(value, (list, tuple)):
        return [shown(v) for v in value]
    if isinstance(value, tf.Tensor):
        return 0
    return value if isinstance(value, (bool, int, float, str, type(None))) else type(value).__name__


def variables_of(directory, loaded):
    """The trainable variables of a loaded model with the way to each of them."""
    message = importlib.import_module("tensorflow.core.protobuf.saved_model_pb2").SavedModel()
    message.ParseFromString((directory / "saved_model.pb").read_bytes())
    nodes = message.meta_graphs[0].object_graph_def.nodes
    if not nodes:
        return [(f"the variable {v.name}", v) for v in loaded.variables if v.trainable]
    paths, queue = {0: ()}, [0]
    for number in queue:
        for child in nodes[number].children:
            if child.node_id not in paths:
                paths[child.node_id] = (*paths[number], child.local_name)
                queue.append(child.node_id)
    out = []
    for number, path in paths.items():
        if nodes[number].WhichOneof("kind") == "variable" and nodes[number].variable.trainable:
            part = loaded
            for name in path:
                if isinstance(part, (list, tuple)):
                    part = part[int(name)]
                elif isinstance(part, dict):
                    part = part[name]
                else:
                    part = getattr(part, name)
            out.append((".".join(path), part))
    return [(p, v) for p, v in out if v.dtype.is_floating]


def write(name):
    """Makes one model's file."""
    tf.keras.backend.clear_session()
    keras.config.set_floatx("float32")
    keras.utils.set_random_seed(7)
    made, signatures, calls = MODELS[name]()
    directory = Path(tempfile.mkdtemp()) / name
    if isinstance(made, tuple) and made[0] == "keras":
        made[1].export(str(directory), verbose=False)
    elif isinstance(made, tuple):
        made[1](str(directory))
    else:
        options = tf.saved_model.SaveOptions(experimental_custom_gradients=True)
        tf.saved_model.save(made, str(directory), signatures=signatures, options=options)
    loaded = tf.saved_model.load(str(directory))
    variables = variables_of(directory, loaded)
    kept, recorded_calls = recorded(loaded, variables, calls)
    about = {"calls": recorded_calls, "variables": [path for path, _ in variables], "rate": RATE}
    np.savez_compressed(directory / "recorded.npz", **{k: plain(v) for k, v in kept.items()})
    (directory / "recorded.json").write_text(json.dumps(about, indent=1), encoding="utf-8")
    pack(directory, HERE / f"{name}.zip")
    shutil.rmtree(directory.parent)


def pack(directory, file):
    """Writes a folder as a zip file that is the same each time."""
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
        for path in sorted(directory.rglob("*")):
            if path.is_file() and path.name != "fingerprint.pb":
                info = zipfile.ZipInfo(str(path.relative_to(directory)), (2026, 1, 1, 0, 0, 0))
                info.compress_type = zipfile.ZIP_DEFLATED
                archive.writestr(info, path.read_bytes())


def main():
    for name in sys.argv[1:] or MODELS:
        write(name)
        sys.stdout.write(f"{name}: {(HERE / f'{name}.zip').stat().st_size} bytes\n")


if __name__ == "__main__":
    main()
