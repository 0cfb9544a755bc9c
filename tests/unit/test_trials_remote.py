"""Work in a process of its own: steps, outcomes, refusals, crashes, and being cancelled."""

import functools
import operator
import time

import pytest

from aeollm.errors import AeollmError, Problem, UsageError
from aeollm.trials.remote import Cancelled, Done, Jobs, Step
from tests.slow_work import count, crash, refuse, wait


def test_the_outcome_comes_back_after_steps():
    jobs = Jobs()
    said = list(jobs.run(jobs.new(), functools.partial(count, 20)))
    assert said[-1] == Done(20)
    shares = [step.share for step in said[:-1] if isinstance(step, Step)]
    assert shares == sorted(shares)
    assert shares[-1] > 0
    assert jobs.running() == 0


def test_refusals_come_back_whole():
    jobs = Jobs()
    with pytest.raises(UsageError) as caught:
        list(jobs.run(jobs.new(), refuse))
    assert caught.value.problems == (Problem("error", "no", "Not this way.", "Another.", 3),)


def test_a_crash_is_told_with_its_last_words():
    jobs = Jobs()
    with pytest.raises(RuntimeError, match="ZeroDivisionError"):
        list(jobs.run(jobs.new(), crash))
    assert jobs.running() == 0


def test_cancelling_ends_the_process_at_once():
    jobs = Jobs()
    name = jobs.new()
    going = jobs.run(name, functools.partial(wait, 60.0))
    while not (isinstance(step := next(going), Step) and step.doing == "waiting"):
        pass
    assert jobs.running() == 1
    started = time.monotonic()
    assert jobs.cancel(name)
    with pytest.raises(Cancelled):
        list(going)
    assert time.monotonic() - started < 5
    assert jobs.running() == 0
    assert not jobs.cancel(name)


def test_cancelling_before_the_start_starts_nothing():
    jobs = Jobs()
    name = jobs.new()
    assert jobs.cancel(name)
    with pytest.raises(Cancelled):
        next(jobs.run(name, functools.partial(wait, 60.0)))
    assert jobs.running() == 0


def test_who_stops_listening_ends_the_process():
    jobs = Jobs()
    going = jobs.run(jobs.new(), functools.partial(wait, 60.0))
    next(going)
    going.close()
    assert jobs.running() == 0


def test_too_long_work_is_ended():
    jobs = Jobs(longest=0.5)
    with pytest.raises(AeollmError) as caught:
        list(jobs.run(jobs.new(), functools.partial(wait, 60.0)))
    assert [problem.kind for problem in caught.value.problems] == ["too_slow"]
    assert jobs.running() == 0


def test_what_is_no_work_is_a_crash():
    jobs = Jobs()
    with pytest.raises(RuntimeError, match="no work"):
        list(jobs.run(jobs.new(), operator.length_hint([])))
