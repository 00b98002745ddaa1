import pytest

from gradtape._src.sessions.save_slices import SaveSliceInfo

PART = SaveSliceInfo("v", [5, 2], [3, 0], [2, 2])


def test_a_place_is_written_as_text_and_as_a_message():
    assert PART.spec == "5 2 3,2:0,2"
    assert SaveSliceInfo.of_spec("v", PART.spec) == PART
    assert SaveSliceInfo.of_proto(PART.to_proto()) == PART


def test_an_axis_may_be_whole():
    assert SaveSliceInfo.of_spec("v", "5 2 3,2:-") == PART


@pytest.mark.parametrize(("rank", "spec"), [(2, "5 2 3,2:0,2"), (1, "5 3,2")])
def test_what_optimizers_keep_is_divided_in_the_same_way(rank, spec):
    slot = PART.of_slot("Adam", rank)
    assert (slot.full_name, slot.spec) == ("v/Adam", spec)
