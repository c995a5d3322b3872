"""Several threads of Python at one evaluation."""

from __future__ import annotations

import sys
import threading
import time

import labelwise as lw
import numpy as np


def test_threads_do_not_wait_for_one_another_for_ever(pool) -> None:
    e = lw.Evaluation(pool.probabilities)
    drawn: list[int] = []

    def work() -> None:
        for _ in range(50):
            while True:
                try:
                    drawn.append(e.ask())
                    break
                except lw.LabelwiseError as error:
                    assert "in use" in str(error)

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(set(drawn)) == 200


def test_other_threads_go_on_while_the_engine_works() -> None:
    ticks = 0
    stop = threading.Event()

    def tick() -> None:
        nonlocal ticks
        while not stop.is_set():
            ticks += 1
            time.sleep(0.0005)

    p = np.random.default_rng(0).random(1_000_000)
    probabilities = np.column_stack([1 - p, p])
    interval = sys.getswitchinterval()
    thread = threading.Thread(target=tick)
    thread.start()
    try:
        # Nobody is made to let go of the interpreter: the other thread runs only while the engine leaves it free.
        sys.setswitchinterval(100)
        before = ticks
        lw.Evaluation(probabilities, loss="log_loss")
        built = ticks
    finally:
        sys.setswitchinterval(interval)
        stop.set()
        thread.join()
    assert before < built
