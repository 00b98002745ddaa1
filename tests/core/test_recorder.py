"""The stack of recorders of a thread."""

import asyncio
import threading

import gradtape as tf
from gradtape._src.core import recorder


class Quiet(recorder.Recorder):
    """Watches nothing."""


def stack():
    return recorder.STACK.recorders


def test_recorders_are_pushed_and_removed_wherever_they_stand():
    one, two = Quiet(), Quiet()
    recorder.push(one)
    recorder.push(two)
    try:
        assert stack()[-2:] == (one, two)
        recorder.remove(one)
        assert stack()[-1:] == (two,)
        assert one not in stack()
    finally:
        recorder.remove(two)
    assert two not in stack()


def test_a_block_with_other_recorders_puts_back_what_was_there():
    one, two = Quiet(), Quiet()
    with recorder.replaced((one,)):
        with recorder.replaced((two,)):
            assert stack() == (two,)
        assert stack() == (one,)
    assert stack() == ()


def test_each_thread_has_its_own():
    found = []
    with tf.GradientTape():
        thread = threading.Thread(target=lambda: found.append(stack()))
        thread.start()
        thread.join()
        assert len(stack()) == 1
    assert found == [()]


def test_each_asynchronous_task_has_its_own():
    meet = asyncio.Event()

    async def inside():
        with tf.GradientTape():
            await asyncio.wait_for(meet.wait(), 60)
            return len(stack())

    async def both():
        tasks = [asyncio.create_task(inside()) for _ in range(2)]
        asyncio.get_running_loop().call_soon(meet.set)
        return await asyncio.gather(*tasks)

    assert asyncio.run(both()) == [1, 1]
    assert stack() == ()
