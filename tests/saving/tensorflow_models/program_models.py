"""Further models of plain functions for `make.py`, and models of TensorFlow 1."""

import importlib
from pathlib import Path

import numpy as np

tf = importlib.import_module("tensorflow")
v1 = tf.compat.v1

MODELS = {}
FLOATS = tf.TensorSpec([None])
MATRIX = tf.TensorSpec([None, None])
TEXTS = tf.TensorSpec([None], tf.string)


def model(build):
    """Marks a function that gives `(object, signatures, calls)`."""
    MODELS[build.__name__] = build
    return build


def rows(*shape, seed=0):
    return np.random.default_rng(seed).standard_normal(shape).astype(np.float32)


def ids(high, *shape, seed=0):
    return np.random.default_rng(seed).integers(0, high, shape).astype(np.int32)


def texts(*words):
    return np.array(words, object)


def module(variables, **functions):
    """A module with variables and functions: `name=(function of the module, specs)`."""
    made = tf.Module()
    for name, value in variables.items():
        setattr(made, name, tf.Variable(value, name=name))
    for name, (function, specs) in functions.items():
        setattr(made, name, tf.function(_bound(function, made), input_signature=specs))
    return made


def _bound(function, made):
    return lambda *args: function(made, *args)


@model
def beam_search():
    """A decoder that keeps the best sequences, with a loop, arrays of tensors and conditionals."""
    words, wide = 6, 3

    def search(m, start, length):
        batch = tf.shape(start)[0]
        scores = tf.tile([[0.0] + [-1e9] * (wide - 1)], [batch, 1])
        states = tf.tile(start[:, tf.newaxis], [1, wide, 1])
        tokens = tf.TensorArray(tf.int32, size=length)
        parents = tf.TensorArray(tf.int32, size=length)
        last = tf.zeros([batch, wide], tf.int32)
        for t in tf.range(length):
            states = tf.tanh(states @ m.w + tf.gather(m.embed, last))
            logits = tf.nn.log_softmax(states @ m.out)
            flat = tf.reshape(scores[:, :, tf.newaxis] + logits, [batch, wide * words])
            scores, best = tf.math.top_k(flat, wide)
            parent, last = best // words, best % words
            states = tf.gather(states, parent, batch_dims=1)
            tokens, parents = tokens.write(t, last), parents.write(t, parent)
            if tf.reduce_all(last == 0):
                break
        chosen = tf.tile(tf.range(wide)[tf.newaxis], [batch, 1])
        line = tf.TensorArray(tf.int32, size=length)
        for t in tf.range(length - 1, -1, -1):
            line = line.write(t, tf.gather(tokens.read(t), chosen, batch_dims=1))
            chosen = tf.gather(parents.read(t), chosen, batch_dims=1)
        return line.stack(), scores

    variables = {"w": rows(4, 4), "embed": rows(words, 4, seed=1), "out": rows(4, words, seed=2)}
    specs = [tf.TensorSpec([None, 4]), tf.TensorSpec([], tf.int32)]
    made = module(variables, search=(search, specs))
    return made, None, [("search", [rows(2, 4, seed=3), np.int32(4)], {})]


@model
def decoded_images():
    """Encoded images as inputs, as servers take them."""

    def one(data):
        image = tf.io.decode_image(data, channels=3, expand_animations=False)
        image.set_shape([None, None, 3])
        image = tf.image.convert_image_dtype(image, tf.float32)
        return tf.image.resize(image, [4, 4], antialias=True)

    def serve(m, encoded):
        images = tf.map_fn(one, encoded, fn_output_signature=tf.TensorSpec([4, 4, 3]))
        return tf.nn.softmax(tf.reshape(images, [-1, 48]) @ m.w)

    def web(m, lines):
        data = tf.io.decode_base64(lines)
        return tf.io.decode_png(data[0]), tf.io.encode_base64(data), tf.image.is_jpeg(data[0])

    image = np.random.default_rng(0).integers(0, 255, (6, 5, 3)).astype(np.uint8)
    png = tf.io.encode_png(image).numpy()
    bmp = tf.io.encode_png(image[::-1]).numpy()
    made = module({"w": rows(48, 3)}, serve=(serve, [TEXTS]), web=(web, [TEXTS]))
    line = tf.io.encode_base64(tf.constant(png)).numpy()
    return made, None, [("serve", [texts(png, bmp)], {}), ("web", [texts(line)], {})]


@model
def kinds_of_parsing():
    def example(**features):
        return tf.train.Example(features=tf.train.Features(feature=features)).SerializeToString()

    def floats(*values):
        return tf.train.Feature(float_list=tf.train.FloatList(value=values))

    def whole(*values):
        return tf.train.Feature(int64_list=tf.train.Int64List(value=values))

    def single(m, line):
        features = {
            "x": tf.io.FixedLenFeature([2], tf.float32, [1.0, 2.0]),
            "n": tf.io.RaggedFeature(tf.int64),
            "v": tf.io.VarLenFeature(tf.float32),
        }
        found = tf.io.parse_single_example(line, features)
        return tf.reduce_sum(found["x"] * m.w), found["n"], tf.sparse.to_dense(found["v"])

    def several(m, lines):
        features = {
            "x": tf.io.FixedLenSequenceFeature([], tf.float32, allow_missing=True),
            "s": tf.io.SparseFeature(["n"], "v", tf.float32, [8]),
            "r": tf.io.RaggedFeature(tf.int64, "q"),
        }
        found = tf.io.parse_example(lines, features)
        return found["x"] * m.w[0], tf.sparse.to_dense(found["s"]), found["r"]

    def sequence(m, line):
        context, lists = tf.io.parse_single_sequence_example(
            line,
            {"length": tf.io.FixedLenFeature([], tf.int64)},
            {"steps": tf.io.FixedLenSequenceFeature([2], tf.float32)},
        )
        return context["length"], lists["steps"] @ tf.expand_dims(m.w, 1)

    def table(m, lines):
        x, n, s = tf.io.decode_csv(lines, [0.0, [3], [""]], field_delim=";")
        return x * m.w[1], n, s, tf.io.decode_raw(s, tf.uint8)

    def stored(_, x):
        data = tf.io.serialize_tensor(x)
        return tf.ensure_shape(tf.io.parse_tensor(data, tf.float32), [None])

    one = example(x=floats(0.5, 1.5), n=whole(1, 2), v=floats(3.0, 4.0))
    two = example(n=whole(5), v=floats(6.0), q=whole(7, 8))
    steps = tf.train.FeatureLists(
        feature_list={"steps": tf.train.FeatureList(feature=[floats(1.0, 2.0), floats(3.0, 4.0)])}
    )
    both = tf.train.SequenceExample(
        context=tf.train.Features(feature={"length": whole(2)}), feature_lists=steps
    )
    made = module(
        {"w": rows(2)},
        single=(single, [tf.TensorSpec([], tf.string)]),
        several=(several, [TEXTS]),
        sequence=(sequence, [tf.TensorSpec([], tf.string)]),
        table=(table, [TEXTS]),
        stored=(stored, [FLOATS]),
    )
    calls = [
        ("single", [np.array(one, object)], {}),
        ("single", [np.array(two, object)], {}),
        ("several", [texts(one, two)], {}),
        ("sequence", [np.array(both.SerializeToString(), object)], {}),
        ("table", [texts(b"1.5;2;ab", b"2.5;;cd")], {}),
        ("stored", [rows(3)], {}),
    ]
    return made, None, calls


@model
def generators():
    """Random numbers with a state that is saved, and those that depend on a seed alone."""
    made = tf.Module()
    made.generator = tf.random.Generator.from_seed(5)
    made.w = tf.Variable(rows(3))

    @tf.function(input_signature=[tf.TensorSpec([None, 3])])
    def noisy(x):
        g = made.generator
        noise = g.normal(tf.shape(x)) + g.uniform([3], 0.0, 1.0) + g.truncated_normal([3])
        whole = g.uniform([4], 0, 100, tf.int32)
        fine = tf.reduce_all((whole >= 0) & (whole < 100))
        return x * made.w + 0.0 * tf.stop_gradient(noise), fine, g.state.read_value()

    @tf.function(input_signature=[tf.TensorSpec([2], tf.int32)])
    def stateless(seed):
        more = tf.random.split(seed, 2)
        uniform = tf.random.stateless_uniform([3], seed)
        whole = tf.random.stateless_uniform([3], seed, None, None, tf.int32)
        drawn = [
            tf.random.stateless_normal([3], tf.random.fold_in(seed, 7)),
            tf.random.stateless_categorical([[0.1, 0.5, 0.4]], 4, more[0]),
            tf.random.stateless_gamma([2], seed, 2.0),
            tf.random.stateless_binomial([3], seed, 10.0, 0.3),
            tf.random.stateless_poisson([3], seed, 4.0),
        ]
        shuffled = tf.sort(tf.random.experimental.stateless_shuffle(tf.range(5), more[1]))
        fine = tf.reduce_all((uniform >= 0.0) & (uniform < 1.0))
        return fine, [tf.shape(x) for x in drawn], shuffled, tf.shape(whole)

    made.noisy, made.stateless = noisy, stateless
    calls = [("noisy", [rows(2, 3)], {})] * 2 + [("stateless", [np.array([3, 4], np.int32)], {})]
    return made, None, calls


@model
def quantized():
    def fake(m, x):
        y = tf.quantization.fake_quant_with_min_max_vars(x, m.low, m.high, 8)
        y += tf.quantization.fake_quant_with_min_max_args(x, -2.0, 2.0, narrow_range=True)
        low = tf.tile([m.low], [3])
        high = tf.tile([m.high], [3])
        per = tf.quantization.fake_quant_with_min_max_vars_per_channel(x, low, high)
        return y, per, tf.quantization.quantize_and_dequantize_v2(x, -1.0, 1.0, range_given=True)

    def eight(_, x):
        q = tf.quantization.quantize(x, -2.0, 2.0, tf.quint8)
        back = tf.quantization.dequantize(q.output, q.output_min, q.output_max)
        return back, tf.cast(q.output, tf.int32)

    def half(m, x):
        y = tf.cast(x, tf.bfloat16) * tf.cast(m.high, tf.bfloat16)
        z = tf.cast(tf.cast(x, tf.float16) + 1, tf.float32)
        return tf.cast(y, tf.float32), z, tf.bitcast(x, tf.int32)

    spec = [tf.TensorSpec([None, 3])]
    made = module(
        {"low": -1.0, "high": 1.5}, fake=(fake, spec), eight=(eight, spec), half=(half, spec)
    )
    x = rows(4, 3)
    return made, None, [("fake", [x], {}), ("eight", [x], {}), ("half", [x], {})]


@model
def optimizer_steps():
    """A step of each of TensorFlow 1's optimizers, which have operations of their own."""
    makers = {
        "adam": lambda: v1.train.AdamOptimizer(0.1),
        "momentum": lambda: v1.train.MomentumOptimizer(0.1, 0.9, use_nesterov=True),
        "adagrad": lambda: v1.train.AdagradOptimizer(0.1),
        "adadelta": lambda: v1.train.AdadeltaOptimizer(0.1),
        "ftrl": lambda: v1.train.FtrlOptimizer(0.1, l1_regularization_strength=0.01),
        "rmsprop": lambda: v1.train.RMSPropOptimizer(0.1, centered=True),
        "descent": lambda: v1.train.GradientDescentOptimizer(0.1),
        "proximal": lambda: v1.train.ProximalAdagradOptimizer(0.1),
    }
    made = tf.Module()
    made.w = tf.Variable(rows(4, 2))
    made.kept, calls = [], []

    def stepping(optimizer):
        @tf.function(input_signature=[tf.TensorSpec([None], tf.int32), tf.TensorSpec([2])])
        def step(words, x):
            with tf.GradientTape() as tape:
                loss = tf.reduce_sum(tf.square(tf.gather(made.w, words) * x - 1.0))
                loss += 0.1 * tf.reduce_sum(tf.sin(made.w))
            gradient = tape.gradient(loss, made.w)
            optimizer.apply_gradients([(tf.convert_to_tensor(gradient), made.w)])
            with tf.GradientTape() as tape:
                loss = tf.reduce_sum(tf.square(tf.gather(made.w, words) * x - 1.0))
            optimizer.apply_gradients([(tape.gradient(loss, made.w), made.w)])
            return tf.stop_gradient(loss)

        return step

    for name, maker in makers.items():
        optimizer = maker()
        step = stepping(optimizer)
        step.get_concrete_function()
        made.kept += optimizer.variables()
        setattr(made, name, step)
        calls += [(name, [np.array([1, 3, 1], np.int32), rows(2)], {})] * 2
    return made, None, calls


@model
def text_module():
    """Sentences to vectors as the text modules of TensorFlow Hub do it."""
    made = tf.Module()
    folder = importlib.import_module("tempfile").mkdtemp()
    file = Path(folder) / "tokens.txt"
    file.write_text("the\ncat\nsat\n<unk>\n")
    made.table = tf.lookup.StaticVocabularyTable(
        tf.lookup.TextFileInitializer(str(file), tf.string, 0, tf.int64, -1), 1
    )
    made.embeddings = tf.Variable(rows(5, 3), name="embeddings")
    made.variables_of_module = [made.embeddings]

    @tf.function(input_signature=[TEXTS])
    def call(sentences):
        plain = tf.strings.regex_replace(sentences, r"[[:punct:]]", "")
        tokens = v1.strings.split(tf.strings.lower(plain), sep=" ")
        tokens = tokens if isinstance(tokens, tf.SparseTensor) else tokens.to_sparse()
        ids = tf.SparseTensor(tokens.indices, made.table.lookup(tokens.values), tokens.dense_shape)
        filled, empty = tf.sparse.fill_empty_rows(ids, 3)
        mean = tf.nn.embedding_lookup_sparse(made.embeddings, filled, None, combiner="sqrtn")
        safe = tf.nn.safe_embedding_lookup_sparse(made.embeddings, ids, combiner="mean")
        return {"default": mean * tf.cast(~empty, tf.float32)[:, tf.newaxis], "safe": safe}

    made.__call__ = call
    made.embed = call
    given = texts(b"The cat sat.", b"", b"a cat the the")
    calls = [("embed", [given], {}), ("signatures.default", [given], {})]
    return made, {"default": call}, calls


@model
def image_module():
    """The interface of TensorFlow Hub's modules for images, with arguments that choose a trace."""

    class Net(tf.Module):
        def __init__(self):
            super().__init__()
            self.kernel = tf.Variable(rows(3, 3, 2, 4), name="kernel")
            self.scale = tf.Variable(tf.ones([4]), name="gamma")
            self.offset = tf.Variable(tf.zeros([4]), name="beta")
            self.mean = tf.Variable(tf.zeros([4]), trainable=False)
            self.variance = tf.Variable(tf.ones([4]), trainable=False)
            self.trainable_variables_of_module = [self.kernel, self.scale, self.offset]
            self.regularization_losses = [self.l2]

        @tf.function(input_signature=[])
        def l2(self):
            return 0.01 * tf.nn.l2_loss(self.kernel)

        @tf.function
        def __call__(self, images, training=False, momentum=0.9):
            x = tf.nn.conv2d(images, self.kernel, 2, "SAME")
            if training:
                x, mean, variance = v1.nn.fused_batch_norm(x, self.scale, self.offset)
                self.mean.assign(momentum * self.mean + (1 - momentum) * mean)
                self.variance.assign(momentum * self.variance + (1 - momentum) * variance)
            else:
                given = {"mean": self.mean, "variance": self.variance, "is_training": False}
                x = v1.nn.fused_batch_norm(x, self.scale, self.offset, **given)[0]
            x = tf.nn.local_response_normalization(tf.nn.relu6(x), 2)
            return tf.reduce_mean(x, [1, 2])

    made = Net()
    x = tf.TensorSpec([None, None, None, 2], name="images")
    made.__call__.get_concrete_function(x, training=False)
    made.__call__.get_concrete_function(x, training=True)
    made.__call__.get_concrete_function(x, training=True, momentum=tf.TensorSpec([]))
    image = rows(2, 6, 5, 2)
    calls = [
        ("", [image], {}),
        ("", [image], {"training": True}),
        ("", [image], {"training": True, "momentum": np.float32(0.5)}),
        ("", [image], {"training": False}),
        ("l2", [], {}),
    ]
    return made, None, calls


@model
def segments():
    def sums(m, x, where):
        y = x * m.w
        ordered = tf.sort(where)
        return [
            tf.math.segment_sum(y, ordered),
            tf.math.segment_mean(y, ordered),
            tf.math.segment_max(y, ordered),
            tf.math.unsorted_segment_mean(y, where, 4),
            tf.math.unsorted_segment_max(y[:, 0], where, 3),
            tf.math.unsorted_segment_prod(y, where, 3),
            tf.math.unsorted_segment_sqrt_n(y, where, 3),
            tf.sparse.segment_sum(y, [0, 2, 3], [0, 0, 1]),
            tf.sparse.segment_mean(y, [0, 2, 3], [0, 1, 1], num_segments=3),
            tf.sparse.segment_sqrt_n(y, [1, 2], [0, 0]),
        ]

    def counts(_, where):
        x = tf.cast(where, tf.float32)
        return [
            tf.math.bincount(where, minlength=4),
            tf.math.bincount(where, weights=x, minlength=2),
            tf.histogram_fixed_width(x, [0.0, 3.0], 3),
            tf.searchsorted([0, 1, 2], where),
            tf.math.confusion_matrix(where, where[::-1], 3),
            tf.unique_with_counts(where),
            tf.math.in_top_k(where[:1], [[0.1, 0.9, 0.3]], 2),
        ]

    def parted(m, x, where):
        parts = tf.dynamic_partition(x * m.w, where, 3)
        index = tf.dynamic_partition(tf.range(tf.shape(x)[0]), where, 3)
        return parts, tf.dynamic_stitch(index, [2.0 * p for p in parts])

    def scattered(m, x, where):
        place = where[:, tf.newaxis]
        base = tf.scatter_nd(place, x * m.w, [3, 2])
        return [
            tf.tensor_scatter_nd_update(base, [[0]], x[:1]),
            tf.tensor_scatter_nd_sub(base, place, x),
            tf.tensor_scatter_nd_max(base, place, x),
            tf.gather(base, where, axis=0),
            tf.math.cumulative_logsumexp(base),
            tf.math.cumprod(base, reverse=True),
            tf.linalg.normalize(base, axis=1)[0],
        ]

    spec = tf.TensorSpec([None], tf.int32)
    pair = [tf.TensorSpec([None, 2]), spec]
    made = module(
        {"w": rows(2)},
        sums=(sums, pair),
        counts=(counts, [spec]),
        parted=(parted, pair),
        scattered=(scattered, pair),
    )
    x, where = rows(5, 2), np.array([0, 2, 1, 0, 2], np.int32)
    calls = [
        ("sums", [x, where], {}),
        ("counts", [where], {}),
        ("parted", [x, where], {}),
        ("scattered", [x, where], {}),
    ]
    return made, None, calls


@model
def sound():
    def features(m, x):
        spectrum = tf.signal.stft(x * m.w, 16, 8)
        mel = tf.signal.linear_to_mel_weight_matrix(6, 9, 8000, 20.0, 4000.0)
        logs = tf.math.log(tf.abs(spectrum) @ mel + 1e-3)
        return tf.signal.mfccs_from_log_mel_spectrograms(logs), tf.abs(spectrum)

    def back(m, x):
        spectrum = tf.signal.stft(x, 16, 8)
        frames = tf.signal.frame(x, 8, 4, pad_end=True)
        return tf.signal.inverse_stft(spectrum, 16, 8) * m.w, tf.signal.overlap_and_add(frames, 4)

    def transforms(m, x):
        z = tf.complex(x, m.w * x)
        return [
            tf.signal.dct(x),
            tf.signal.idct(x, norm="ortho"),
            tf.math.real(tf.signal.fft2d(tf.reshape(z, [4, -1]))),
            tf.math.imag(tf.signal.ifft(z)),
            tf.signal.irfft2d(tf.signal.rfft2d(tf.reshape(x, [4, -1]))),
            tf.abs(tf.signal.fftshift(z)),
        ]

    specs = [FLOATS]
    made = module(
        {"w": 0.5}, features=(features, specs), back=(back, specs), transforms=(transforms, specs)
    )
    x = rows(64)
    return made, None, [("features", [x], {}), ("back", [x], {}), ("transforms", [x], {})]


@model
def decompositions():
    def of_one(m, x):
        s = tf.matmul(x, x, transpose_b=True) + 3.0 * tf.eye(3)
        values, _ = tf.linalg.eigh(s)
        chol = tf.linalg.cholesky(s)
        return [
            values,
            tf.linalg.svd(x, compute_uv=False),
            tf.abs(tf.linalg.qr(x).r),
            tf.linalg.inv(s),
            tf.linalg.cholesky_solve(chol, m.b),
            tf.linalg.lstsq(s, m.b, l2_regularizer=0.1),
            tf.linalg.expm(0.1 * x),
            tf.linalg.pinv(s),
            tf.linalg.slogdet(s)[1],
            tf.linalg.lu(s)[0],
            tf.linalg.tridiagonal_matmul(
                [[1.0, 1.0, 0.0], [2.0, 2.0, 2.0], [0.0, 1.0, 1.0]], m.b, "sequence"
            ),
        ]

    def many(m, x):
        d = tf.linalg.diag(x[0]) + tf.linalg.set_diag(x, x[:, 0])
        return [
            tf.einsum("ij,jk,kl->il", d, x, m.b),
            tf.tensordot(d, m.b, [[1], [0]]),
            tf.linalg.matvec(d, x[0]),
            tf.linalg.cross(d, x),
            tf.linalg.norm(d, ord="fro", axis=[0, 1]),
            tf.linalg.adjoint(tf.complex(d, x)),
            tf.linalg.matrix_transpose(d),
            tf.linalg.sqrtm(tf.matmul(x, x, transpose_b=True) + 3.0 * tf.eye(3)),
        ]

    spec = [tf.TensorSpec([3, 3])]
    made = module({"b": rows(3, 2)}, of_one=(of_one, spec), many=(many, spec))
    return made, None, [("of_one", [rows(3, 3, seed=4)], {}), ("many", [rows(3, 3)], {})]


@model
def losses():
    def all_of(m, x, labels):
        y = x @ m.w
        hot = tf.one_hot(labels, 4)
        return [
            tf.nn.sparse_softmax_cross_entropy_with_logits(labels, y),
            tf.nn.sigmoid_cross_entropy_with_logits(hot, y),
            tf.nn.weighted_cross_entropy_with_logits(hot, y, 2.0),
            tf.nn.log_poisson_loss(hot, y, compute_full_loss=True),
            tf.nn.l2_loss(y),
            v1.losses.huber_loss(hot, y),
            v1.losses.hinge_loss(hot, y),
            v1.losses.cosine_distance(tf.nn.l2_normalize(hot, 1), tf.nn.l2_normalize(y, 1), axis=1),
            tf.nn.log_softmax(y),
            tf.math.reduce_logsumexp(y, 1),
            tf.nn.moments(y, 0),
            tf.nn.weighted_moments(y, 0, tf.abs(y)),
            tf.nn.scale_regularization_loss(tf.reduce_sum(y)),
        ]

    specs = [tf.TensorSpec([None, 3]), tf.TensorSpec([None], tf.int32)]
    made = module({"w": rows(3, 4)}, all_of=(all_of, specs))
    return made, None, [("all_of", [rows(5, 3), ids(4, 5)], {})]


@model
def pipelines():
    """Datasets with most of the transformations, reduced inside of functions."""
    Data = tf.data.Dataset

    def totals(m, x):
        data = Data.from_tensor_slices((x, tf.range(tf.shape(x)[0])))
        data = data.concatenate(data.take(2)).skip(1).enumerate()
        data = data.map(lambda i, pair: (tf.cast(i, tf.float32), pair[0] * m.w))
        batches = data.padded_batch(2, ([], [])).prefetch(2).cache()
        total = batches.reduce(0.0, lambda a, pair: a + tf.reduce_sum(pair[0]) * pair[1][0])
        both = Data.zip((Data.range(4), Data.range(10).shard(3, 1)))
        mixed = both.flat_map(lambda a, b: Data.from_tensors(a * b).repeat(a + 1))
        return total, mixed.reduce(tf.constant(0, tf.int64), lambda a, v: a * 3 + v)

    def windows(_, n):
        data = Data.range(n).window(3, shift=2, drop_remainder=True)
        data = data.flat_map(lambda part: part.batch(3))
        found = data.reduce(tf.constant(1, tf.int64), lambda a, v: a * 2 + tf.reduce_max(v))
        scanned = Data.range(n).scan(tf.constant(0, tf.int64), lambda a, v: (a + v, a * v))
        kept = scanned.take_while(lambda v: v < 40)
        mixed = Data.range(3).interleave(
            lambda v: Data.range(v + 1), cycle_length=2, block_length=1
        )
        return [
            found,
            kept.reduce(tf.constant(0, tf.int64), lambda a, v: a + v),
            mixed.reduce(tf.constant(0, tf.int64), lambda a, v: a * 3 + v),
            mixed.cardinality(),
        ]

    def groups(_, n):
        data = Data.range(n).group_by_window(
            key_func=lambda v: v % 2, reduce_func=lambda _, part: part.batch(4), window_size=4
        )
        sizes = Data.range(n).bucket_by_sequence_length(
            lambda v: tf.cast(v, tf.int32), [3, 5], [2, 2, 2]
        )
        unique = Data.range(n).map(lambda v: v % 3).unique().shuffle(10, seed=1)
        return [
            data.reduce(tf.constant(0, tf.int64), lambda a, v: a * 3 + v[0]),
            sizes.reduce(tf.constant(0, tf.int64), lambda a, v: a * 3 + v[0]),
            unique.reduce(tf.constant(0, tf.int64), lambda a, v: a + v),
        ]

    def loops(m, x):
        total = tf.constant(0.0)
        for i, part in Data.from_tensor_slices(x).batch(2).rebatch(3).enumerate():
            total = total * 0.5 + tf.reduce_sum(part) * tf.cast(i + 1, tf.float32)
        iterator = iter(Data.from_tensor_slices(x))
        first = next(iterator)
        return total, first * m.w, iterator.get_next_as_optional().has_value()

    count = [tf.TensorSpec([], tf.int64)]
    made = module(
        {"w": 0.5},
        totals=(totals, [FLOATS]),
        windows=(windows, count),
        groups=(groups, count),
        loops=(loops, [FLOATS]),
    )
    calls = [
        ("totals", [rows(5)], {}),
        ("windows", [np.int64(7)], {}),
        ("groups", [np.int64(7)], {}),
        ("loops", [rows(7)], {}),
    ]
    return made, None, calls


@model
def nested_functions():
    made = tf.Module()
    made.w = tf.Variable(0.7)

    @tf.function
    def inner(x, k):
        return tf.sin(x) * made.w**k

    @tf.function(input_signature=[FLOATS, tf.TensorSpec([], tf.int32)])
    def outer(x, n):
        y = inner(x, 2.0) + inner(tf.reduce_sum(x), 1.0)
        y = tf.case([(n > 3, lambda: y * 2.0), (n > 1, lambda: inner(y, 3.0))], lambda: y - 1.0)
        z = tf.cond(n > 2, lambda: tf.concat([y, y], 0), lambda: y)
        checked = tf.recompute_grad(lambda v: tf.tanh(v) * v)(y)
        mapped = tf.vectorized_map(lambda v: tf.square(v) * made.w, y)
        folded = tf.foldl(lambda a, v: a * 0.5 + v, y) + tf.foldr(lambda a, v: a * 0.5 - v, y)
        return z, checked, mapped, folded

    @tf.function(input_signature=[tf.TensorSpec([None, 2])])
    def two_loops(xs):
        total = tf.zeros([2])
        i = 0
        while tf.less(i, tf.shape(xs)[0]):
            for j in tf.range(2):
                if tf.cast(j, tf.bool) and total[0] > 0.5:
                    continue
                total += tf.tanh(xs[i] * made.w + tf.cast(j, tf.float32))
            i += 1
        return total, tf.scan(lambda a, x: (a[0] + x, a[1] * tf.reduce_sum(x)), xs, (xs[0], 1.0))

    @tf.function(input_signature=[MATRIX])
    def jacobians(x):
        with tf.GradientTape(persistent=True) as tape:
            tape.watch(x)
            y = tf.reduce_sum(tf.tanh(x) * made.w, 1)
        return tape.jacobian(y, x), y

    made.outer, made.two_loops, made.jacobians = outer, two_loops, jacobians
    x = rows(3)
    calls = [("outer", [x, np.int32(n)], {}) for n in (1, 2, 5)]
    calls += [("two_loops", [rows(3, 2)], {}), ("jacobians", [rows(2, 3)], {})]
    return made, None, calls


@model
def ragged_texts():
    def tokens(m, lines):
        words = tf.strings.split(lines)
        letters = tf.strings.unicode_split(words, "UTF-8")
        grams = tf.strings.ngrams(words, 2, "_")
        codes = tf.strings.unicode_decode(lines, "UTF-8")
        numbers = tf.strings.to_hash_bucket_fast(words, 5)
        vectors = tf.gather(m.w, numbers)
        return {
            "letters": letters,
            "grams": grams,
            "codes": codes,
            "mean": tf.reduce_mean(vectors, 1),
            "padded": vectors.to_tensor(),
            "again": tf.strings.unicode_encode(codes, "UTF-8"),
            "joined": tf.strings.reduce_join(words, 1, separator="-"),
            "lengths": words.row_lengths(),
        }

    def shaped(m, x):
        return [
            tf.concat([x, x], 1),
            tf.ragged.map_flat_values(tf.sin, x) * m.w[0, 0],
            tf.reduce_max(x, 1),
            tf.ragged.boolean_mask(x, x > 0.0),
            x[:, :1],
            x.bounding_shape(),
            tf.RaggedTensor.from_row_lengths(x.flat_values, x.row_lengths()[::-1]),
            tf.where(x > 0.0, x, tf.zeros_like(x)),
            tf.tile(x, [1, 2]),
            tf.reverse(x, [0]),
        ]

    def more(_, lines):
        return [
            tf.strings.unicode_transcode(lines, "UTF-8", "UTF-16-BE"),
            tf.strings.unicode_script(tf.strings.unicode_decode(lines[0], "UTF-8")),
            tf.strings.bytes_split(lines),
            tf.strings.upper(lines, encoding="utf-8"),
            tf.strings.format("{} of {}", (tf.size(lines), lines)),
            tf.strings.to_hash_bucket_strong(lines, 50, [1, 2]),
            tf.strings.unsorted_segment_join(lines, tf.zeros_like(lines, tf.int32), 1),
            tf.edit_distance(
                tf.strings.bytes_split(lines).to_sparse(),
                tf.strings.bytes_split(lines[::-1]).to_sparse(),
            ),
        ]

    ragged = tf.RaggedTensorSpec([None, None])
    made = module(
        {"w": rows(5, 2)}, tokens=(tokens, [TEXTS]), shaped=(shaped, [ragged]), more=(more, [TEXTS])
    )
    lines = texts("a bé ü".encode(), b"one two", b"x")
    values = tf.ragged.constant([[1.0, -2.0], [], [4.0, 0.5, 1.0]])
    return made, None, [("tokens", [lines], {}), ("shaped", [values], {}), ("more", [lines], {})]


@model
def sparse_tensors():
    def algebra(m, x):
        dense = tf.sparse.to_dense(x)
        return [
            tf.sparse.sparse_dense_matmul(x, m.w, adjoint_a=True),
            tf.sparse.reduce_sum(x, 1),
            tf.sparse.reduce_max(x, 0),
            tf.sparse.add(x, x, 0.5),
            tf.sparse.expand_dims(x, 1),
            tf.sparse.mask(tf.IndexedSlices(dense, tf.range(2)), [1]).values,
            tf.sparse.maximum(x, tf.sparse.transpose(tf.sparse.transpose(x))),
            tf.sparse.retain(x, x.values > 0.0),
            tf.sparse.to_indicator(tf.SparseTensor(x.indices, x.indices[:, 1], x.dense_shape), 4),
            tf.sparse.reset_shape(x),
            tf.sparse.split(x, 2, 1),
            tf.sparse.bincount(tf.cast(x, tf.int64), axis=-1, minlength=3, maxlength=3),
            tf.sparse.map_values(tf.square, x),
        ]

    spec = tf.SparseTensorSpec([None, 4])
    made = module({"w": rows(2, 3)}, algebra=(algebra, [spec]))
    x = tf.sparse.from_dense([[0.0, 1.0, 0.0, 2.0], [3.0, 0.0, 0.0, 1.0]])
    return made, None, [("algebra", [x], {})]


@model
def image_kinds():
    def colours(m, x):
        y = tf.clip_by_value(x * m.w, 0.0, 1.0)
        return [
            tf.image.adjust_hue(y, 0.1),
            tf.image.adjust_saturation(y, 0.5),
            tf.image.adjust_contrast(y, 2.0),
            tf.image.adjust_gamma(y, 0.8),
            tf.image.rgb_to_hsv(y),
            tf.image.rgb_to_yuv(y),
            tf.image.rot90(y),
            tf.image.sobel_edges(y),
            tf.image.total_variation(y),
            tf.image.psnr(y, y[::-1], 1.0),
            tf.image.ssim(y, y[::-1], 1.0, filter_size=3),
        ]

    def sizes(m, x):
        y = x * m.w
        return [
            tf.image.resize(y, [9, 7], "bicubic"),
            tf.image.resize(y, [4, 5], "area"),
            tf.image.resize(y, [5, 4], "lanczos3"),
            tf.image.resize_with_pad(y, 8, 10),
            tf.image.resize_with_crop_or_pad(y, 5, 9),
            tf.image.crop_and_resize(y, [[0.1, 0.2, 0.8, 0.9]], [0], [3, 3]),
            tf.image.central_crop(y, 0.5),
            tf.image.transpose(y),
            tf.image.extract_glimpse(y, [3, 3], [[0.0, 0.0], [0.5, 0.2]]),
        ]

    def boxes(_, b, scores):
        kept = tf.image.non_max_suppression(b, scores, 3, 0.4)
        soft = tf.image.non_max_suppression_with_scores(b, scores, 3, 0.4, soft_nms_sigma=0.5)
        picture = tf.image.draw_bounding_boxes(tf.zeros([1, 8, 8, 3]), b[tf.newaxis], [[1.0, 0, 0]])
        return kept, soft, picture

    spec = [tf.TensorSpec([2, 6, 6, 3])]
    pair = [tf.TensorSpec([None, 4]), FLOATS]
    made = module({"w": 0.9}, colours=(colours, spec), sizes=(sizes, spec), boxes=(boxes, pair))
    x = np.random.default_rng(0).random((2, 6, 6, 3)).astype(np.float32)
    corners = np.array([[0, 0, 0.5, 0.5], [0.05, 0, 0.5, 0.5], [0.4, 0.4, 1, 1]], np.float32)
    calls = [
        ("colours", [x], {}),
        ("sizes", [x], {}),
        ("boxes", [corners, np.array([0.9, 0.8, 0.7], np.float32)], {}),
    ]
    return made, None, calls


@model
def special_functions():
    def of_one(m, x):
        y = tf.abs(x) + 0.5 * m.w
        names = "acosh asin acos atan asinh atanh digamma lgamma erf erfc erfinv expm1 rsqrt "
        names += "reciprocal_no_nan bessel_i0e bessel_i1e ndtri sigmoid softsign rint cosh tan"
        fine = tf.sigmoid(y) * 0.9 + 0.05
        found = [getattr(tf.math, n)(1 / fine if n == "acosh" else fine) for n in names.split()]
        special = ["dawsn", "expint", "fresnel_cos", "bessel_j0", "bessel_k0e", "spence"]
        return found + [getattr(tf.math.special, n)(fine) for n in special]

    def of_two(m, x):
        y, z = tf.abs(x) + 0.5, tf.abs(x) * m.w + 1.0
        u = tf.sigmoid(x)
        stopped = tf.stop_gradient
        return [
            tf.math.igamma(stopped(y), z),
            tf.math.betainc(stopped(y), stopped(z), u),
            tf.math.zeta(stopped(y) + 1.0, z),
            tf.math.xlogy(y, z),
            tf.math.xlog1py(y, z),
            tf.math.xdivy(y, z),
            tf.math.divide_no_nan(y, z),
            tf.math.multiply_no_nan(y, z),
            tf.math.squared_difference(y, z),
            tf.math.floormod(y, z),
            tf.math.nextafter(stopped(y), 2.0),
            tf.math.lbeta(tf.stack([y, z], 1)),
            tf.math.polyval([y, z, y], 0.5),
            tf.math.top_k(y, 2).values,
        ]

    def whole(_, n):
        u = tf.cast(n, tf.uint8)
        return [
            tf.bitwise.invert(n),
            tf.bitwise.left_shift(n, 2),
            tf.bitwise.bitwise_xor(n, 6),
            tf.raw_ops.PopulationCount(x=n),
            tf.math.floordiv(n, 4),
            tf.truncatemod(n, 3),
            u + tf.constant(200, tf.uint8),
            tf.cast(n, tf.bool),
            tf.sets.intersection(n[tf.newaxis], n[tf.newaxis, :2]).values,
            tf.math.invert_permutation([2, 0, 1]),
            tf.one_hot(n, 3, on_value=5, off_value=-1),
        ]

    made = module(
        {"w": 1.5},
        of_one=(of_one, [FLOATS]),
        of_two=(of_two, [FLOATS]),
        whole=(whole, [tf.TensorSpec([None], tf.int32)]),
    )
    x = rows(4)
    calls = [("of_one", [x], {}), ("of_two", [x], {})]
    return made, None, [*calls, ("whole", [np.array([5, -3, 2], np.int32)], {})]


@model
def distributions():
    """Densities of TensorFlow Probability."""
    tfd = importlib.import_module("tensorflow_probability").distributions

    def densities(m, x):
        y = tf.abs(x) + 0.1
        u = tf.sigmoid(x)
        return [
            tfd.Normal(m.w, tf.nn.softplus(m.w)).log_prob(x),
            tfd.Gamma(m.w + 1.0, 2.0).log_prob(y),
            tfd.Beta(2.0, m.w + 1.0).log_prob(u),
            tfd.StudentT(3.0, m.w, 1.0).log_prob(x),
            tfd.Poisson(y).log_prob(2.0),
            tfd.MultivariateNormalTriL([m.w, 0.0], [[1.0, 0.0], [0.5, 2.0]]).log_prob(x[:2]),
            tfd.Categorical(x).entropy(),
            tfd.kl_divergence(tfd.Normal(m.w, 1.0), tfd.Normal(0.0, 2.0)),
            tfd.VonMises(m.w, 2.0).log_prob(x),
            tfd.Logistic(m.w, 1.0).cdf(x),
            tfd.MixtureSameFamily(
                tfd.Categorical([0.3, 0.7]), tfd.Normal([m.w, 1.0], [1.0, 0.5])
            ).log_prob(x),
        ]

    made = module({"w": 0.7}, densities=(densities, [FLOATS]))
    return made, None, [("densities", [rows(4)], {})]


@model
def checks_and_prints():
    def checked(m, x):
        tf.debugging.assert_greater(tf.shape(x)[0], 0, "no rows")
        tf.debugging.assert_all_finite(x, "not finite")
        tf.debugging.assert_equal(tf.rank(x), 2)
        tf.debugging.assert_shapes([(x, ("n", "m"))])
        with tf.control_dependencies([tf.debugging.assert_less(tf.reduce_max(x), 100.0)]):
            y = tf.identity(x)
        y = tf.ensure_shape(y, [None, 2])
        y = tf.debugging.check_numerics(y @ m.w, "product")
        return y, tf.size(x)

    made = module({"w": rows(2, 2)}, checked=(checked, [MATRIX]))
    return made, None, [("checked", [rows(3, 2)], {})]


@model
def mutable_state():
    """Counters, moving averages, tables that change, and arrays that grow, in saved functions."""
    made = tf.Module()
    made.table = tf.lookup.experimental.DenseHashTable(tf.int64, tf.float32, 0.0, -1, -2)
    made.names = tf.lookup.experimental.MutableHashTable(tf.string, tf.int64, -1)
    made.names.insert(["a", "b"], [4, 5])
    made.table.insert([1, 2], [0.5, 1.5])
    made.rows = tf.Variable(tf.zeros([4, 2]))
    made.steps = tf.Variable(0, dtype=tf.int64)
    made.average = tf.train.ExponentialMovingAverage(0.9)
    made.shadow = tf.Variable([1.0, 2.0])
    made.average.apply([made.shadow])
    made.shadows = [made.average.average(made.shadow)]

    @tf.function(input_signature=[tf.TensorSpec([None], tf.int64), FLOATS])
    def put(keys, values):
        made.table.insert(keys, values)
        made.steps.assign_add(1)
        made.rows.scatter_add(tf.IndexedSlices(tf.stack([values, values], 1), keys % 4))
        made.rows[0].assign([7.0, made.rows[1, 0]])
        made.rows.scatter_nd_update([[3]], [[1.0, 2.0]])
        return made.table.lookup(keys + 1), made.table.size(), made.rows.read_value(), made.steps

    @tf.function(input_signature=[TEXTS])
    def named(words):
        made.names.insert(words[:1], [7])
        made.names.remove(words[-1:])
        keys, values = made.names.export()
        return made.names.lookup(words), tf.size(keys), tf.sort(values), made.names[words]

    @tf.function(input_signature=[tf.TensorSpec([2])])
    def follow(x):
        made.shadow.assign(x)
        made.average.apply([made.shadow])
        return made.average.average(made.shadow) * 1.0

    made.put, made.named, made.follow = put, named, follow
    calls = [
        ("put", [np.array([2, 3]), rows(2)], {}),
        ("put", [np.array([5, 3]), rows(2)], {}),
        ("named", [texts(b"a", b"b", b"c")], {}),
        ("follow", [rows(2)], {}),
        ("follow", [rows(2)], {}),
    ]
    return made, None, calls


def session_model(build, resources=False):
    """Returns a function that writes a model of TensorFlow 1.

    `build` gives the signatures as `{name: (inputs, outputs)}`, and an initial operation.
    """

    def write(directory):
        v1.disable_control_flow_v2()
        if not resources:
            v1.disable_resource_variables()
        with tf.Graph().as_default(), v1.Session() as session:
            v1.set_random_seed(1)
            signatures, main = build(Path(directory).parent)
            session.run([v1.global_variables_initializer(), v1.tables_initializer()])
            info = v1.saved_model.build_tensor_info
            defined = {
                name: v1.saved_model.build_signature_def(
                    {key: info(x) for key, x in ins.items()},
                    {key: info(x) for key, x in outs.items()},
                    "tensorflow/serving/predict",
                )
                for name, (ins, outs) in signatures.items()
            }
            builder = v1.saved_model.Builder(directory)
            builder.add_meta_graph_and_variables(
                session,
                ["serve"],
                defined,
                main_op=main,
                assets_collection=v1.get_collection(v1.GraphKeys.ASSET_FILEPATHS),
            )
            builder.save()
        v1.enable_control_flow_v2()
        v1.enable_resource_variables()

    return ("v1", write)


@model
def network_v1():
    """A network of TensorFlow 1 with a switch for training, and a signature that trains it."""

    def build(_):
        x = v1.placeholder(tf.float32, [None, 6, 6, 2], "x")
        y = v1.placeholder(tf.int64, [None], "y")
        training = v1.placeholder_with_default(False, [], "training")
        with v1.variable_scope("net"):
            kernel = v1.get_variable("kernel", initializer=tf.constant(rows(3, 3, 2, 3)))
            scale = v1.get_variable("scale", initializer=tf.ones([3]))
            dense = v1.get_variable("dense", initializer=tf.constant(rows(3, 2)))
            mean = v1.get_variable("mean", [3], initializer=v1.zeros_initializer(), trainable=False)
        h = tf.nn.conv2d(x, kernel, 2, "SAME")

        def batch():
            m, v = tf.nn.moments(h, [0, 1, 2])
            update = v1.assign(mean, mean * 0.9 + m * 0.1)
            with tf.control_dependencies([update]):
                return tf.identity(m), tf.identity(v)

        m, v = v1.cond(training, batch, lambda: (tf.identity(mean), tf.ones([3])))
        h = tf.nn.relu(tf.nn.batch_normalization(h, m, v, None, scale, 1e-3))
        logits = tf.reduce_mean(h, [1, 2]) @ dense
        loss = tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(y, logits))
        step = v1.train.get_or_create_global_step()
        optimizer = v1.train.AdamOptimizer(v1.train.exponential_decay(0.1, step, 10, 0.9))
        train = optimizer.minimize(loss, step)
        with tf.control_dependencies([train]):
            after = tf.stop_gradient(loss)
        return {
            "serving_default": ({"x": x}, {"logits": logits, "best": tf.argmax(logits, 1)}),
            "train": ({"x": x, "y": y, "training": training}, {"loss": after}),
        }, None

    image = rows(2, 6, 6, 2)
    given = {"x": image, "y": np.array([0, 1]), "training": np.bool_(True)}
    calls = [
        ("signatures.serving_default", [], {"x": image}),
        ("signatures.train", [], given),
        ("signatures.train", [], given),
        ("signatures.serving_default", [], {"x": image}),
    ]
    return session_model(build, resources=True), None, calls


@model
def recurrent_v1():
    """A loop of TensorFlow 1 over arrays of tensors, in a graph that has its gradient, too."""

    def build(_):
        x = v1.placeholder(tf.float32, [None, 2, 3], "x")
        lengths = v1.placeholder(tf.int32, [2], "lengths")
        w = v1.get_variable("w", initializer=tf.constant(rows(5, 2)))
        inputs = tf.TensorArray(tf.float32, size=tf.shape(x)[0]).unstack(x)
        outputs = tf.TensorArray(tf.float32, size=tf.shape(x)[0])

        def body(t, h, out):
            new = tf.tanh(tf.concat([inputs.read(t), h], 1) @ w)
            h = tf.where((t < lengths)[:, tf.newaxis], new, h)
            return t + 1, h, out.write(t, h)

        _, h, out = v1.while_loop(
            lambda t, *_: t < tf.shape(x)[0], body, [0, tf.zeros([2, 2]), outputs]
        )
        loss = tf.reduce_sum(tf.square(h))
        tf.gradients(loss, [x, w])  # the loop keeps values for it
        return {"states": ({"x": x, "lengths": lengths}, {"out": out.stack(), "h": h})}, None

    given = {"x": rows(4, 2, 3), "lengths": np.array([4, 2], np.int32)}
    calls = [("signatures.states", [], given)]
    return session_model(build), None, calls


@model
def sentences_v1():
    """A text model of TensorFlow 1: string splits, a table from a file, parts of a variable."""

    def build(folder):
        file = folder / "vocabulary.txt"
        file.write_text("the\ncat\nsat\n")
        lines = v1.placeholder(tf.string, [None], "lines")
        asset = tf.constant(str(file))
        v1.add_to_collection(v1.GraphKeys.ASSET_FILEPATHS, asset)
        table = v1.lookup.StaticVocabularyTable(
            v1.lookup.TextFileInitializer(asset, tf.string, -2, tf.int64, -1), 2
        )
        words = v1.string_split(lines, " ")
        ids = tf.SparseTensor(words.indices, table.lookup(words.values), words.dense_shape)
        parts = v1.get_variable(
            "parts",
            [5, 3],
            partitioner=v1.fixed_size_partitioner(2),
            initializer=v1.constant_initializer(0.5),
        )
        scale = v1.get_variable("scale", initializer=tf.constant([1.0, 2.0, 3.0]))
        vectors = v1.nn.safe_embedding_lookup_sparse(list(parts), ids, combiner="sqrtn")
        sparse = v1.sparse_placeholder(tf.float32, [None, 3], "sparse")
        product = tf.sparse.sparse_dense_matmul(sparse, scale[:, tf.newaxis])
        return {
            "embed": ({"lines": lines}, {"vectors": vectors * scale}),
            "multiply": (
                {"i": sparse.indices, "v": sparse.values, "s": sparse.dense_shape},
                {"product": product},
            ),
        }, v1.tables_initializer()

    sparse = {"i": np.array([[0, 1], [1, 2]]), "v": rows(2), "s": np.array([2, 3])}
    calls = [
        ("signatures.embed", [], {"lines": texts(b"the cat", b"", b"sat on the")}),
        ("signatures.multiply", [], sparse),
    ]
    return session_model(build), None, calls


@model
def exported_v1():
    """Functions of TensorFlow 1 that classify and regress serialized examples."""

    def build(_):
        data = v1.placeholder(tf.string, [None], "examples")
        features = {
            "x": tf.io.FixedLenFeature([3], tf.float32),
            "id": tf.io.VarLenFeature(tf.int64),
        }
        found = v1.parse_example(data, features)
        w = v1.get_variable("w", initializer=tf.constant(rows(3, 2)))
        logits = found["x"] @ w
        names = tf.constant(["no", "yes"])
        best, index = tf.nn.top_k(tf.nn.softmax(logits), 2)
        outs = {"scores": best, "classes": tf.gather(names, index)}
        return {
            "classify": ({"inputs": data}, outs),
            "regress": ({"inputs": data}, {"outputs": logits[:, 0]}),
        }, None

    def example(*values):
        feature = tf.train.Feature(float_list=tf.train.FloatList(value=values))
        features = tf.train.Features(feature={"x": feature})
        return tf.train.Example(features=features).SerializeToString()

    given = {"inputs": texts(example(1.0, 2.0, 3.0), example(0.5, -1.0, 2.0))}
    calls = [("signatures.classify", [], given), ("signatures.regress", [], given)]
    return session_model(build), None, calls


@model
def ragged_variants():
    """Maps over ragged tensors, whose rows are variants; a quantized product of matrices."""
    ragged = [tf.RaggedTensorSpec([None, None], tf.float32)]

    def mapped(m, rows):
        made = tf.RaggedTensorSpec([None], tf.float32, 0)
        more = tf.map_fn(
            lambda row: tf.concat([row, m.w * row * row], 0), rows, fn_output_signature=made
        )
        return more, tf.map_fn(tf.reduce_sum, rows, fn_output_signature=tf.float32)

    def spread(m, x):
        made = tf.RaggedTensorSpec([None], tf.float32, 0)
        counts = tf.range(tf.shape(x)[0])
        return tf.map_fn(
            lambda pair: tf.repeat(pair[0], pair[1]), (x, counts), fn_output_signature=made
        )

    def deep(m, values, rows):
        nested = tf.RaggedTensor.from_row_splits(
            tf.RaggedTensor.from_row_splits(values, [0, 2, 3, 3, 5]), rows
        )
        made = tf.RaggedTensorSpec([None, None], tf.float32, 1)
        return tf.map_fn(lambda row: row * 3.0, nested, fn_output_signature=made)

    def multiplied(m, a, b):
        raw = tf.raw_ops
        low, high = tf.reduce_min(a), tf.reduce_max(a)
        x = raw.QuantizeV2(input=a, min_range=low, max_range=high, T=tf.quint8, mode="MIN_FIRST")
        w = raw.QuantizeV2(input=b, min_range=-2.0, max_range=2.0, T=tf.quint8, mode="MIN_FIRST")
        y = raw.QuantizedMatMul(
            a=x.output, b=w.output, min_a=x.output_min, max_a=x.output_max,
            min_b=w.output_min, max_b=w.output_max,
        )  # fmt: skip
        used = raw.RequantizationRange(input=y.out, input_min=y.min_out, input_max=y.max_out)
        eight = raw.Requantize(
            input=y.out, input_min=y.min_out, input_max=y.max_out, out_type=tf.quint8,
            requested_output_min=used.output_min, requested_output_max=used.output_max,
        )  # fmt: skip
        kept = raw.QuantizedRelu(
            features=eight.output, min_features=eight.output_min, max_features=eight.output_max
        )
        levels, low, high = kept
        return raw.Dequantize(input=levels, min_range=low, max_range=high, mode="MIN_FIRST")

    values, rows_of = tf.TensorSpec([5]), tf.TensorSpec([None], tf.int64)
    made = module(
        {"w": 1.0},
        mapped=(mapped, ragged),
        spread=(spread, [tf.TensorSpec([None])]),
        deep=(deep, [values, rows_of]),
        multiplied=(multiplied, [tf.TensorSpec([3, 4]), tf.TensorSpec([4, 2])]),
    )
    given = tf.RaggedTensor.from_row_splits(rows(5), np.array([0, 2, 2, 5]))
    calls = [("mapped", [given], {}), ("spread", [rows(4)], {})]
    calls += [("deep", [rows(5), np.array([0, 1, 4])], {})]
    return made, None, [*calls, ("multiplied", [rows(3, 4), rows(4, 2, seed=1)], {})]
