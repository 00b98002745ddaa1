"""The origin of a dataset's elements."""

import pytest

import gradtape as tf
from gradtape._src.data.elements import lineage

D = tf.data.Dataset
NUMBERS = D.range(20)
BATCHES = NUMBERS.batch(4)


def files(folder, lengths):
    paths = []
    for i, length in enumerate(lengths):
        paths.append(str(folder / f"{i}.txt"))
        (folder / f"{i}.txt").write_text("".join(f"{i}{j}\n" for j in range(length)))
    return paths


@pytest.mark.parametrize(
    ("dataset", "size"),
    [  # as TensorFlow finds it
        (BATCHES, 4),
        (NUMBERS.padded_batch(4), 4),
        (NUMBERS.ragged_batch(4), 4),
        (BATCHES.repeat(2).take(3).skip(1).shuffle(2).cache().prefetch(1).shard(2, 0), 4),
        (BATCHES.filter(lambda x: True).with_options(tf.data.Options()), 4),
        (BATCHES.batch(3), 3),
        (D.zip((BATCHES, BATCHES)), 4),
        (D.zip((BATCHES, NUMBERS.batch(5))), None),
        (BATCHES.concatenate(BATCHES), 4),
        (BATCHES.concatenate(NUMBERS.batch(5)), None),
        (BATCHES.map(lambda x: x), None),
        (BATCHES.unbatch(), None),
        (BATCHES.rebatch(2), None),
        (BATCHES.enumerate(), None),
        (BATCHES.flat_map(lambda x: D.from_tensor_slices(x).batch(4)), None),
    ],
)
def test_the_size_of_a_batch(dataset, size):
    assert dataset._lineage.batch == size


def test_which_datasets_consist_of_files(tmp_path):
    names = files(tmp_path, [2, 1])
    listed, lines = D.from_tensor_slices(names), tf.data.TextLineDataset
    for dataset in (
        lines(names),
        lines(listed.shuffle(2)),
        listed.interleave(lines),
        listed.map(lambda name: name).flat_map(lambda name: lines(name).map(lambda x: x)),
        D.zip((lines(names), lines(names))),
        lines(names).concatenate(lines(names)),
        lines(names).cache().batch(2),
    ):
        assert dataset._lineage.files
    for dataset in (
        listed,
        NUMBERS.flat_map(D.range),
        listed.map(tf.io.read_file),
        D.zip((lines(names), NUMBERS)),
        lines(names).apply(tf.data.experimental.assert_cardinality(3)),
        lines(names).snapshot(str(tmp_path / "kept")),
    ):
        assert not dataset._lineage.files


def divided(dataset, count):
    """Returns the elements that each of several workers reads."""
    made = [lineage.divided(dataset._produce, dataset._lineage, count, i)() for i in range(count)]
    return [[x.item().decode() for x in each] for each in made]


def test_each_worker_reads_its_files(tmp_path):
    names = files(tmp_path, [2, 0, 3, 1])
    lines = tf.data.TextLineDataset
    shares = [["00", "01", "20", "21", "22"], ["30"]]
    assert divided(lines(names), 2) == shares
    assert divided(lines(D.from_tensor_slices(names)), 2) == shares
    assert divided(D.from_tensor_slices(names).flat_map(lines).prefetch(1), 2) == shares
    mixed = divided(D.list_files(str(tmp_path / "*.txt")).interleave(lines).shuffle(9), 2)
    assert [sorted(each) for each in mixed] == shares
    kept = lines(names).cache()
    assert divided(kept, 2) == divided(kept, 2) == shares
    assert [x.item().decode() for x in kept._produce()] == ["00", "01", "20", "21", "22", "30"]
    with pytest.raises(tf.errors.InvalidArgumentError, match="only has 4 file"):
        divided(lines(names), 5)


def test_a_function_of_elements_reads_all_of_its_own_files(tmp_path):
    names = files(tmp_path, [2, 2])

    def count(line):
        return tf.data.TextLineDataset(names).reduce(tf.strings.as_string(0), lambda n, x: n + x)

    whole = b"000011011".decode()
    found = divided(tf.data.TextLineDataset(names).map(count), 2)
    assert found == [[whole] * 2] * 2


def seeded(dataset, seed):
    return [int(x) for x in lineage.with_common_seed(dataset._produce, seed)()]


def test_shuffles_without_a_seed_agree_on_one():
    a, b = (D.range(30).shuffle(40).repeat(2) for _ in range(2))
    assert a._lineage.unseeded
    assert not D.range(3).shuffle(3, seed=1)._lineage.unseeded
    assert seeded(a, 1) == seeded(b, 1) != seeded(b, 2)
    first = seeded(a, 1)
    assert first[:30] != first[30:]
    assert sorted(first[:30]) == sorted(first[30:]) == list(range(30))


def test_an_order_that_stays_is_the_first_one():
    a, b = (D.range(30).shuffle(40, reshuffle_each_iteration=False) for _ in range(2))
    assert seeded(a, 1) == seeded(a, 2) == seeded(b, 1) != seeded(D.range(30).shuffle(40), 2)


def test_a_seed_of_the_program_is_kept():
    a = D.range(30).shuffle(40, seed=3, reshuffle_each_iteration=False)
    assert seeded(a, 1) == seeded(a, 2) == [int(x) for x in a]
