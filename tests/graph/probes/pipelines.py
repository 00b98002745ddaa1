"""Whole pipelines of text, images, records and buckets: elements, failures and side effects."""

import collections
import os
import tempfile

import numpy as np


def shown(x, tf):
    if isinstance(x, tf.RaggedTensor):
        return x.to_list()
    if isinstance(x, tf.sparse.SparseTensor):
        return tf.sparse.to_dense(x).numpy().tolist()
    return np.asarray(x.numpy()).tolist() if hasattr(x, "numpy") else x


def show(ds, tf):
    print(ds.element_spec)
    for e in ds:
        print(tf.nest.map_structure(lambda x: shown(x, tf), e))


def sentences_to_padded_ids(tf):
    table = tf.lookup.StaticHashTable(
        tf.lookup.KeyValueTensorInitializer(["the", "cat", "sat"], [2, 3, 4], value_dtype=tf.int64),
        default_value=1,
    )
    ds = tf.data.Dataset.from_tensor_slices(["The cat", "sat", "the dog sat"])
    ds = ds.map(lambda s: tf.strings.split(tf.strings.lower(s)))
    ds = ds.map(table.lookup)
    show(ds, tf)
    show(ds.padded_batch(2, padding_values=tf.constant(0, tf.int64)), tf)
    show(ds.map(lambda x: (x[:-1], x[1:])).padded_batch(3), tf)


def characters_and_code_points(tf):
    ds = tf.data.Dataset.from_tensor_slices(["héllo", "日本"])
    show(ds.map(lambda s: tf.strings.unicode_split(s, "UTF-8")), tf)
    show(ds.map(lambda s: tf.strings.unicode_decode(s, "UTF-8")).ragged_batch(2), tf)
    show(ds.map(lambda s: tf.strings.length(s, unit="UTF8_CHAR")), tf)
    show(ds.batch(2).map(lambda s: tf.strings.unicode_decode(s, "UTF-8")), tf)


def windows_of_text(tf):
    text = tf.constant(list("abcdefghij"))
    ds = tf.data.Dataset.from_tensor_slices(text).batch(4, drop_remainder=True)
    show(ds.map(lambda c: (c[:-1], c[1:])), tf)
    show(ds.map(lambda c: tf.strings.reduce_join(c)), tf)
    windows = tf.data.Dataset.from_tensor_slices(text).window(3, shift=2, drop_remainder=True)
    show(windows.flat_map(lambda w: w.batch(3)).map(tf.strings.reduce_join), tf)


def sequences_in_buckets(tf):
    lengths = [1, 5, 2, 7, 3, 6, 2]
    ds = tf.data.Dataset.from_generator(
        lambda: ((list(range(n)), n % 2) for n in lengths),
        output_signature=(tf.TensorSpec([None], tf.int32), tf.TensorSpec([], tf.int32)),
    )
    ds = ds.bucket_by_sequence_length(
        lambda x, y: tf.shape(x)[0], bucket_boundaries=[3, 6], bucket_batch_sizes=[2, 2, 2]
    )
    show(ds, tf)


def images_are_augmented(tf):
    images = np.arange(2 * 4 * 4 * 3, dtype=np.uint8).reshape(2, 4, 4, 3)

    def prepare(image, label):
        image = tf.image.convert_image_dtype(image, tf.float32)
        image = tf.image.resize(image, [2, 2])
        image = tf.image.flip_left_right(image)
        return tf.clip_by_value(image, 0.0, 1.0), tf.one_hot(label, 3)

    ds = tf.data.Dataset.from_tensor_slices((images, [0, 2])).map(prepare).batch(2)
    print(ds.element_spec)
    for x, y in ds:
        print(x.shape, round(float(tf.reduce_sum(x)), 4), y.numpy().tolist())


def images_of_files(tf):
    with tempfile.TemporaryDirectory() as folder:
        for label in ("cat", "dog"):
            os.mkdir(os.path.join(folder, label))
            for i in range(2):
                pixels = tf.fill([3, 2 + i, 3], tf.cast(10 * i + len(label), tf.uint8))
                tf.io.write_file(os.path.join(folder, label, f"{i}.png"), tf.io.encode_png(pixels))
        names = tf.constant(["cat", "dog"])

        def read(path):
            parts = tf.strings.split(path, os.sep)
            label = tf.argmax(parts[-2] == names)
            image = tf.io.decode_png(tf.io.read_file(path), channels=3)
            return image, label

        ds = tf.data.Dataset.list_files(os.path.join(folder, "*", "*.png"), shuffle=False)
        print(ds.element_spec)
        ds = ds.map(read, num_parallel_calls=tf.data.AUTOTUNE)
        print(ds.element_spec)
        print([(x.shape, int(x[0, 0, 0]), int(y)) for x, y in ds])
        resized = ds.map(lambda x, y: (tf.image.resize(x, [2, 2]), y)).batch(3)
        print(resized.element_spec, [x.shape for x, _ in resized])


def random_augmentation_keeps_shapes(tf):
    def augment(x):
        x = tf.image.random_flip_left_right(x)
        x = tf.image.random_brightness(x, 0.1)
        if tf.random.uniform([]) > 2.0:
            x = x * 0.0
        return tf.image.resize_with_crop_or_pad(x, 6, 6)

    ds = tf.data.Dataset.from_tensors(tf.ones([4, 4, 1])).repeat(2).map(augment)
    print(ds.element_spec, [x.shape for x in ds])


def examples_to_and_from_records(tf):
    def example(i):
        feature = {
            "id": tf.train.Feature(int64_list=tf.train.Int64List(value=[i])),
            "xs": tf.train.Feature(float_list=tf.train.FloatList(value=[0.5] * i)),
            "name": tf.train.Feature(bytes_list=tf.train.BytesList(value=[b"n%d" % i])),
        }
        return tf.train.Example(features=tf.train.Features(feature=feature)).SerializeToString()

    fixed = {
        "id": tf.io.FixedLenFeature([], tf.int64),
        "name": tf.io.FixedLenFeature([], tf.string, default_value="?"),
        "missing": tf.io.FixedLenFeature([2], tf.float32, default_value=[1.0, 2.0]),
    }
    various = {
        "xs": tf.io.VarLenFeature(tf.float32),
        "id": tf.io.FixedLenSequenceFeature([], tf.int64, allow_missing=True),
    }
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "a.tfrecord")
        with tf.io.TFRecordWriter(path) as writer:
            for i in range(3):
                writer.write(example(i))
        ds = tf.data.TFRecordDataset(path)
        print(ds.element_spec)
        show(ds.map(lambda r: tf.io.parse_single_example(r, fixed)), tf)
        show(ds.map(lambda r: tf.io.parse_single_example(r, various)), tf)
        show(ds.batch(2).map(lambda r: tf.io.parse_example(r, fixed)), tf)
        show(ds.batch(3).map(lambda r: tf.io.parse_example(r, {"xs": various["xs"]})), tf)
        ragged = {"xs": tf.io.RaggedFeature(tf.float32)}
        show(ds.batch(3).map(lambda r: tf.io.parse_example(r, ragged)), tf)


def records_that_do_not_fit(tf, raises):
    feature = {"id": tf.train.Feature(int64_list=tf.train.Int64List(value=[1]))}
    message = tf.train.Example(features=tf.train.Features(feature=feature)).SerializeToString()
    ds = tf.data.Dataset.from_tensors(message)
    wanted = {"x": tf.io.FixedLenFeature([], tf.int64)}
    raises(lambda: list(ds.map(lambda r: tf.io.parse_single_example(r, wanted))))
    wanted = {"id": tf.io.FixedLenFeature([], tf.float32)}
    raises(lambda: list(ds.map(lambda r: tf.io.parse_single_example(r, wanted))))
    wanted = {"id": tf.io.FixedLenFeature([2], tf.int64)}
    raises(lambda: list(ds.map(lambda r: tf.io.parse_single_example(r, wanted))))
    raises(lambda: list(tf.data.TFRecordDataset("/no/such/file")))


def sequence_examples(tf):
    sequence = tf.train.SequenceExample()
    sequence.context.feature["length"].int64_list.value.append(2)
    for i in range(2):
        step = sequence.feature_lists.feature_list["tokens"].feature.add()
        step.int64_list.value.extend([i, i + 1])
    ds = tf.data.Dataset.from_tensors(sequence.SerializeToString())

    def parse(x):
        return tf.io.parse_single_sequence_example(
            x,
            {"length": tf.io.FixedLenFeature([], tf.int64)},
            {"tokens": tf.io.FixedLenSequenceFeature([2], tf.int64)},
        )

    show(ds.map(parse), tf)


def serialized_tensors(tf):
    ds = tf.data.Dataset.range(3).map(lambda i: tf.io.serialize_tensor(tf.fill([i], i)))
    print(ds.element_spec)
    show(ds.map(lambda s: tf.io.parse_tensor(s, tf.int64)), tf)
    show(ds.map(lambda s: tf.ensure_shape(tf.io.parse_tensor(s, tf.int64), [None])), tf)


def csv_files(tf):
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "a.csv")
        with open(path, "w") as file:
            file.write("a,b,c\n1,x,0.5\n2,y,1.5\n3,,2.5\n")
        lines = tf.data.TextLineDataset(path).skip(1)
        show(lines.map(lambda s: tf.io.decode_csv(s, [[0], ["none"], [0.0]])), tf)
        show(
            tf.data.experimental.CsvDataset(path, [0, "none", 0.0], header=True),
            tf,
        )
        made = tf.data.experimental.make_csv_dataset(
            path, batch_size=2, label_name="c", num_epochs=1, shuffle=False
        )
        print([(sorted(x), y.numpy().tolist()) for x, y in made])


def lines_with_filters_and_counts(tf):
    with tempfile.TemporaryDirectory() as folder:
        paths = [os.path.join(folder, name) for name in ("a.txt", "b.txt")]
        for path in paths:
            with open(path, "w") as file:
                file.write(f"# {os.path.basename(path)}\none two\n\nthree\n")
        ds = tf.data.Dataset.from_tensor_slices(paths).interleave(
            tf.data.TextLineDataset, cycle_length=2, block_length=1
        )
        show(ds, tf)
        kept = ds.filter(
            lambda s: tf.logical_and(
                tf.strings.length(s) > 0, tf.not_equal(tf.strings.substr(s, 0, 1), "#")
            )
        )
        show(kept, tf)
        words = kept.flat_map(lambda s: tf.data.Dataset.from_tensor_slices(tf.strings.split(s)))
        show(words, tf)
        print(words.reduce(np.int64(0), lambda n, _: n + 1).numpy())


def failures_in_the_middle(tf, raises):
    def check(x):
        with tf.control_dependencies([tf.debugging.assert_less(x, tf.constant(3, tf.int64))]):
            return tf.identity(x)

    ds = tf.data.Dataset.range(6).map(check)
    found = []

    def collect():
        for x in ds:
            found.append(int(x))

    raises(collect)
    print(found)
    print([int(x) for x in ds.ignore_errors()])
    iterator = iter(ds)
    print([int(next(iterator)) for _ in range(3)])
    raises(lambda: next(iterator))
    raises(lambda: next(iterator))


def failures_of_numbers_and_shapes(tf, raises):
    ds = tf.data.Dataset.from_tensor_slices(["1", "x", "3"])
    numbers = ds.map(lambda s: tf.strings.to_number(s, tf.int32))
    raises(lambda: [int(x) for x in numbers])
    print([int(x) for x in numbers.ignore_errors()])
    print([x.numpy().tolist() for x in numbers.ignore_errors().batch(2)])
    unequal = tf.data.Dataset.range(1, 4).map(lambda n: tf.ones([n]))
    raises(lambda: list(unequal.batch(2)))
    print([x.shape for x in unequal.padded_batch(2)])
    raises(lambda: list(tf.data.Dataset.range(3).map(lambda i: tf.constant([1, 2])[i])))
    raises(lambda: list(tf.data.Dataset.range(3).map(lambda i: tf.gather([1, 2], i))))


def failures_of_python(tf, raises):
    def python(i):
        if i == 2:
            raise KeyError("no element 2")
        return i

    ds = tf.data.Dataset.range(4).map(lambda i: tf.py_function(python, [i], tf.int64))
    print(ds.element_spec)
    raises(lambda: [int(x) for x in ds])

    def generate():
        yield 1
        raise ValueError("the generator failed")

    made = tf.data.Dataset.from_generator(generate, output_signature=tf.TensorSpec([], tf.int32))
    raises(lambda: [int(x) for x in made])

    def trace(i):
        raise LookupError("while tracing")

    raises(lambda: tf.data.Dataset.range(4).map(trace))


def side_effects_of_python_in_maps(tf):
    log = []

    def note(i):
        log.append(tf.is_symbolic_tensor(i))
        return i + len(log)

    ds = tf.data.Dataset.range(3).map(note)
    print(log, [int(x) for x in ds], [int(x) for x in ds], log)
    seen = []

    def python(i):
        seen.append(int(i))
        return i * 10

    ds = tf.data.Dataset.range(3).map(lambda i: tf.py_function(python, [i], tf.int64))
    print(seen, [int(x) for x in ds.take(2)], seen)
    print([int(x) for x in ds.cache().repeat(2)], seen)


def side_effects_on_variables(tf):
    count = tf.Variable(0, dtype=tf.int64)
    ds = tf.data.Dataset.range(1, 4).map(lambda i: i * 10 + count.assign_add(1))
    print(count.numpy(), [int(x) for x in ds], count.numpy())
    print([int(x) for x in ds.batch(2).unbatch()], count.numpy())


def prints_of_maps_and_filters(tf):
    def noted(i):
        tf.print("map", i)
        return i

    def kept(i):
        tf.print("filter", i)
        return i % 2 == 0

    ds = tf.data.Dataset.range(3).map(noted).filter(kept)
    print([int(x) for x in ds])


def dictionaries_through_a_pipeline(tf):
    data = {"x": np.arange(4.0, dtype=np.float32), "y": np.array([b"a", b"b", b"c", b"d"])}
    ds = tf.data.Dataset.from_tensor_slices(data)

    def more(row):
        row["z"] = row["x"] * 2
        return row

    ds = ds.map(more)
    show(ds.take(1), tf)

    def split(row):
        label = row.pop("y")
        return row, label

    show(ds.map(split).batch(3), tf)
    show(ds.map(lambda row: {**row, "n": tf.strings.length(row["y"])}).take(1), tf)


def named_tuples_through_a_pipeline(tf):
    Point = collections.namedtuple("Point", "x y")
    ds = tf.data.Dataset.range(2).map(lambda i: Point(i, tf.cast(i, tf.float32)))
    print(ds.element_spec)
    ds = ds.map(lambda p: Point(p.x + 1, p.y)).batch(2)
    print(ds.element_spec)
    print([type(e).__name__ for e in ds], [e.x.numpy().tolist() for e in ds])


def joins_of_pipelines(tf):
    a, b = (
        tf.data.Dataset.range(3),
        tf.data.Dataset.range(10, 14).map(lambda x: tf.cast(x, tf.float32)),
    )
    show(tf.data.Dataset.zip((a, b)), tf)
    show(tf.data.Dataset.zip({"a": a, "b": (b, a)}), tf)
    show(tf.data.Dataset.zip(a, b).map(lambda x, y: tf.cast(x, tf.float32) + y), tf)
    show(a.concatenate(a.map(lambda x: -x)), tf)
    choice = tf.data.Dataset.from_tensor_slices(np.array([0, 1, 1, 0], np.int64))
    show(tf.data.Dataset.choose_from_datasets([a, a.map(lambda x: x + 100)], choice), tf)


def cardinalities_of_pipelines(tf):
    ds = tf.data.Dataset.range(10)
    others = {
        "batch": ds.batch(3),
        "dropped": ds.batch(3, drop_remainder=True),
        "filter": ds.filter(lambda x: x > 3),
        "repeat": ds.repeat(),
        "twice": ds.repeat(2).skip(3).take(30),
        "flat_map": ds.flat_map(lambda x: tf.data.Dataset.range(x)),
        "interleave": ds.interleave(lambda x: tf.data.Dataset.range(2), cycle_length=2),
        "zip": tf.data.Dataset.zip((ds, ds.take(4))),
        "concatenate": ds.concatenate(ds),
        "window": ds.window(3, shift=1),
        "unbatch": ds.batch(2).unbatch(),
        "shard": ds.shard(3, 0),
        "cache": ds.cache().prefetch(1).shuffle(3),
        "padded": ds.map(lambda x: [x]).padded_batch(4),
        "take_while": ds.take_while(lambda x: x < 2),
        "scan": ds.scan(np.int64(0), lambda s, x: (s + x, s)),
        "unique": ds.unique(),
        "enumerate": ds.enumerate(3),
        "sample": tf.data.Dataset.sample_from_datasets([ds, ds], [0.5, 0.5]),
        "sample_stopped": tf.data.Dataset.sample_from_datasets(
            [ds, ds], [0.5, 0.5], stop_on_empty_dataset=True
        ),
        "sample_endless": tf.data.Dataset.sample_from_datasets([ds, ds.repeat()], [0.5, 0.5]),
        "choose": tf.data.Dataset.choose_from_datasets([ds, ds], ds.map(lambda x: x % 2)),
        "asserted": ds.filter(lambda x: x > 3).apply(tf.data.experimental.assert_cardinality(6)),
        "generator": tf.data.Dataset.from_generator(
            lambda: iter([1]), output_signature=tf.TensorSpec([])
        ),
        "ignored": ds.ignore_errors(),
        "random": tf.data.Dataset.random(seed=1).take(3),
        "rebatch": ds.batch(4).rebatch(3),
        "group": ds.group_by_window(lambda x: x % 2, lambda k, d: d.batch(2), window_size=2),
    }
    for name, each in others.items():
        print(name, each.cardinality().numpy())


def rejection_and_groups(tf):
    ds = tf.data.Dataset.range(8)
    grouped = ds.group_by_window(
        key_func=lambda x: x % 3, reduce_func=lambda key, d: d.batch(2), window_size=2
    )
    show(grouped, tf)
    with_key = ds.group_by_window(
        key_func=lambda x: x % 2,
        reduce_func=lambda key, d: d.map(lambda x: (key, x)).batch(4),
        window_size=4,
    )
    show(with_key, tf)


def states_that_are_scanned(tf):
    ds = tf.data.Dataset.from_tensor_slices([1.0, 2.0, 3.0, 4.0])
    show(ds.scan(0.0, lambda s, x: (s + x, (s, x))), tf)
    show(
        ds.scan((0.0, 1), lambda s, x: ((s[0] + x, s[1] + 1), s[0] / tf.cast(s[1], tf.float32))), tf
    )
    print(ds.reduce((0.0, 0), lambda s, x: (s[0] + x, s[1] + 1)))
    total, largest = ds.reduce((0.0, -1.0), lambda s, x: (s[0] + x, tf.maximum(s[1], x)))
    print(total.numpy(), largest.numpy())


def functions_decorated_before_they_map(tf):
    @tf.function
    def scale(x):
        print("trace", x.dtype)
        return x * 2

    @tf.function(input_signature=[tf.TensorSpec([None], tf.int64)])
    def total(xs):
        print("trace total", xs.shape)
        return tf.reduce_sum(xs)

    ds = tf.data.Dataset.range(4).map(scale)
    show(ds, tf)
    show(ds.batch(3).map(total), tf)

    class Model(tf.Module):
        def __init__(self):
            super().__init__()
            self.w = tf.Variable(3, dtype=tf.int64)

        @tf.function
        def __call__(self, x):
            return x * self.w

    model = Model()
    ds = tf.data.Dataset.range(3).map(model)
    model.w.assign(5)
    show(ds, tf)


def data_sets_made_and_used_in_functions(tf):
    @tf.function
    def total(n):
        out = tf.constant(0, tf.int64)
        for x in tf.data.Dataset.range(n).filter(lambda x: x % 2 == 0):
            out += x
        return out

    @tf.function
    def of_tensor(xs):
        ds = tf.data.Dataset.from_tensor_slices(xs).batch(2)
        print(ds.element_spec)
        return ds.reduce(0.0, lambda s, b: s + tf.reduce_max(b))

    @tf.function
    def first(ds):
        return next(iter(ds)), ds.cardinality()

    print(total(tf.constant(6, tf.int64)).numpy(), total(tf.constant(3, tf.int64)).numpy())
    print(of_tensor(tf.constant([1.0, 5.0, 2.0])).numpy())
    print([t.numpy() for t in first(tf.data.Dataset.range(5, 9))])


def training_over_a_data_set(tf):
    xs = np.linspace(-1, 1, 8).astype(np.float32)[:, None]
    ds = tf.data.Dataset.from_tensor_slices((xs, 3 * xs + 1)).batch(4)
    w, b = tf.Variable([[0.0]]), tf.Variable(0.0)

    @tf.function
    def epoch(data):
        loss = 0.0
        for x, y in data:
            with tf.GradientTape() as tape:
                error = tf.reduce_mean((x @ w + b - y) ** 2)
            dw, db = tape.gradient(error, [w, b])
            w.assign_sub(0.3 * dw)
            b.assign_sub(0.3 * db)
            loss += error
        return loss

    print([round(float(epoch(ds)), 4) for _ in range(4)])
    print(w.numpy().round(3), b.numpy().round(3), epoch.experimental_get_tracing_count())


def elements_that_are_data_sets(tf):
    ds = tf.data.Dataset.range(5).window(2)
    print(ds.element_spec)
    for w in ds:
        print([int(x) for x in w], w.cardinality().numpy())
    show(
        ds.flat_map(lambda w: w.reduce(np.int64(0), lambda s, x: s + x) if False else w.batch(2)),
        tf,
    )
    pairs = tf.data.Dataset.zip((ds, ds.map(lambda w: w.map(lambda x: -x))))
    show(pairs.flat_map(lambda a, b: tf.data.Dataset.zip((a, b))), tf)


def optionals_in_pipelines(tf):
    iterator = iter(tf.data.Dataset.range(2))
    for _ in range(3):
        got = iterator.get_next_as_optional()
        print(got.has_value().numpy(), got.get_value().numpy() if got.has_value() else None)

    @tf.function
    def drain(it):
        total = tf.constant(0, tf.int64)
        more = tf.constant(True)
        while more:
            got = it.get_next_as_optional()
            if got.has_value():
                total += got.get_value()
            else:
                more = False
        return total

    print(drain(iter(tf.data.Dataset.range(5))).numpy())


def unknown_ranks_in_pipelines(tf):
    ds = tf.data.Dataset.range(1, 3).map(
        lambda i: tf.numpy_function(lambda n: np.ones([n, 2], np.float32), [i], tf.float32)
    )
    print(ds.element_spec)

    def shaped(x):
        x.set_shape([None, 2])
        return x

    print(ds.map(shaped).element_spec)
    print(ds.map(lambda x: tf.ensure_shape(x, [None, 2]) * 2).element_spec)
    print(ds.map(lambda x: tf.reshape(x, [-1])).element_spec)
    print(ds.map(lambda x: x[0]).element_spec, ds.map(lambda x: x + 1).element_spec)
    print(ds.map(lambda x: tf.expand_dims(x, -1)).element_spec)
    print([x.shape for x in ds.map(shaped).padded_batch(2)])


def shapes_by_values_in_maps(tf):
    ds = tf.data.Dataset.range(1, 4)
    show(ds.map(lambda n: tf.range(n)), tf)
    show(ds.map(lambda n: tf.random.uniform([n, 2], seed=1).shape[1]), tf)
    show(ds.map(lambda n: tf.zeros(tf.stack([n, 2]))), tf)
    show(ds.map(lambda n: tf.eye(tf.cast(n, tf.int32))[0]), tf)
    show(ds.map(lambda n: tf.boolean_mask([1, 2, 3], [n > 1, n > 2, True])), tf)
    show(ds.map(lambda n: tf.where(tf.range(3) < tf.cast(n, tf.int32))[:, 0]), tf)
    show(ds.map(lambda n: tf.unique([n, n, 1])[0]), tf)
    show(ds.map(lambda n: tf.repeat([5, 6], [n, 1])), tf)
    show(ds.map(lambda n: tf.strings.split(tf.strings.as_string(n * 7) + " a")), tf)
    show(ds.map(lambda n: tf.RaggedTensor.from_row_lengths(tf.range(n + 1), [n, 1])), tf)


def loops_and_branches_in_maps(tf, raises):
    def collatz(n):
        steps = tf.constant(0)
        while n > 1:
            if n % 2 == 0:
                n = n // 2
            else:
                n = 3 * n + 1
            steps += 1
        return steps

    show(tf.data.Dataset.range(1, 6).map(collatz), tf)

    def squares(n):
        rows = tf.TensorArray(tf.int64, size=0, dynamic_size=True)
        for i in tf.range(n):
            rows = rows.write(tf.cast(i, tf.int32), i * i)
        return rows.stack()

    show(tf.data.Dataset.range(1, 4).map(squares), tf)

    def named(n):
        if n == 0:
            return "zero"
        elif n == 1:
            return "one"
        return "many"

    raises(lambda: show(tf.data.Dataset.range(3).map(named), tf))
