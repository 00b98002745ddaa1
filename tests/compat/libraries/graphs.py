"""Calls of Spektral, a library of graph networks, after its documentation.

Run by tools/compare_libraries.py on TensorFlow and on gradtape. The last three are whole programs.
"""

import inspect

import numpy as np
import tensorflow as tf
from spektral import layers, transforms, utils
from spektral.data import BatchLoader, Dataset, DisjointLoader, Graph, MixedLoader
from spektral.layers import ops
from spektral.models import GeneralGNN

CALLS = {}
NODES, FEATURES = 6, 3
RANDOM = np.random.RandomState(0)
X = RANDOM.normal(size=(NODES, FEATURES)).astype("float32")
A = np.zeros((NODES, NODES), "float32")
for i, j in [(0, 1), (0, 2), (1, 3), (2, 3), (3, 4), (4, 5), (1, 5)]:
    A[i, j] = A[j, i] = 1 + i / 4
EDGES = RANDOM.normal(size=(int((A != 0).sum()), 2)).astype("float32")
BATCH_X = np.stack([X, X[::-1] * 0.5])
BATCH_A = np.stack([A, A[::-1, ::-1]])
SEGMENTS = np.array([0, 0, 0, 1, 1, 1])


def call(function):
    """Adds a function to the calls, under its name."""
    CALLS[function.__name__.replace("_", " ")] = function
    return function


def sparse(array=A):
    return tf.sparse.from_dense(array)


def fixed(model):
    """Gives each weight values that do not depend on a generator."""
    numbers = np.random.RandomState(1)
    for weight in model.weights:
        weight.assign(numbers.normal(size=weight.shape, scale=0.4).astype("float32"))


def of_layer(layer, *inputs):
    """Returns the layer's result, and gradients with respect to weights and features.

    Keras 3 gives a layer masks of None, which Spektral takes for masks: they are given here.
    """
    options = {}
    if "mask" in inspect.signature(layer.call).parameters:
        options["mask"] = [
            np.ones((*inputs[0].shape[:-1], 1), "float32"),
            *[None] * len(inputs[1:]),
        ]
    layer(list(inputs), **options)
    fixed(layer)
    x = tf.Variable(inputs[0])
    with tf.GradientTape() as tape:
        out = layer([x, *inputs[1:]], **options)
        parts = [p.values if isinstance(p, tf.SparseTensor) else p for p in tf.nest.flatten(out)]
        loss = sum(tf.reduce_sum(tf.cast(p, "float32") ** 2) for p in parts)
    weights = [w.value if hasattr(w, "value") else w for w in layer.trainable_weights]
    gradients = tape.gradient(loss, [x, *weights])
    return parts, [0 if g is None else tf.convert_to_tensor(g) for g in gradients]


CONVOLUTIONS = {
    "GCNConv": {}, "GATConv": {}, "GATConv heads": {"attn_heads": 2, "concat_heads": False},
    "APPNPConv": {"propagations": 2}, "ARMAConv": {"order": 2},
    "GraphSageConv": {"aggregate": "mean"}, "GINConv": {"mlp_hidden": [4]}, "TAGConv": {"K": 2},
    "GCSConv": {}, "EdgeConv": {"mlp_hidden": [4]}, "GeneralConv": {"batch_norm": False},
    "GatedGraphConv": {"n_layers": 2}, "GTVConv": {}, "DiffusionConv": {"K": 2},
}  # fmt: skip
DENSE = {"DiffusionConv"}
ALSO_DENSE = {"GCNConv", "GATConv", "APPNPConv", "ARMAConv", "GCSConv", "GTVConv"}


def convolution(key, kind):
    name = key.split()[0]
    layer = getattr(layers, name)(4, **CONVOLUTIONS[key])
    a = getattr(layers, name).preprocess(A).astype("float32")
    if kind == "batch":
        return of_layer(layer, BATCH_X, np.stack([a, a]))
    if kind == "mixed":
        return of_layer(layer, BATCH_X, sparse(a))
    if kind == "dense":  # small numbers, which do not saturate the hyperbolic tangent
        return of_layer(layer, X * 0.1, a)
    return of_layer(layer, X, sparse(a))


for each in CONVOLUTIONS:
    if each in DENSE:
        CALLS[f"{each} dense"] = lambda each=each: convolution(each, "dense")
    else:
        CALLS[f"{each} sparse"] = lambda each=each: convolution(each, "sparse")
    if each in ALSO_DENSE:
        CALLS[f"{each} batch"] = lambda each=each: convolution(each, "batch")
        if each != "GTVConv":
            CALLS[f"{each} mixed"] = lambda each=each: convolution(each, "mixed")


@call
def attention_coefficients():
    return of_layer(layers.GATConv(4, return_attn_coef=True), X, A)


@call
def agnn():
    return of_layer(layers.AGNNConv(), X, sparse())


@call
def crystal():
    return of_layer(layers.CrystalConv(), X, sparse(), EDGES)


@call
def ecc():
    return of_layer(layers.ECCConv(4, kernel_network=[5]), X, sparse(), EDGES)


@call
def xenet():
    return of_layer(layers.XENetConv([5], 4, 2), X, sparse(), EDGES)


@call
def own_message_passing():
    class Mean(layers.MessagePassing):
        def message(self, x):
            return self.get_sources(x) - self.get_targets(x)

        def update(self, embeddings):
            return tf.tanh(embeddings)

    return of_layer(Mean(aggregate="mean"), X, sparse())


# Pooling.
GLOBAL = ("GlobalSumPool", "GlobalAvgPool", "GlobalMaxPool")
for each in GLOBAL:
    CALLS[each] = lambda each=each: single_pool(getattr(layers, each)(), X)
    CALLS[f"{each} batch"] = lambda each=each: single_pool(getattr(layers, each)(), BATCH_X)
for each in GLOBAL:
    CALLS[f"{each} disjoint"] = lambda each=each: getattr(layers, each)()([X, SEGMENTS])


def single_pool(layer, x):
    layer(x)
    fixed(layer)
    x = tf.Variable(x)
    with tf.GradientTape() as tape:
        out = layer(x)
        loss = tf.reduce_sum(out**2)
    return out, tape.gradient(loss, x)


@call
def global_attention():
    return single_pool(layers.GlobalAttentionPool(4), X)


@call
def sort_pool():
    return single_pool(layers.SortPool(3), X)


# Operations.
KINDS = {"dense": lambda x: tf.constant(x), "sparse": sparse}
for left in KINDS:
    for right in KINDS:
        for ranks in ("2 2", "3 3", "2 3", "3 2"):
            CALLS[f"modal dot {left} {right} {ranks}"] = (
                lambda left=left, right=right, ranks=ranks: modal(left, right, ranks)
            )


def modal(left, right, ranks):
    values = {"2": A, "3": BATCH_A}
    a, b = (values[rank] for rank in ranks.split())
    return ops.modal_dot(KINDS[left](a), KINDS[right](b))


@call
def modal_dot_transposed():
    x = tf.constant(X)
    return ops.modal_dot(sparse(), x, transpose_a=True), ops.modal_dot(x, sparse(), True)


@call
def gradient_of_a_product_of_sparse_tensors():
    values, other = tf.Variable(sparse().values), tf.Variable(sparse().values * 0.5)
    with tf.GradientTape() as tape:
        a = sparse().with_values(values)
        b = sparse().with_values(other)
        loss = tf.reduce_sum(tf.sparse.to_dense(ops.dot(a, b)))
    return loss, tape.gradient(loss, [values, other])


@call
def quadratic_form():
    return ops.matmul_at_b_a(tf.constant(X), tf.constant(A)), ops.matmul_at_b_a(sparse(), sparse())


@call
def powers():
    return ops.matrix_power(tf.constant(A), 3), ops.matrix_power(sparse(), 3)


@call
def degrees():
    a = tf.constant(A)
    return ops.degrees(a), ops.degree_matrix(a), ops.degrees(sparse()), ops.normalize_A(a)


@call
def sparse_self_loops():
    indices = ops.add_self_loops_indices(sparse().indices, NODES)
    return ops.add_self_loops(sparse(), 2.0), indices


@call
def scatter():
    index = np.array([0, 2, 1, 2, 0, 1])
    names = ("sum", "mean", "max", "min", "prod")
    return [ops.deserialize_scatter(name)(X, index, 3) for name in names]


@call
def segment_softmax():
    return ops.unsorted_segment_softmax(X, tf.constant([0, 2, 1, 2, 0, 1]), 3)


@call
def segments():
    batch = ops.disjoint_signal_to_batch(X, tf.constant(SEGMENTS))
    blocks = sparse(A * (SEGMENTS[:, None] == SEGMENTS))
    return batch, ops.disjoint_adjacency_to_batch(blocks, tf.constant(SEGMENTS))


@call
def segment_top_k():
    return ops.segment_top_k(tf.constant(X[:, 0]), tf.constant(SEGMENTS), 0.5)


@call
def masks():
    mask = tf.constant([True, False, True, True, False, True])
    chosen = tf.constant([0, 2, 3], tf.int64)
    return (
        ops.boolean_mask_sparse(sparse(), mask)[0],
        ops.boolean_mask_sparse_square(sparse(), mask)[0],
        ops.gather_sparse(sparse(), chosen)[0],
        ops.gather_sparse_square(sparse(), chosen)[0],
    )


# Utilities, data.
@call
def filters():
    return (
        utils.gcn_filter(A), utils.normalized_laplacian(A), utils.rescale_laplacian(A, 2.0),
        utils.chebyshev_polynomial(A, 2), utils.degree_power(A, -0.5), utils.add_self_loops(A),
        utils.incidence_matrix(A), utils.line_graph(utils.incidence_matrix(A)),
    )  # fmt: skip


class Small(Dataset):
    """Graphs of different sizes, whose labels say which are larger."""

    def read(self):
        graphs = []
        numbers = np.random.RandomState(2)
        for size in (3, 4, 5, 6, 4, 3, 6, 5):
            a = (numbers.uniform(size=(size, size)) > 0.5).astype("float32")
            a = np.maximum(a, a.T)
            x = numbers.normal(size=(size, FEATURES)).astype("float32")
            graphs.append(Graph(x=x, a=a, y=np.eye(2, dtype="float32")[int(size > 4)]))
        return graphs


@call
def graph_transforms():
    data = Small()
    data.apply(transforms.GCNFilter())
    data.apply(transforms.Degree(4))
    data.apply(transforms.NormalizeOne())
    return [(g.x, np.asarray(g.a)) for g in data]


@call
def loader_disjoint():
    data = Small()
    return [
        (x, tf.sparse.to_dense(tf.sparse.reorder(a)), i, y)
        for (x, a, i), y in DisjointLoader(data, batch_size=3, epochs=1, shuffle=False)
    ]


@call
def loader_batch():
    return list(BatchLoader(Small(), batch_size=3, epochs=1, shuffle=False))


@call
def datasets_of_loaders():
    loader = DisjointLoader(Small(), batch_size=4, epochs=1, shuffle=False)
    return [(x, tf.sparse.to_dense(tf.sparse.reorder(a)), i, y) for (x, a, i), y in loader.load()]


@call
def loader_mixed():
    class Signals(Dataset):
        def read(self):
            self.a = A
            return [Graph(x=X * k, y=float(k)) for k in range(4)]

    return list(MixedLoader(Signals(), batch_size=2, epochs=1, shuffle=False))


@call
def general_network():
    model = GeneralGNN(2, hidden=8, message_passing=2, pre_process=1, post_process=1, dropout=0.0)
    inputs = [tf.constant(X), sparse(), tf.constant(SEGMENTS)]
    model(inputs)
    fixed(model)
    return model(inputs)


# Whole programs.
@call
def program_node_classification_with_a_loop():
    a = sparse(utils.gcn_filter(A).astype("float32"))
    first, second = layers.GCNConv(8, activation="relu"), layers.GCNConv(2, activation="softmax")
    mask = [tf.ones([NODES, 1]), None]

    def logits():
        return second([first([X, a], mask=mask), a], mask=mask)

    logits()
    fixed(first)
    fixed(second)
    labels = tf.one_hot([0, 0, 1, 1, 1, 0], 2)
    optimizer = tf.keras.optimizers.Adam(0.05)
    weights = first.trainable_weights + second.trainable_weights

    @tf.function
    def step():
        with tf.GradientTape() as tape:
            out = logits()
            loss = tf.reduce_mean(tf.keras.losses.categorical_crossentropy(labels, out))
        optimizer.apply_gradients(zip(tape.gradient(loss, weights), weights, strict=True))
        return loss

    return [step() for _ in range(20)], logits()


class Net(tf.keras.Model):
    """Classifies graphs."""

    def __init__(self):
        super().__init__()
        self.first = layers.GCSConv(8, activation="relu")
        self.second = layers.GCSConv(8, activation="relu")
        self.pool = layers.GlobalAvgPool()
        self.last = tf.keras.layers.Dense(2)

    def call(self, inputs):
        x, a, i = inputs
        mask = [tf.ones([tf.shape(x)[0], 1]), None]
        x = self.second([self.first([x, a], mask=mask), a], mask=mask)
        return self.last(self.pool([x, i]))


@call
def program_graph_classification():
    model = Net()
    optimizer = tf.keras.optimizers.Adam(0.02)
    losses = []
    for (x, a, i), y in DisjointLoader(Small(), batch_size=4, epochs=10, shuffle=False):
        if not losses:
            model([x, a, i])
            fixed(model)
        with tf.GradientTape() as tape:
            logits = model([x, a, i])
            loss = tf.reduce_mean(tf.nn.softmax_cross_entropy_with_logits(y, logits))
        weights = model.trainable_weights
        optimizer.apply_gradients(zip(tape.gradient(loss, weights), weights, strict=True))
        losses.append(loss)
    return losses


@call
def program_training_by_fit():
    model = Net()
    loss = tf.keras.losses.CategoricalCrossentropy(from_logits=True)
    model.compile("adam", loss, metrics=["accuracy"], run_eagerly=True)
    loader = DisjointLoader(Small(), batch_size=4, shuffle=False)
    model(next(loader)[0])
    fixed(model)
    loader = DisjointLoader(Small(), batch_size=4, shuffle=False)
    seen = model.fit(loader.load(), steps_per_epoch=2, epochs=3, verbose=0)
    return seen.history["loss"], seen.history["accuracy"]
