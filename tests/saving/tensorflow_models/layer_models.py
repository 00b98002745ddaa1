"""Further models of layers for `make.py`: of Keras 3, Keras 2 and Sonnet."""

import importlib

import numpy as np

tf = importlib.import_module("tensorflow")
keras = importlib.import_module("keras")

MODELS = {}


def model(build):
    """Marks a function that gives `(object, signatures, calls)`.

    Keras' layers are of float64, so that second gradients can be compared to 1e-6.
    """

    def made():
        keras.config.set_floatx("float64")
        return build()

    MODELS[build.__name__] = made
    return build


def rows(*shape, seed=0):
    return np.random.default_rng(seed).standard_normal(shape).astype(keras.config.floatx())


def ids(high, *shape, seed=0):
    return np.random.default_rng(seed).integers(0, high, shape).astype(np.int32)


def texts(*words):
    return np.array(words, object)


def exported(made):
    return ("keras", made)


@model
def decoder():
    """A transformer's encoder and decoder, with masks of padding and of what comes later."""
    layers = keras.layers
    source, target = keras.Input((None,), dtype="int32"), keras.Input((None,), dtype="int32")
    embedding = layers.Embedding(12, 8, mask_zero=True)
    x, y = embedding(source), embedding(target)
    x = layers.LayerNormalization()(x + layers.MultiHeadAttention(2, 4)(x, x))
    y = layers.LayerNormalization()(y + layers.MultiHeadAttention(2, 4)(y, y, use_causal_mask=True))
    y = layers.LayerNormalization()(y + layers.MultiHeadAttention(2, 4)(y, x))
    y = y + layers.Dense(8)(layers.Dense(16, activation="gelu")(y))
    out = layers.Dense(12, activation="log_softmax")(layers.Dropout(0.1)(y))
    a, b = ids(12, 2, 5), ids(12, 2, 4, seed=1)
    a[1, 3:] = b[0, 2:] = 0
    return exported(keras.Model([source, target], out)), None, [("serve", [[a, b]], {})]


@model
def masked_recurrent():
    words = keras.Input((None,), dtype="int32")
    x = keras.layers.Embedding(9, 4, mask_zero=True)(words)
    x = keras.layers.Bidirectional(keras.layers.GRU(3, return_sequences=True), merge_mode="sum")(x)
    x = keras.layers.TimeDistributed(keras.layers.Dense(3, activation="tanh"))(x)
    x = keras.layers.SimpleRNN(3, go_backwards=True, return_sequences=True)(x)
    states = keras.layers.LSTM(2, return_state=True)(x)
    given = ids(9, 3, 6)
    given[1, 4:] = given[2, 1:] = 0
    return exported(keras.Model(words, states)), None, [("serve", [given], {})]


@model
def recurrent_cells():
    cells = [keras.layers.LSTMCell(3), keras.layers.GRUCell(2, reset_after=False)]
    x = keras.Input((4, 2))
    stacked = keras.layers.RNN(keras.layers.StackedRNNCells(cells), return_sequences=True)(x)
    unrolled = keras.layers.SimpleRNN(2, unroll=True, activation="relu")(stacked)
    given = rows(2, 4, 2)
    return exported(keras.Model(x, [stacked, unrolled])), None, [("serve", [given], {})]


@model
def convolutional_recurrent():
    made = keras.Sequential(
        [
            keras.Input((3, 5, 5, 2)),
            keras.layers.ConvLSTM2D(2, 3, padding="same", return_sequences=True),
            keras.layers.Conv3D(2, (2, 3, 3), activation="relu"),
            keras.layers.GlobalAveragePooling3D(),
            keras.layers.Dense(1),
        ]
    )
    return exported(made), None, [("serve", [rows(1, 3, 5, 5, 2)], {})]


@model
def kinds_of_convolution():
    layers = keras.layers
    sound, image, volume = keras.Input((12, 2)), keras.Input((6, 6, 2)), keras.Input((4, 4, 4, 1))
    x = layers.Conv1D(4, 3, padding="causal", dilation_rate=2, activation="silu")(sound)
    x = layers.Conv1DTranspose(2, 3, strides=2)(layers.SeparableConv1D(3, 3)(x))
    x = layers.DepthwiseConv1D(2)(x)
    y = layers.DepthwiseConv2D(3, strides=2, padding="same")(image)
    y = layers.UpSampling2D(2)(y)
    y = layers.Conv2D(4, 1, groups=2)(layers.Cropping2D(1)(y))
    y = layers.Conv2DTranspose(2, 3, strides=2, padding="same", output_padding=1)(y)
    y = layers.MaxPooling2D(2)(layers.PReLU(shared_axes=[1, 2])(y))
    z = layers.Conv3DTranspose(2, 2, strides=2)(layers.Cropping3D(1)(volume))
    z = layers.UpSampling3D(2)(layers.Cropping3D(1)(layers.ZeroPadding3D(1)(z)))
    made = keras.Model([sound, image, volume], [x, y, layers.GlobalMaxPooling3D()(z)])
    given = [rows(2, 12, 2), rows(2, 6, 6, 2, seed=1), rows(2, 4, 4, 4, 1, seed=2)]
    return exported(made), None, [("serve", [given], {})]


@model
def kinds_of_normalization():
    layers = keras.layers
    made = keras.Sequential(
        [
            keras.Input((4, 4, 6)),
            layers.GroupNormalization(3),
            layers.Conv2D(4, 1),
            layers.BatchNormalization(scale=False),
            layers.LayerNormalization(axis=[1, 2]),
            layers.Activation("hard_swish" if hasattr(keras.activations, "hard_swish") else "relu"),
            layers.UnitNormalization(),
            layers.SpectralNormalization(layers.Dense(3)),
            layers.RMSNormalization(),
        ]
    )
    return exported(made), None, [("serve", [rows(2, 4, 4, 6)], {})]


@model
def squeeze_and_excitation():
    """Residual blocks with gates, as mobile networks for images have them."""
    layers = keras.layers
    image = keras.Input((None, None, 3))
    x = layers.Rescaling(1 / 255.0)(image)
    x = layers.Conv2D(4, 3, strides=2, padding="same", use_bias=False)(x)
    x = layers.ReLU(6.0)(layers.BatchNormalization()(x))
    y = layers.DepthwiseConv2D(3, padding="same", use_bias=False)(layers.Conv2D(8, 1)(x))
    y = layers.Activation("hard_silu")(layers.BatchNormalization()(y))
    gate = layers.GlobalAveragePooling2D(keepdims=True)(y)
    gate = layers.Conv2D(8, 1, activation="hard_sigmoid")(layers.Conv2D(2, 1)(gate))
    x = layers.Add()([x, layers.Conv2D(4, 1)(layers.Multiply()([y, gate]))])
    x = layers.LeakyReLU(0.2)(layers.GlobalMaxPooling2D()(x))
    out = layers.Dense(3, activation="softmax")(layers.Dropout(0.2)(x))
    given = np.random.default_rng(0).integers(0, 255, (2, 9, 7, 3)).astype(np.float64)
    return exported(keras.Model(image, out)), None, [("serve", [given], {})]


@model
def kinds_of_attention():
    layers = keras.layers
    x, y = keras.Input((4, 6)), keras.Input((5, 6))
    out = [
        layers.Attention(use_scale=True, score_mode="concat")([x, y]),
        layers.AdditiveAttention()([x, y]),
        layers.GroupQueryAttention(4, 4, 2)(x, y),
        layers.EinsumDense("abc,cde->abde", (None, 2, 3), bias_axes="de")(x),
        layers.Dot(2)([x, y]),
    ]
    calls = [("serve", [[rows(2, 4, 6), rows(2, 5, 6, seed=1)]], {})]
    return exported(keras.Model([x, y], out)), None, calls


@model
def categories():
    """Keras 3's layers for features: lookups, hashes, crosses, and their encodings."""
    layers = keras.layers
    word, number, value = (keras.Input((1,), dtype=d) for d in ("string", "int64", "float64"))
    words = layers.StringLookup(vocabulary=["a", "b", "c"], num_oov_indices=2)
    numbers = layers.IntegerLookup(vocabulary=[3, 5, 7], output_mode="multi_hot")
    hashed = layers.Hashing(7)(word)
    crossed = layers.HashedCrossing(5, output_mode="one_hot")([word, number])
    counted = layers.CategoryEncoding(num_tokens=7, output_mode="count")(hashed)
    cut = layers.Discretization([-1.0, 0.0, 1.0])(value)
    names = layers.StringLookup(vocabulary=["a", "b", "c"], invert=True)
    normal = layers.Normalization(mean=0.5, variance=2.0)(value)
    features = layers.Concatenate()([numbers(number), counted, crossed, normal])
    embedded = layers.Embedding(5, 2)(words(word))
    outs = {
        "score": layers.Dense(2)(features),
        "embedded": layers.Flatten()(embedded),
        "cut": cut,
        "name": names(words(word)),
    }
    given = {
        "word": texts([b"a"], [b"zz"], [b"c"]),
        "number": np.array([[3], [4], [7]]),
        "value": rows(3, 1),
    }
    made = keras.Model({"word": word, "number": number, "value": value}, outs)
    return exported(made), None, [("serve", [given], {})]


@model
def text_encodings():
    """Text vectorization by bigrams and by tf-idf, in Keras 3."""
    lines = ["the cat sat", "the dog sat on the mat", "a cat"]
    counted = keras.layers.TextVectorization(ngrams=2, output_mode="tf_idf")
    counted.adapt(lines)
    split = keras.layers.TextVectorization(
        split="character", standardize="lower", output_sequence_length=6
    )
    split.adapt(lines)
    line = keras.Input((1,), dtype="string")
    dense = keras.layers.Dense(2)(counted(line))
    letters = keras.layers.Embedding(16, 2, mask_zero=True)(split(line))
    out = [dense, keras.layers.LSTM(2)(letters)]
    given = texts([b"The cat sat on the mat!"], [b"dog"], [b""])
    return exported(keras.Model(line, out)), None, [("serve", [given], {})]


@model
def variational():
    """An autoencoder that draws random numbers, and gives its loss."""

    class Sampling(keras.layers.Layer):
        def __init__(self, **options):
            super().__init__(**options)
            self.seed = keras.random.SeedGenerator(3)

        def call(self, mean, deviation):
            noise = keras.random.normal(keras.ops.shape(mean), seed=self.seed)
            return mean + keras.ops.exp(0.5 * deviation) * noise * 0.0

    x = keras.Input((5,))
    mean = keras.layers.Dense(2)(x)
    deviation = keras.layers.Dense(2)(x)
    decoded = keras.layers.Dense(5, activation="sigmoid")(Sampling()(mean, deviation))
    return exported(keras.Model(x, [mean, decoded])), None, [("serve", [rows(3, 5)], {})]


@model
def activations():
    x = keras.Input((7,))
    names = "celu elu exponential gelu hard_tanh leaky_relu linear log_sigmoid mish relu6 selu "
    names += "sigmoid silu softplus softsign squareplus tanh_shrink sparse_plus soft_shrink glu"
    pairs = keras.layers.Dense(4)(x)
    out = [keras.layers.Activation(name)(pairs) for name in names.split()]
    return exported(keras.Model(x, out)), None, [("serve", [rows(3, 7)], {})]


@model
def keras_trained():
    """A Keras 3 model with Adam and BatchNormalization, whose training step is a signature."""
    made = keras.Sequential(
        [
            keras.Input((3,)),
            keras.layers.Dense(4, activation="tanh"),
            keras.layers.BatchNormalization(),
            keras.layers.Dense(2),
        ]
    )
    optimizer = keras.optimizers.Adam(0.01, clipnorm=1.0, weight_decay=0.01)
    optimizer.build(made.trainable_variables)
    root = tf.Module()
    root.model, root.optimizer = made, optimizer

    @tf.function(
        input_signature=[tf.TensorSpec([None, 3], tf.float64), tf.TensorSpec([None], tf.int32)]
    )
    def train(x, y):
        with tf.GradientTape() as tape:
            loss = keras.losses.SparseCategoricalCrossentropy(from_logits=True)(
                y, made(x, training=True)
            )
        gradients = tape.gradient(loss, made.trainable_variables)
        optimizer.apply_gradients(zip(gradients, made.trainable_variables, strict=True))
        return {"loss": tf.stop_gradient(loss)}

    root.train = train
    x, y = rows(6, 3), ids(2, 6)
    return root, {"train": train}, [("train", [x, y], {})] * 3


def _keras2():
    k = importlib.import_module("tf_keras")
    k.backend.set_floatx("float64")
    return k


@model
def keras2_features():
    k = _keras2()
    layers = k.layers
    kinds = {"word": "string", "number": "int64", "value": "float64"}
    word, number, value = (k.Input((1,), dtype=d, name=name) for name, d in kinds.items())
    words = layers.StringLookup(vocabulary=["a", "b", "c"], output_mode="one_hot")(word)
    numbers = layers.IntegerLookup(vocabulary=[3, 5, 7], output_mode="count")(number)
    hashed = layers.Hashing(7, salt=[3, 4])(word)
    encoded = layers.CategoryEncoding(7, output_mode="multi_hot")(hashed)
    cut = layers.Discretization([-1.0, 0.0, 1.0], output_mode="one_hot")(value)
    normal = layers.Normalization(mean=0.5, variance=2.0)(value)
    crossed = layers.HashedCrossing(5, output_mode="one_hot")([word, number])
    joined = layers.Concatenate()([words, numbers, encoded, cut, normal, crossed])
    made = k.Model({"word": word, "number": number, "value": value}, layers.Dense(2)(joined))
    given = {
        "word": texts([b"a"], [b"zz"], [b"c"]),
        "number": np.array([[3], [4], [7]]),
        "value": rows(3, 1),
    }
    return made, None, [("signatures.serving_default", [], given)]


@model
def keras2_transformer():
    k = _keras2()
    layers = k.layers
    x = k.Input((5, 8))
    y = layers.LayerNormalization()(x + layers.MultiHeadAttention(2, 4)(x, x, use_causal_mask=True))
    y = layers.LayerNormalization()(y + layers.Dense(8)(layers.Dense(16, activation="gelu")(y)))
    z = layers.Attention(use_scale=True)([y, x])
    z = layers.AdditiveAttention()([z, x])
    z = layers.GroupNormalization(4)(z)
    out = layers.EinsumDense("abc,ce->abe", (None, 3), activation="softmax")(layers.Dropout(0.1)(z))
    return k.Model(x, out), None, [("", [rows(2, 5, 8)], {"training": False})]


@model
def keras2_recurrent():
    k = _keras2()
    layers = k.layers
    x = k.Input((None, 4))
    y = layers.Masking(0.0)(x)
    cells = [layers.LSTMCell(3), layers.GRUCell(2, reset_after=False)]
    y = layers.RNN(cells, return_sequences=True)(y)
    given = rows(2, 5, 4)
    given[1, 3:] = 0
    calls = [("", [given], {"training": False})]
    return k.Model(x, layers.SimpleRNN(2, go_backwards=True)(y)), None, calls


@model
def keras2_images():
    k = _keras2()
    layers = k.layers
    made = k.Sequential(
        [
            k.Input((9, 9, 3)),
            layers.Resizing(8, 8),
            layers.Rescaling(1 / 127.5, -1.0),
            layers.RandomFlip(),
            layers.CenterCrop(6, 6),
            layers.SeparableConv2D(4, 3, padding="same"),
            layers.LayerNormalization(),
            layers.PReLU(),
            layers.Conv2DTranspose(3, 3, strides=2, padding="same"),
            layers.UpSampling2D(2, interpolation="nearest"),
            layers.LocallyConnected2D(2, 3, strides=3),
            layers.GlobalAveragePooling2D(),
        ]
    )
    given = np.random.default_rng(0).integers(0, 255, (2, 9, 9, 3)).astype(np.float64)
    return made, None, [("", [given], {"training": False})]


@model
def keras2_compiled():
    """A subclass of Keras 2's Model, compiled and fitted, with its optimizer and a method."""
    k = _keras2()

    class Own(k.Model):
        def __init__(self):
            super().__init__()
            self.hidden = [k.layers.Dense(4, "relu", kernel_regularizer="l2"), k.layers.Dense(2)]
            self.scale = self.add_weight("scale", (), initializer="ones")

        def call(self, x, training=False):
            for layer in self.hidden:
                x = layer(x)
            return x * self.scale + (tf.reduce_mean(x) if training else 0.0)

        @tf.function(input_signature=[tf.TensorSpec([None, 3], tf.float64)])
        def best(self, x):
            return tf.argmax(self(x), 1)

    made = Own()
    made.compile(k.optimizers.legacy.Adam(0.01), k.losses.MeanSquaredError(), ["mae"])
    x = rows(8, 3)
    made.fit(x, rows(8, 2, seed=1), verbose=0)
    calls = [
        ("", [x], {"training": False}),
        ("", [x], {"training": True}),
        ("best", [x], {}),
        ("signatures.serving_default", [x], {}),
    ]
    return made, None, calls


@model
def keras2_columns():
    """Feature columns, as Estimators and their successors had them."""
    k = _keras2()
    column = tf.feature_column
    word = column.categorical_column_with_vocabulary_list(
        "word", ["a", "b", "c"], num_oov_buckets=1
    )
    age = column.bucketized_column(column.numeric_column("age"), [18.0, 40.0])
    columns = [
        column.embedding_column(word, 2),
        column.indicator_column(column.crossed_column([age, "word"], 6)),
        column.indicator_column(column.categorical_column_with_hash_bucket("word", 4)),
        age,
        column.numeric_column("age", normalizer_fn=lambda x: x / 10.0),
    ]
    made = k.Sequential([k.layers.DenseFeatures(columns), k.layers.Dense(2, "tanh")])
    given = {"word": texts([b"a"], [b"zz"]), "age": np.array([[20.0], [50.0]], np.float32)}
    made(given)
    made({key: tf.constant(v) for key, v in given.items()})
    root = tf.Module()
    root.model = made
    specs = {"word": tf.TensorSpec([None, 1], tf.string), "age": tf.TensorSpec([None, 1])}
    root.predict = tf.function(lambda x: made(x), input_signature=[specs])
    return root, None, [("predict", [given], {})]


def _sonnet():
    keras.config.set_floatx("float32")
    return importlib.import_module("sonnet")


@model
def sonnet_images():
    snt = _sonnet()

    class Net(tf.Module):
        def __init__(self):
            super().__init__()
            self.first = snt.Conv2D(4, 3, stride=2, with_bias=False)
            self.norm = snt.BatchNorm(True, True)
            self.block = snt.DepthwiseConv2D(3)
            self.group = snt.GroupNorm(2)
            self.up = snt.Conv2DTranspose(3, 3, stride=2)
            self.head = snt.nets.MLP([5, 2], activation=tf.nn.swish)

        @tf.function(input_signature=[tf.TensorSpec([None, 6, 6, 2])])
        def __call__(self, x):
            x = tf.nn.relu(self.norm(self.first(x), is_training=False, test_local_stats=False))
            return self.head(tf.reduce_mean(self.up(self.group(self.block(x))), [1, 2]))

        @tf.function(input_signature=[tf.TensorSpec([None, 6, 6, 2])])
        def statistics(self, x):
            return tf.sin(self.norm(self.first(x), is_training=True))

    made = Net()
    made(tf.constant(rows(2, 6, 6, 2)))
    calls = [("", [rows(2, 6, 6, 2)], {}), ("statistics", [rows(2, 6, 6, 2)], {})]
    return made, None, calls


@model
def sonnet_recurrent():
    snt = _sonnet()

    class Net(tf.Module):
        def __init__(self):
            super().__init__()
            self.core = snt.DeepRNN([snt.LSTM(3), tf.nn.tanh, snt.GRU(2)])
            self.lstm = snt.UnrolledLSTM(3)

        @tf.function(input_signature=[tf.TensorSpec([None, 2, 2]), tf.TensorSpec([2], tf.int32)])
        def __call__(self, x, lengths):
            state = self.core.initial_state(2)
            ys, state = snt.dynamic_unroll(self.core, x, state, sequence_length=lengths)
            return ys, state

        @tf.function(input_signature=[tf.TensorSpec([None, 2, 2])])
        def fused(self, x):
            return self.lstm(x, self.lstm.initial_state(2))

    made = Net()
    x, lengths = rows(4, 2, 2), np.array([4, 2], np.int32)
    made(tf.constant(x), tf.constant(lengths))
    made.fused(tf.constant(x))
    return made, None, [("", [x, lengths], {}), ("fused", [x], {})]


@model
def sonnet_quantizer():
    snt = _sonnet()

    class Net(tf.Module):
        def __init__(self):
            super().__init__()
            self.encode = snt.Linear(3)
            self.vectors = snt.nets.VectorQuantizerEMA(3, 4, 0.25, 0.9)
            self.norm = snt.LayerNorm(-1, True, True)
            self.embed = snt.Embed(6, 3)
            self.optimizer = snt.optimizers.Adam(0.01)

        @tf.function(input_signature=[tf.TensorSpec([None, 4])])
        def __call__(self, x):
            found = self.vectors(self.norm(self.encode(x)), is_training=False)
            return found["quantize"], found["loss"], found["perplexity"]

        @tf.function(input_signature=[tf.TensorSpec([None], tf.int32)])
        def train(self, words):
            with tf.GradientTape() as tape:
                loss = tf.reduce_mean(tf.square(self.norm(self.embed(words))[:, 0] - 1.0))
            wanted = [self.norm.scale, self.norm.offset]
            self.optimizer.apply(tape.gradient(loss, wanted), wanted)
            return tf.stop_gradient(loss)

    made = Net()
    made(tf.constant(rows(5, 4)))
    made.train(tf.constant(ids(6, 4)))
    return made, None, [("", [rows(5, 4)], {}), *[("train", [ids(6, 4)], {})] * 2]
