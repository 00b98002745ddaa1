"""Further models for `make.py`: of Keras 3, TensorFlow Probability, GPflow, and other programs."""

import importlib

import numpy as np
from program_models import module

tf = importlib.import_module("tensorflow")
keras = importlib.import_module("keras")

MODELS = {}
FLOATS = tf.TensorSpec([None])
DOUBLES = tf.TensorSpec([None], tf.float64)
TEXTS = tf.TensorSpec([None], tf.string)


def model(build):
    """Marks a function that gives `(object, signatures, calls)`."""
    MODELS[build.__name__] = build
    return build


def rows(*shape, seed=0, dtype=np.float32):
    return np.random.default_rng(seed).standard_normal(shape).astype(dtype)


def ids(high, *shape, seed=0):
    return np.random.default_rng(seed).integers(0, high, shape).astype(np.int32)


def texts(*words):
    return np.array(words, object)


def exported(made):
    return ("keras", made)


@model
def feature_space():
    """Keras 3's FeatureSpace: lookups, crosses and normalization that are learned from data."""
    kinds = keras.utils.FeatureSpace
    space = kinds(
        features={
            "age": kinds.float_normalized(),
            "size": kinds.float_discretized(num_bins=3),
            "city": kinds.string_categorical(num_oov_indices=1),
            "plan": kinds.integer_categorical(output_mode="one_hot"),
            "code": kinds.string_hashed(num_bins=5),
        },
        crosses=[kinds.cross(("city", "plan"), crossing_dim=6)],
        output_mode="concat",
    )
    given = {
        "age": np.array([[20.0], [35.0], [50.0]], np.float32),
        "size": np.array([[1.0], [2.5], [9.0]], np.float32),
        "city": texts([b"Rom"], [b"Oslo"], [b"Rom"]),
        "plan": np.array([[1], [2], [1]], np.int32),
        "code": texts([b"x1"], [b"x2"], [b"y"]),
    }
    plain = {k: v.astype(str) if v.dtype == object else v for k, v in given.items()}
    space.adapt(tf.data.Dataset.from_tensor_slices(plain))
    inputs = space.get_inputs()
    out = keras.layers.Dense(2, activation="tanh")(space.get_encoded_features())
    return exported(keras.Model(inputs, out)), None, [("serve", [given], {})]


@model
def layers_of_eight_bits():
    """Layers of Keras 3 that are quantized to int8, and a layer with a low-rank update."""
    words = keras.Input((4,), dtype="int32")
    x = keras.layers.Embedding(9, 6)(words)
    x = keras.layers.EinsumDense("bik,kj->bij", (None, 5), bias_axes="j")(x)
    made = keras.Model(words, keras.layers.Dense(3, activation="relu")(x))
    made.quantize("int8")
    low_rank = keras.layers.Dense(2)
    y = low_rank(made.output)
    low_rank.enable_lora(2)
    return exported(keras.Model(words, y)), None, [("serve", [ids(9, 2, 4)], {})]


@model
def half_precision():
    """A Keras 3 model that computes in bfloat16, with variables of float32."""
    keras.config.set_dtype_policy("mixed_bfloat16")
    made = keras.Sequential(
        [
            keras.Input((4,)),
            keras.layers.Dense(5, activation="relu"),
            keras.layers.LayerNormalization(),
            keras.layers.Dense(2, dtype="float32"),
        ]
    )
    keras.config.set_dtype_policy("float32")
    return exported(made), None, [("serve", [rows(3, 4)], {}, 0)]


@model
def recurrent_convolutions():
    """ConvLSTM of one and three dimensions, forwards and backwards, and a GRU with a state."""
    keras.config.set_floatx("float64")
    layers = keras.layers
    line, volume = keras.Input((3, 6, 2)), keras.Input((2, 3, 3, 3, 1))
    x = layers.Bidirectional(layers.ConvLSTM1D(2, 3, padding="same", return_sequences=True))(line)
    x = layers.TimeDistributed(layers.Conv1D(2, 2, activation="relu"))(x)
    x = layers.TimeDistributed(layers.GlobalAveragePooling1D())(x)
    x = layers.Bidirectional(layers.GRU(2, reset_after=False), merge_mode="ave")(x)
    y = layers.ConvLSTM3D(1, 2, recurrent_activation="hard_sigmoid")(volume)
    made = keras.Model([line, volume], [x, y])
    given = [rows(2, 3, 6, 2, dtype=np.float64), rows(1, 2, 3, 3, 3, 1, dtype=np.float64)]
    return exported(made), None, [("serve", [given], {})]


@model
def spectrograms():
    """Keras 3's layers for sound."""
    sound = keras.Input((400,))
    mel = keras.layers.MelSpectrogram(64, 32, sampling_rate=2000, num_mel_bins=8, max_freq=900)
    short = keras.layers.STFTSpectrogram("psd", 32, 16, 64)
    x = keras.layers.Permute((2, 1))(mel(sound))
    x = keras.layers.Conv1D(3, 3, activation="relu")(x)
    y = keras.layers.Dense(2)(short(keras.layers.Reshape((400, 1))(sound)))
    out = [keras.layers.GlobalAveragePooling1D()(x), y]
    return exported(keras.Model(sound, out)), None, [("serve", [rows(2, 400)], {})]


@model
def kinds_of_resizing():
    """Keras 3's layers that resize and cut images, and keep their proportions or not."""
    layers = keras.layers
    image = keras.Input((7, 10, 3))
    made = [
        layers.Resizing(6, 6, "bicubic", crop_to_aspect_ratio=True)(image),
        layers.Resizing(8, 8, "nearest", pad_to_aspect_ratio=True)(image),
        layers.Resizing(5, 12, "lanczos5", antialias=True)(image),
        layers.CenterCrop(9, 9)(image),
    ]
    pooled = [layers.GlobalAveragePooling2D()(part) for part in made]
    out = layers.Dense(2)(layers.Rescaling(1 / 255.0)(layers.Concatenate()(pooled)))
    given = np.random.default_rng(0).integers(0, 255, (2, 7, 10, 3)).astype(np.float32)
    return exported(keras.Model(image, [*made, out])), None, [("serve", [given], {})]


@model
def endpoints():
    """A Keras 3 model with several functions, as an ExportArchive writes it."""
    words = keras.Input((None,), dtype="int32")
    embedding = keras.layers.Embedding(8, 4, mask_zero=True)
    encoder = keras.Model(words, keras.layers.Bidirectional(keras.layers.GRU(3))(embedding(words)))
    head = keras.Sequential([keras.Input((6,)), keras.layers.Dense(2, activation="softmax")])
    made = keras.Model(words, head(encoder(words)))

    def nearest(x):
        scores = tf.matmul(encoder(x), tf.transpose(encoder(x)))
        return tf.math.top_k(scores, 2)

    def write(directory):
        archive = keras.export.ExportArchive()
        archive.track(made)
        specs = [tf.TensorSpec([None, None], tf.int32)]
        archive.add_endpoint("call", lambda x: made(x, training=False), specs)
        archive.add_endpoint("train", lambda x: made(x, training=True), specs)
        archive.add_endpoint("encode", encoder, [tf.TensorSpec([None, 5], tf.int32, "words")])
        archive.add_endpoint("nearest", nearest, [tf.TensorSpec([None, None], tf.int32)])
        archive.add_variable_collection("head", head.trainable_variables)
        archive.write_out(directory, verbose=False)

    x = ids(8, 2, 5)
    calls = [(name, [x], {}) for name in ("call", "train", "encode", "nearest")]
    return ("written", write), None, [*calls, ("signatures.encode", [], {"words": x})]


@model
def model_in_a_model():
    """A saved model that another one has loaded, and a layer of Keras 3 that is one."""
    tempfile = importlib.import_module("tempfile")
    inner = tf.Module()
    inner.w = tf.Variable(rows(3, 2), name="w")
    table = tf.lookup.KeyValueTensorInitializer(["a", "b"], [0, 1])
    inner.table = tf.lookup.StaticHashTable(table, 2)

    @tf.function(input_signature=[tf.TensorSpec([None, 3], name="x")])
    def project(x):
        return {"y": tf.tanh(x @ inner.w)}

    @tf.function(input_signature=[TEXTS])
    def embed(words):
        return tf.gather(inner.w, inner.table.lookup(words))

    inner.project, inner.embed = project, embed
    folder = tempfile.mkdtemp()
    tf.saved_model.save(inner, folder, signatures=project)
    outer = tf.Module()
    outer.inner = tf.saved_model.load(folder)
    outer.w = tf.Variable(rows(2, 2, seed=1))
    layer = keras.layers.TFSMLayer(folder, call_endpoint="serving_default")
    outer.layer = layer

    @tf.function(input_signature=[tf.TensorSpec([None, 3]), TEXTS])
    def both(x, words):
        y = outer.inner.signatures["serving_default"](x=x)["y"]
        return y @ outer.w + outer.inner.embed(words), layer(x)

    outer.both = both
    return outer, None, [("both", [rows(2, 3), texts(b"b", b"zz")], {})]


@model
def kinds_of_optimizers():
    """A step of each of Keras 3's optimizers."""
    keras.config.set_floatx("float64")
    of = keras.optimizers
    slow = of.schedules.CosineDecay(0.1, 10, warmup_target=0.2, warmup_steps=3)
    makers = {
        "descent": of.SGD(slow, momentum=0.9, nesterov=True, clipvalue=0.5),
        "rms": of.RMSprop(0.1, momentum=0.5, centered=True),
        "adamw": of.AdamW(0.1, weight_decay=0.01, use_ema=True, ema_overwrite_frequency=2),
        "nadam": of.Nadam(of.schedules.PiecewiseConstantDecay([2], [0.1, 0.01])),
        "adafactor": of.Adafactor(0.1),
        "lion": of.Lion(0.1, global_clipnorm=1.0),
        "adamax": of.Adamax(0.1),
        "adadelta": of.Adadelta(1.0),
        "adagrad": of.Adagrad(0.1),
        "ftrl": of.Ftrl(0.1, l1_regularization_strength=0.01),
        "lamb": of.Lamb(0.1),
        "amsgrad": of.Adam(0.1, amsgrad=True, gradient_accumulation_steps=2),
        "scaled": of.LossScaleOptimizer(of.SGD(0.1), initial_scale=8.0, dynamic_growth_steps=2),
    }
    made = keras.Sequential(
        [keras.Input((3,)), keras.layers.Dense(4, "tanh"), keras.layers.Dense(1)]
    )
    root = tf.Module()
    root.model, root.optimizers = made, makers
    calls = []

    def columns(n):
        return tf.TensorSpec([None, n], tf.float64)

    def stepping(optimizer):
        @tf.function(input_signature=[columns(3), columns(1)])
        def step(x, y):
            with tf.GradientTape() as tape:
                loss = tf.reduce_mean(tf.square(made(x) - y))
                scaled = optimizer.scale_loss(loss)
            gradients = tape.gradient(scaled, made.trainable_variables)
            optimizer.apply_gradients(zip(gradients, made.trainable_variables, strict=True))
            return tf.stop_gradient(loss)

        return step

    for name, optimizer in makers.items():
        optimizer.build(made.trainable_variables)
        setattr(root, name, stepping(optimizer))
        calls += [(name, [rows(4, 3, dtype=np.float64), rows(4, 1, dtype=np.float64)], {})] * 3
    return root, None, calls


@model
def metrics():
    """Keras 3's metrics, updated within a function and kept with the model."""
    of = keras.metrics
    root = tf.Module()
    root.kept = [
        of.AUC(num_thresholds=11),
        of.BinaryAccuracy(),
        of.Precision(0.4),
        of.Recall(),
        of.F1Score(threshold=0.5),
        of.MeanSquaredError(),
        of.PrecisionAtRecall(0.5, num_thresholds=11),
        of.R2Score(),
        of.BinaryIoU(threshold=0.6),
        of.CosineSimilarity(),
        of.LogCoshError(),
    ]
    columns = tf.TensorSpec([None, 1])

    @tf.function(input_signature=[columns, columns])
    def update(labels, scores):
        for metric in root.kept:
            metric.update_state(labels, tf.stop_gradient(scores))
        return [tf.stop_gradient(metric.result()) for metric in root.kept]

    @tf.function(input_signature=[])
    def reset():
        for metric in root.kept:
            metric.reset_state()
        return tf.constant(len(root.variables_of_metrics))

    update(*map(tf.zeros, ([1, 1], [1, 1])))
    root.variables_of_metrics = [v.value for metric in root.kept for v in metric.variables]
    root.update, root.reset = update, reset
    labels = np.array([[0], [1], [1], [0], [1]], np.float32)
    scores = np.array([[0.1], [0.7], [0.45], [0.6], [0.9]], np.float32)
    calls = [("update", [labels, scores], {})] * 2 + [("reset", [], {})]
    return root, None, [*calls, ("update", [labels[1:], scores[1:]], {})]


@model
def generation():
    """A language model that writes with kept keys and values, and picks words by their share."""

    def generate(m, start, length):
        batch = tf.shape(start)[0]
        keys, values = tf.zeros([batch, 8, 4]), tf.zeros([batch, 8, 4])
        line = tf.zeros([batch, 8], tf.int32)
        line = tf.concat([start[:, tf.newaxis], line[:, 1:]], 1)
        total = tf.zeros([batch])
        for t in tf.range(length):
            x = tf.gather(m.embed, line[:, t])
            q, k, v = tf.unstack(tf.einsum("bd,dce->cbe", x, m.qkv))
            where = tf.one_hot(t, 8)[:, tf.newaxis]
            keys += where * k[:, tf.newaxis]
            values += where * v[:, tf.newaxis]
            scores = tf.einsum("be,bte->bt", q, keys) / 2.0
            scores = tf.where(tf.range(8) <= t, scores, float("-inf"))
            h = x + tf.einsum("bt,bte->be", tf.nn.softmax(scores), values)
            logits = tf.nn.log_softmax(tf.matmul(h, m.embed, transpose_b=True))
            order = tf.argsort(logits, direction="DESCENDING")
            sorted_ = tf.gather(logits, order, batch_dims=1)
            share = tf.cumsum(tf.exp(sorted_), axis=1, exclusive=True)
            kept = tf.where(share < 0.8, sorted_, -1e9)
            pick = tf.math.floormod(t, tf.math.count_nonzero(kept > -1e8, 1, dtype=tf.int32))
            word = tf.gather(order, pick, batch_dims=1)
            total += tf.gather(logits, word, batch_dims=1)
            at = tf.stack([tf.range(batch), tf.fill([batch], t + 1)], 1)
            line = tf.tensor_scatter_nd_update(line, at, word)
        return line, total

    variables = {"embed": rows(6, 4), "qkv": rows(4, 3, 4, seed=1)}
    specs = [tf.TensorSpec([None], tf.int32), tf.TensorSpec([], tf.int32)]
    made = module(variables, generate=(generate, specs))
    return made, None, [("generate", [np.array([1, 4], np.int32), np.int32(5)], {})]


@model
def kinds_of_arrays():
    """Arrays of tensors that are scattered, gathered, joined and split, in loops with limits."""

    def joined(m, x):
        parts = tf.TensorArray(tf.float32, size=3, infer_shape=False)
        parts = parts.split(x * m.w, [1, 2, tf.shape(x)[0] - 3])
        out = tf.TensorArray(tf.float32, size=3, element_shape=[None, 2], infer_shape=False)
        for i in tf.range(3):
            out = out.write(2 - i, tf.sin(parts.read(i)))
        return out.concat(), out.size()

    def scattered(m, x, where):
        array = tf.TensorArray(tf.float32, size=tf.shape(x)[0], clear_after_read=False)
        array = array.scatter(where, x * m.w)
        total = tf.zeros([2])
        for i in tf.range(tf.shape(x)[0]):
            total += array.read(i) * tf.cast(i + 1, tf.float32)
        return array.gather([1, 0]), total, array.stack()

    def limited(m, x):
        def body(i, y, array):
            y = tf.tanh(y * m.w) + x
            return i + 1, y, array.write(i, y)

        start = 0, x, tf.TensorArray(tf.float32, size=0, dynamic_size=True)
        i, y, array = tf.while_loop(
            lambda i, y, _: tf.reduce_sum(y) < 50.0, body, start, maximum_iterations=4
        )
        k, z = tf.while_loop(
            lambda k, z: k < 3,
            lambda k, z: (k + 1, tf.concat([z, z[:1] * m.w], 0)),
            (0, x),
            shape_invariants=(tf.TensorShape([]), tf.TensorShape([None, 2])),
        )
        return i, y, array.stack(), k, z

    def lines(_, texts, n):
        array = tf.TensorArray(tf.string, size=0, dynamic_size=True, element_shape=[])
        for i in tf.range(n):
            if i % 2 == 0:
                array = array.write(array.size(), tf.strings.join([texts[0], tf.as_string(i)]))
            else:
                array = array.write(array.size(), texts[1])
        return array.stack()

    pairs = tf.TensorSpec([None, 2])
    made = module(
        {"w": rows(2)},
        joined=(joined, [pairs]),
        scattered=(scattered, [pairs, tf.TensorSpec([None], tf.int32)]),
        limited=(limited, [pairs]),
        lines=(lines, [TEXTS, tf.TensorSpec([], tf.int32)]),
    )
    calls = [
        ("joined", [rows(5, 2)], {}),
        ("scattered", [rows(3, 2), np.array([2, 0, 1], np.int32)], {}),
        ("limited", [rows(3, 2)], {}),
        ("lines", [texts(b"a", b"b"), np.int32(5)], {}),
    ]
    return made, None, calls


@model
def random_fields():
    """A conditional random field over sequences with lengths, and its best path."""

    def density(m, scores, tags, lengths):
        steps = tf.shape(scores)[1]
        mask = tf.sequence_mask(lengths, steps, tf.float32)
        single = tf.gather(scores, tags, axis=2, batch_dims=2)
        pairs = tf.gather_nd(m.t, tf.stack([tags[:, :-1], tags[:, 1:]], -1))
        path = tf.reduce_sum(single * mask, 1) + tf.reduce_sum(pairs * mask[:, 1:], 1)
        alpha = scores[:, 0]
        for i in tf.range(1, steps):
            new = tf.reduce_logsumexp(alpha[:, :, tf.newaxis] + m.t, 1) + scores[:, i]
            alpha = tf.where(mask[:, i : i + 1] > 0.0, new, alpha)
        return path - tf.reduce_logsumexp(alpha, 1)

    def best(m, scores, lengths):
        def forward(state, x):
            score, step = state[0], state[2] + 1
            all_of = score[:, :, tf.newaxis] + m.t
            back = tf.argmax(all_of, 1, tf.int32)
            alive = (step < lengths)[:, tf.newaxis]
            new = tf.where(alive, tf.reduce_max(all_of, 1) + x, score)
            return new, tf.where(alive, back, tf.range(3)), step

        first = scores[:, 0], tf.zeros_like(scores[:, 0], tf.int32), tf.constant(0)
        later = tf.transpose(scores, [1, 0, 2])[1:]
        alphas, backs, _ = tf.scan(forward, later, first)
        last = tf.argmax(alphas[-1], 1, tf.int32)
        path = tf.scan(
            lambda tag, back: tf.gather(back, tag, batch_dims=1), backs, last, reverse=True
        )
        return tf.stop_gradient(tf.reduce_max(alphas[-1], 1)), tf.concat([path, [last]], 0)

    scores = tf.TensorSpec([None, None, 3])
    tags, lengths = tf.TensorSpec([None, None], tf.int32), tf.TensorSpec([None], tf.int32)
    made = module(
        {"t": rows(3, 3)},
        density=(density, [scores, tags, lengths]),
        best=(best, [scores, lengths]),
    )
    x, n = rows(2, 4, 3, seed=1), np.array([4, 2], np.int32)
    return made, None, [("density", [x, ids(3, 2, 4), n], {}), ("best", [x, n], {})]


@model
def complex_numbers():
    """Circuits and waves: states and transforms of complex numbers."""

    def turned(m, angles):
        i = tf.constant(1j, tf.complex128)
        state = tf.constant([1, 0, 0, 0], tf.complex128)
        for k in range(2):
            half = tf.cast(angles[k] * m.w, tf.complex128) / 2
            turn = tf.reshape(
                tf.stack([tf.cos(half), -i * tf.sin(half), -i * tf.sin(half), tf.cos(half)]), [2, 2]
            )
            both = tf.linalg.LinearOperatorKronecker([tf.linalg.LinearOperatorFullMatrix(turn)] * 2)
            state = tf.linalg.matvec(both.to_dense(), state)
            state = tf.gather(state, [0, 1, 3, 2])
        return tf.square(tf.abs(state)), tf.math.angle(state + 2.0)

    def waves(m, x):
        z = tf.complex(x, 0.5 * x * m.w)
        spread = tf.signal.ifft(tf.signal.fft(z) * tf.exp(tf.complex(0.0 * x, -x)))
        grown = tf.linalg.expm(tf.linalg.diag(z) + tf.roll(tf.linalg.diag(z), 1, 0) / 2)
        solved = tf.linalg.solve(grown + 2 * tf.eye(4, dtype=z.dtype), spread[:, tf.newaxis])
        parts = tf.sqrt(z), tf.math.log(z + 3.0), z**2, tf.math.conj(z) / (z + 1.0), solved
        return [(tf.math.real(p), tf.math.imag(p)) for p in parts]

    made = module(
        {"w": np.float64(0.8)},
        turned=(turned, [DOUBLES]),
        waves=(waves, [tf.TensorSpec([4], tf.float64)]),
    )
    angles, x = rows(2, dtype=np.float64), rows(4, seed=1, dtype=np.float64)
    return made, None, [("turned", [angles], {}), ("waves", [x], {})]


@model
def mirrored():
    """A model whose variables a distribution strategy has made, with a step of training."""
    strategy = tf.distribute.MirroredStrategy(["/cpu:0"])
    with strategy.scope():
        made = tf.Module()
        made.w = tf.Variable(rows(3, 2))
        made.count = tf.Variable(
            0.0,
            trainable=False,
            synchronization=tf.VariableSynchronization.ON_READ,
            aggregation=tf.VariableAggregation.SUM,
        )
        made.mean = tf.Variable(
            tf.zeros([2]), trainable=False, aggregation=tf.VariableAggregation.MEAN
        )

    @tf.function(input_signature=[tf.TensorSpec([None, 3])])
    def predict(x):
        return tf.nn.softmax(x @ made.w + made.mean)

    def step(x):
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean(tf.square(tf.matmul(x, made.w)))
        made.w.assign_sub(0.1 * tape.gradient(loss, made.w))
        made.count.assign_add(1.0)
        return tf.stop_gradient(loss)

    @tf.function(input_signature=[tf.TensorSpec([None, 3])])
    def train(x):
        losses = strategy.run(step, (x,))
        return strategy.reduce("SUM", losses, axis=None)

    made.predict, made.train = predict, train
    made.mean.assign([0.5, -0.5])
    x = rows(2, 3, seed=1)
    return made, None, [("predict", [x], {}), ("train", [x], {}), ("predict", [x], {})]


@model
def vectorized():
    """Maps that TensorFlow turns into whole operations, over branches, loops and convolutions."""

    def mapped(m, x):
        def one(row):
            y = tf.cond(row[0] > 0.0, lambda: tf.sin(row) * m.w, lambda: row - m.w)
            for _ in tf.range(2):
                y = tf.tanh(y) + row
            return y, tf.linalg.trace(row[:, tf.newaxis] * row), tf.argmax(row), tf.sort(row)

        return tf.vectorized_map(one, x)

    def filtered(m, images, kernels):
        def one(pair):
            image, kernel = pair
            y = tf.nn.conv2d(image[tf.newaxis], kernel, 1, "SAME") * m.w
            return tf.nn.max_pool2d(y, 2, 2, "VALID")[0], tf.reverse(image, [0])

        return tf.vectorized_map(one, (images, kernels))

    def solved(m, a, b):
        def one(pair):
            s = pair[0] @ tf.transpose(pair[0]) + m.w**2 * tf.eye(3) + tf.eye(3)
            chol = tf.linalg.cholesky(s)
            return tf.linalg.cholesky_solve(chol, pair[1][:, tf.newaxis]), tf.gather(
                pair[1], [2, 0]
            )

        return tf.vectorized_map(one, (a, b))

    matrices = tf.TensorSpec([None, 3, 3])
    made = module(
        {"w": 0.7},
        mapped=(mapped, [tf.TensorSpec([None, 3])]),
        filtered=(filtered, [tf.TensorSpec([None, 4, 4, 2]), tf.TensorSpec([None, 2, 2, 2, 1])]),
        solved=(solved, [matrices, tf.TensorSpec([None, 3])]),
    )
    calls = [
        ("mapped", [rows(4, 3)], {}),
        ("filtered", [rows(2, 4, 4, 2), rows(2, 2, 2, 2, 1, seed=1)], {}),
        ("solved", [rows(2, 3, 3), rows(2, 3, seed=1)], {}),
    ]
    return made, None, calls


@model
def kinds_of_variables():
    """Variables whose shapes change, of texts and truths, an asset, and rows of several lengths."""
    tempfile, pathlib = importlib.import_module("tempfile"), importlib.import_module("pathlib")
    file = pathlib.Path(tempfile.mkdtemp()) / "notes.txt"
    file.write_text("a first line\nand another\n")
    made = tf.Module()
    made.any = tf.Variable([[1.0, 2.0]], shape=tf.TensorShape([None, None]))
    made.rows = tf.Variable(rows(2, 3), shape=tf.TensorShape([None, 3]))
    made.name_of = tf.Variable("unknown", trainable=False)
    made.ready = tf.Variable(False, trainable=False)
    made.whole = tf.Variable(np.array([1, 2], np.int8), trainable=False)
    made.asset = tf.saved_model.Asset(str(file))
    made.constant = tf.constant([0.5, 1.5])
    made.ragged = tf.ragged.constant([[1.0], [2.0, 3.0]])

    @tf.function(input_signature=[tf.TensorSpec([None, 3]), tf.TensorSpec([], tf.string)])
    def put(x, name):
        made.rows.assign(tf.concat([made.rows, tf.stop_gradient(x)], 0))
        made.any.assign(tf.reduce_sum(tf.stop_gradient(x), 1)[:, tf.newaxis])
        made.name_of.assign(tf.strings.join([name, "!"]))
        made.ready.assign(~made.ready)
        made.whole.assign_add([3, 4])
        return made.rows.read_value(), made.any.read_value(), made.name_of, made.ready, made.whole

    @tf.function(input_signature=[tf.TensorSpec([2])])
    def use(x):
        text = tf.io.read_file(made.asset.asset_path)
        lines = tf.strings.split(tf.strings.strip(text), "\n")
        return x * made.any * made.constant, made.ragged * tf.reduce_sum(x), lines

    made.put, made.use = put, use
    calls = [("use", [rows(2)], {}), ("put", [rows(1, 3, seed=1), np.array(b"me", object)], {})]
    return made, None, [*calls, ("put", [rows(1, 3, seed=2), np.array(b"you", object)], {})]
