"""Shapes that are known while a function is traced with arguments of unknown sizes."""


def elementwise_and_broadcast(tf):
    @tf.function
    def f(x, y, z):
        for t in (
            x + 1,
            tf.exp(x),
            x * y,
            x + z,
            y + z,
            x > y,
            tf.maximum(x, z),
            tf.where(x > 0, x, y),
        ):
            print(t.shape, t.dtype.name)
        return x

    f.get_concrete_function(
        tf.TensorSpec([None, 3]), tf.TensorSpec([None, 1]), tf.TensorSpec([4, None, 3])
    )


def broadcast_of_unknown_with_known(tf, raises):
    @tf.function
    def f(x, y):
        print((x + tf.ones([5])).shape, (x + tf.ones([1])).shape, (y + x).shape, (y * 2.0).shape)
        print(tf.broadcast_static_shape(x.shape, tf.TensorShape([5])))
        print(tf.broadcast_to(x, [2, 5]).shape, tf.broadcast_to(x, tf.shape(y)).shape)
        raises(lambda: tf.ones([2, 3]) + tf.ones([2]))
        return x

    f.get_concrete_function(tf.TensorSpec([None]), tf.TensorSpec(None))


def reductions(tf, raises):
    @tf.function
    def f(x, u, axis):
        print(tf.reduce_sum(x).shape, tf.reduce_mean(x, 0).shape, tf.reduce_max(x, [0, 2]).shape)
        print(
            tf.reduce_sum(x, -1, keepdims=True).shape,
            tf.argmax(x, 1).shape,
            tf.reduce_any(x > 0, 1).shape,
        )
        print(tf.reduce_sum(x, axis).shape, tf.reduce_sum(x, axis, keepdims=True).shape)
        print(
            tf.reduce_sum(u).shape,
            tf.reduce_sum(u, 0).shape,
            tf.reduce_sum(u, 0, keepdims=True).shape,
        )
        print(tf.math.cumsum(x, 1).shape, tf.math.reduce_std(x, 0).shape, tf.norm(x, axis=1).shape)
        raises(lambda: tf.reduce_sum(x, 3))
        return x

    f.get_concrete_function(
        tf.TensorSpec([None, 3, 4]), tf.TensorSpec(None), tf.TensorSpec([], tf.int32)
    )


def products_of_matrices(tf, raises):
    @tf.function
    def f(x, y, u):
        print(
            tf.matmul(x, y).shape,
            tf.matmul(x, x, transpose_b=True).shape,
            (y @ tf.ones([5, 2])).shape,
        )
        print(
            tf.matmul(u, y).shape,
            tf.linalg.matvec(x, tf.ones([3])).shape,
            tf.tensordot(x, y, 1).shape,
        )
        print(
            tf.einsum("ij,jk->ik", x, y).shape,
            tf.einsum("ij->ji", x).shape,
            tf.einsum("bij,jk->bik", u, y).shape,
        )
        print(
            tf.linalg.inv(tf.matmul(x, x, True)).shape,
            tf.linalg.diag_part(y).shape,
            tf.linalg.det(u).shape,
        )
        raises(lambda: tf.matmul(x, tf.ones([2, 2])))
        return x

    f.get_concrete_function(
        tf.TensorSpec([None, 3]), tf.TensorSpec([3, 5]), tf.TensorSpec([None, None, 3])
    )


def reshapes(tf, raises):
    @tf.function
    def f(x, n, s, u):
        print(tf.reshape(x, [-1]).shape, tf.reshape(x, [-1, 6]).shape, tf.reshape(x, [2, -1]).shape)
        print(tf.reshape(x, [n, 3]).shape, tf.reshape(x, s).shape, tf.reshape(u, [n, -1]).shape)
        print(
            tf.reshape(x, tf.concat([tf.shape(x)[:1], [3, 4]], 0)).shape,
            tf.reshape(x, [tf.shape(x)[0], -1]).shape,
        )
        print(tf.reshape(tf.ones([6]), [-1, 2]).shape, tf.reshape(tf.ones([6]), [n, 2]).shape)
        print(tf.expand_dims(x, 0).shape, tf.expand_dims(u, -1).shape, tf.squeeze(x, []).shape)
        print(
            tf.squeeze(tf.expand_dims(x, 1)).shape,
            tf.squeeze(tf.expand_dims(x, 1), 1).shape,
            tf.squeeze(u).shape,
        )
        raises(lambda: tf.reshape(tf.ones([6]), [4, -1]))
        return x

    f.get_concrete_function(
        tf.TensorSpec([None, 3, 4]),
        tf.TensorSpec([], tf.int32),
        tf.TensorSpec([2], tf.int32),
        tf.TensorSpec(None),
    )


def transposes_and_orders(tf):
    @tf.function
    def f(x, u, perm):
        print(tf.transpose(x).shape, tf.transpose(x, [1, 0, 2]).shape, tf.transpose(x, perm).shape)
        print(
            tf.transpose(u).shape,
            tf.transpose(u, perm).shape,
            tf.reverse(x, [0]).shape,
            tf.roll(x, 1, 0).shape,
        )
        print(
            tf.sort(x).shape,
            tf.argsort(x, 1).shape,
            tf.math.top_k(x, 2)[0].shape,
            tf.linalg.adjoint(x).shape,
        )
        return x

    f.get_concrete_function(
        tf.TensorSpec([None, 3, 4]), tf.TensorSpec(None), tf.TensorSpec([3], tf.int32)
    )


def slices(tf):
    @tf.function
    def f(x, i, u):
        print(
            x[0].shape,
            x[:, 0].shape,
            x[1:3].shape,
            x[:, 1:3].shape,
            x[..., 0].shape,
            x[:, -1:].shape,
        )
        print(
            x[i].shape,
            x[:i].shape,
            x[:, i:].shape,
            x[i, i].shape,
            x[:, ::2].shape,
            x[::2].shape,
            x[::-1].shape,
        )
        print(
            x[tf.newaxis].shape, x[:, tf.newaxis, 1].shape, u[0].shape, u[1:].shape, u[..., 0].shape
        )
        print(tf.slice(x, [0, 1, 0], [-1, 2, -1]).shape, tf.slice(x, [i, 0, 0], [2, 1, 1]).shape)
        print(tf.slice(x, [0, 0, 0], [i, 1, 1]).shape, tf.strided_slice(x, [0], [2]).shape)
        return x

    f.get_concrete_function(
        tf.TensorSpec([None, 5, 4]), tf.TensorSpec([], tf.int32), tf.TensorSpec(None)
    )


def joins_and_splits(tf, raises):
    @tf.function
    def f(x, y, n, u):
        print(
            tf.concat([x, y], 0).shape,
            tf.concat([x, x], 1).shape,
            tf.stack([x, x]).shape,
            tf.stack([x, x], -1).shape,
        )
        print(
            tf.concat([x, tf.ones([2, 4])], 0).shape,
            tf.concat([x, u], 0).shape,
            tf.concat([x, y], n).shape,
        )
        print([t.shape for t in tf.split(x, 2, 1)], [t.shape for t in tf.split(x, [1, 3], 1)])
        print([t.shape for t in tf.split(x, 2, 0)], [t.shape for t in tf.split(x, [1, -1], 0)])
        print(
            [t.shape for t in tf.unstack(x, axis=1)],
            tf.tile(x, [2, 3]).shape,
            tf.tile(x, [n, 1]).shape,
        )
        print(
            tf.repeat(x, 2, 0).shape,
            tf.repeat(x, 2, 1).shape,
            tf.repeat(x, [1, 2, 0, 1], 1).shape,
            tf.repeat(x, n, 1).shape,
        )
        raises(lambda: tf.unstack(x))
        raises(lambda: tf.concat([x, tf.ones([2, 3])], 0))
        raises(lambda: tf.stack([x, tf.ones([2, 3])]))
        return x

    f.get_concrete_function(
        tf.TensorSpec([None, 4]),
        tf.TensorSpec([None, 4]),
        tf.TensorSpec([], tf.int32),
        tf.TensorSpec(None),
    )


def gathers_and_scatters(tf):
    @tf.function
    def f(x, i, n):
        print(
            tf.gather(x, i).shape,
            tf.gather(x, i, axis=1).shape,
            tf.gather(x, n).shape,
            tf.gather(x, [0, 1]).shape,
        )
        print(tf.gather_nd(x, [[0, 1]]).shape, tf.gather_nd(x, i[:, None]).shape)
        print(
            tf.scatter_nd(i[:, None], x, [n, 4]).shape, tf.scatter_nd(i[:, None], x, [9, 4]).shape
        )
        print(
            tf.tensor_scatter_nd_add(x, [[0]], tf.ones([1, 4])).shape,
            tf.boolean_mask(x, i > 0).shape,
        )
        print(
            tf.where(x > 0).shape,
            tf.where(i > 0).shape,
            tf.unique(i)[0].shape,
            tf.unique(i)[1].shape,
        )
        print(
            tf.one_hot(i, 5).shape,
            tf.one_hot(i, n).shape,
            tf.sequence_mask(i, 7).shape,
            tf.sequence_mask(i).shape,
        )
        print(
            tf.math.segment_sum(x, i).shape,
            tf.math.unsorted_segment_sum(x, i, 3).shape,
            tf.math.bincount(i).shape,
        )
        print(tf.dynamic_partition(x, i, 2)[0].shape, tf.linalg.band_part(x, 1, 1).shape)
        return x

    f.get_concrete_function(
        tf.TensorSpec([None, 4]), tf.TensorSpec([None], tf.int32), tf.TensorSpec([], tf.int32)
    )


def fills_and_ranges(tf):
    @tf.function
    def f(n, x):
        print(
            tf.zeros([n]).shape, tf.ones([2, n]).shape, tf.fill([n, n], 0).shape, tf.zeros(x).shape
        )
        print(
            tf.range(n).shape,
            tf.range(5).shape,
            tf.range(2, 10, 3).shape,
            tf.linspace(0.0, 1.0, 5).shape,
            tf.linspace(0.0, 1.0, n).shape,
        )
        print(
            tf.eye(3).shape,
            tf.eye(n).shape,
            tf.eye(2, batch_shape=[4]).shape,
            tf.zeros_like(x).shape,
        )
        print(
            tf.random.normal([n, 2]).shape, tf.random.uniform([3]).shape, tf.random.shuffle(x).shape
        )
        print(tf.zeros(tf.shape(tf.ones([2, 3]))).shape, tf.zeros([tf.constant(2) + 1]).shape)
        print(tf.meshgrid(tf.range(n), tf.range(3))[0].shape, tf.shape(x).shape, tf.size(x).shape)
        return n

    f.get_concrete_function(tf.TensorSpec([], tf.int32), tf.TensorSpec([2], tf.int32))


def padding(tf):
    @tf.function
    def f(x, p):
        print(
            tf.pad(x, [[1, 1], [0, 2]]).shape, tf.pad(x, p).shape, tf.pad(tf.ones([2, 2]), p).shape
        )
        print(tf.pad(x, [[1, 1], [2, 2]], "REFLECT").shape)
        return x

    f.get_concrete_function(tf.TensorSpec([None, 3]), tf.TensorSpec([2, 2], tf.int32))


def convolutions_and_pools(tf):
    @tf.function
    def f(x, k):
        print(
            tf.nn.conv2d(x, tf.ones([3, 3, 3, 8]), 1, "SAME").shape,
            tf.nn.conv2d(x, tf.ones([3, 3, 3, 8]), 2, "VALID").shape,
        )
        print(
            tf.nn.conv2d(x, k, 1, "SAME").shape,
            tf.nn.depthwise_conv2d(x, tf.ones([3, 3, 3, 2]), [1, 1, 1, 1], "VALID").shape,
        )
        print(tf.nn.max_pool2d(x, 2, 2, "VALID").shape, tf.nn.avg_pool2d(x, 2, 1, "SAME").shape)
        print(tf.nn.conv2d_transpose(x, tf.ones([2, 2, 5, 3]), [4, 64, 64, 5], 2).shape)
        print(
            tf.nn.bias_add(x, tf.ones([3])).shape,
            tf.nn.softmax(x).shape,
            tf.nn.moments(x, [0, 1, 2])[0].shape,
        )
        print(
            tf.nn.space_to_depth(x, 2).shape,
            tf.image.extract_patches(x, [1, 3, 3, 1], [1, 1, 1, 1], [1, 1, 1, 1], "VALID").shape,
        )
        return x

    f.get_concrete_function(tf.TensorSpec([None, 32, None, 3]), tf.TensorSpec([None, None, 3, 6]))


def convolutions_of_lines(tf):
    @tf.function
    def f(x):
        print(
            tf.nn.conv1d(x, tf.ones([3, 2, 4]), 1, "SAME").shape,
            tf.nn.conv1d(x, tf.ones([3, 2, 4]), 2, "VALID").shape,
        )
        print(tf.nn.max_pool1d(x, 2, 2, "VALID").shape, tf.signal.frame(x[:, :, 0], 4, 2).shape)
        return x

    f.get_concrete_function(tf.TensorSpec([None, None, 2]))


def images(tf):
    @tf.function
    def f(x, n, b):
        print(
            tf.image.resize(x, [8, 9]).shape,
            tf.image.resize(x, [n, n]).shape,
            tf.image.flip_left_right(x).shape,
        )
        print(
            tf.image.rgb_to_grayscale(x).shape, tf.image.central_crop(tf.ones([8, 8, 3]), 0.5).shape
        )
        print(
            tf.image.random_crop(x, [4, 4, 3]).shape,
            tf.image.crop_to_bounding_box(x, 0, 0, 4, 5).shape,
        )
        print(
            tf.image.pad_to_bounding_box(x, 1, 1, 40, 40).shape,
            tf.image.rot90(x).shape,
            tf.image.adjust_hue(x, 0.1).shape,
        )
        print(
            tf.io.decode_png(b).shape,
            tf.io.decode_jpeg(b, channels=3).shape,
            tf.io.decode_image(b).shape,
        )
        print(tf.io.encode_png(tf.cast(x, tf.uint8)).shape, tf.io.decode_raw(b, tf.int32).shape)
        return x

    f.get_concrete_function(
        tf.TensorSpec([None, None, 3]), tf.TensorSpec([], tf.int32), tf.TensorSpec([], tf.string)
    )


def strings(tf):
    @tf.function
    def f(s):
        print(
            tf.strings.length(s).shape,
            tf.strings.join([s, s]).shape,
            tf.strings.reduce_join(s).shape,
            tf.strings.lower(s).shape,
        )
        print(
            tf.strings.split(s).shape,
            type(tf.strings.split(s)).__name__,
            tf.strings.split(s[0]).shape,
        )
        print(
            tf.strings.to_number(s).shape,
            tf.strings.regex_replace(s, "a", "b").shape,
            tf.strings.substr(s, 0, 1).shape,
        )
        print(
            tf.strings.unicode_decode(s, "UTF-8").shape,
            tf.strings.bytes_split(s).shape,
            tf.strings.to_hash_bucket_fast(s, 3).shape,
        )
        return s

    f.get_concrete_function(tf.TensorSpec([None], tf.string))


def ragged_tensors(tf):
    @tf.function
    def f(r):
        print(
            r.shape,
            r.values.shape,
            r.row_splits.shape,
            r.nrows().shape,
            r.to_tensor().shape,
            r.to_tensor(shape=[None, 4]).shape,
        )
        print(
            (r + 1).shape,
            tf.reduce_sum(r, 1).shape,
            r[0].shape,
            r[:, :2].shape,
            tf.concat([r, r], 0).shape,
            r.bounding_shape().shape,
        )
        print(r)
        return r

    f.get_concrete_function(tf.RaggedTensorSpec([None, None], tf.int32))


def sparse_tensors(tf):
    @tf.function
    def f(s):
        print(
            s.shape,
            s.indices.shape,
            s.values.shape,
            s.dense_shape.shape,
            tf.sparse.to_dense(s).shape,
        )
        print(
            tf.sparse.reduce_sum(s, 0).shape,
            tf.sparse.transpose(s).shape,
            tf.sparse.sparse_dense_matmul(s, tf.ones([3, 2])).shape,
        )
        print(s)
        return s

    f.get_concrete_function(tf.SparseTensorSpec([None, 3], tf.float32))


def linear_algebra(tf):
    @tf.function
    def f(x):
        print(
            tf.linalg.cholesky(x).shape,
            [t.shape for t in tf.linalg.qr(x)],
            [t.shape for t in tf.linalg.svd(x)],
        )
        print(
            [t.shape for t in tf.linalg.eigh(x)],
            tf.linalg.solve(x, x[..., :1]).shape,
            tf.linalg.trace(x).shape,
        )
        print(
            tf.linalg.diag(x).shape,
            tf.linalg.set_diag(x, x[..., 0]).shape,
            tf.linalg.lstsq(x, x).shape,
        )
        return x

    f.get_concrete_function(tf.TensorSpec([None, 3, 3]))


def transforms(tf):
    @tf.function
    def f(x):
        print(
            tf.signal.rfft(x).shape,
            tf.signal.fft(tf.cast(x, tf.complex64)).shape,
            tf.signal.irfft(tf.cast(x, tf.complex64)).shape,
        )
        print(tf.signal.stft(x, 4, 2).shape, tf.signal.dct(x).shape, tf.signal.hann_window(5).shape)
        return x

    f.get_concrete_function(tf.TensorSpec([None, 8]))


def shapes_after_branches_and_loops(tf):
    @tf.function
    def f(x, n):
        if n > 0:
            y, z = x[:2], tf.ones([2, 3])
        else:
            y, z = x[:3], tf.ones([4, 3])
        print(y.shape, z.shape)
        for i in tf.range(n):
            x = x + 1.0
        print(x.shape)
        w = tf.zeros([2, 3])
        for i in tf.range(n):
            w = w + tf.ones([1, 3])
        print(w.shape)
        return x

    f.get_concrete_function(tf.TensorSpec([None, 3]), tf.TensorSpec([], tf.int32))


def shapes_of_maps_and_scans(tf):
    @tf.function
    def f(xs, n):
        print(
            tf.map_fn(lambda x: x * 2, xs).shape,
            tf.map_fn(lambda x: x[:n], xs).shape,
            tf.vectorized_map(lambda x: x[0], xs).shape,
        )
        print(tf.scan(lambda s, x: s + x, xs).shape, tf.foldl(lambda s, x: s + x, xs).shape)
        print(
            tf.TensorArray(tf.float32, 3).unstack(xs).stack().shape,
            tf.TensorArray(tf.float32, 3).write(0, xs[0]).read(0).shape,
        )
        return xs

    f.get_concrete_function(tf.TensorSpec([None, 4]), tf.TensorSpec([], tf.int32))


def shapes_of_gradients(tf):
    @tf.function
    def f(x, w):
        with tf.GradientTape(persistent=True) as tape:
            tape.watch([x, w])
            y = tf.reduce_sum(tf.nn.relu(x @ w) ** 2)
            z = tf.gather(w, [0, 1])
        print(tape.gradient(y, x).shape, tape.gradient(y, w).shape, tape.gradient(z, w).shape)
        return y

    f.get_concrete_function(tf.TensorSpec([None, 3]), tf.TensorSpec([3, None]))


def shapes_of_calls(tf):
    @tf.function
    def inner(x):
        return x[:2], tf.where(x > 0), tf.ones([3])

    @tf.function
    def outer(x):
        print([t.shape for t in inner(x)])
        print(
            tf.py_function(lambda v: v, [x], tf.float32).shape,
            tf.numpy_function(lambda v: v, [x], tf.float32).shape,
        )
        print(tf.cond(tf.reduce_sum(x) > 0, lambda: x, lambda: tf.ones([3, 3])).shape)
        return x

    outer.get_concrete_function(tf.TensorSpec([None, 3]))


def shapes_from_other_shapes(tf):
    @tf.function
    def f(x, y):
        b, n = tf.shape(x)[0], tf.shape(x)[1]
        print(
            tf.get_static_value(n),
            tf.get_static_value(b),
            tf.reshape(y, [b, n]).shape,
            tf.zeros([b * 2, n + 1]).shape,
        )
        print(
            tf.zeros(tf.concat([tf.shape(x), [7]], 0)).shape,
            tf.zeros(tf.shape(x)[1:]).shape,
        )
        print(
            tf.tile(x[:, None], [1, n, 1]).shape,
            tf.broadcast_to(x[:1], tf.shape(x)).shape,
            tf.ones([tf.size(x)]).shape,
        )
        print(
            tf.reshape(x, [-1, tf.reduce_prod(tf.shape(x)[1:])]).shape,
            tf.zeros([tf.rank(x)]).shape,
            tf.zeros(x.shape[1:]).shape,
        )
        return x

    f.get_concrete_function(tf.TensorSpec([None, 3]), tf.TensorSpec([None]))


def setting_shapes_by_hand(tf, raises):
    @tf.function
    def f(x):
        y = tf.identity(x)
        y.set_shape([None, 3])
        print(x.shape, y.shape, tf.ensure_shape(x, [2, None]).shape)
        print(
            x.shape.is_compatible_with([2, 3]),
            x.shape.merge_with([2, None]),
            x.shape[1:],
            x.shape.with_rank(2),
        )
        raises(lambda: y.set_shape([2, 4]))
        raises(lambda: x.shape.with_rank(3))
        raises(lambda: x.shape.assert_is_fully_defined())
        raises(lambda: int(x.shape[0]))
        raises(lambda: x.shape[0] * 2)
        raises(lambda: tf.zeros(x.shape))
        return x

    f.get_concrete_function(tf.TensorSpec([None, None]))


def layers_with_unknown_sizes(tf):
    layers = [
        tf.keras.layers.Dense(4),
        tf.keras.layers.Conv1D(5, 3),
        tf.keras.layers.LSTM(6, return_sequences=True),
        tf.keras.layers.GlobalAveragePooling1D(),
        tf.keras.layers.LayerNormalization(),
    ]

    @tf.function
    def f(x):
        print([layer(x).shape for layer in layers])
        return x

    f.get_concrete_function(tf.TensorSpec([None, None, 3]))


def embeddings_and_lookups(tf):
    @tf.function
    def f(i, w):
        print(tf.nn.embedding_lookup(w, i).shape, tf.keras.ops.take(w, i, axis=0).shape)
        print(
            tf.nn.sparse_softmax_cross_entropy_with_logits(i, w[:4]).shape
            if i.shape.rank == 1
            else "matrix"
        )
        print(
            tf.nn.softmax_cross_entropy_with_logits(w, w).shape,
            tf.nn.l2_normalize(w, 1).shape,
            tf.nn.top_k(w, 2).indices.shape,
        )
        return i

    f.get_concrete_function(tf.TensorSpec([None, None], tf.int32), tf.TensorSpec([10, 3]))
