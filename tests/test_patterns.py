"""No text of strangers makes a regular expression run away: each pattern is tried on repeats."""

import importlib
import math
import pkgutil
import re
import signal
import time
from collections.abc import Iterator, Mapping
from typing import Any

import pytest

import portico

# A pattern looked for from every place takes up to the square of the length: 16 times as long for a text four
# times as long. The third power would take 64 times; what is exponential never ends.
MAX_RATIO = 48
SHORT, MEDIUM, LONG = 44, 250, 1000
WORTH_MEASURING_S = 0.1
DEADLINE_S = 4
COMMON = (" ", "\n", "a", "A", "1", "-", "--", ".", "a ", "A. ", "1,", "<a", "a-")


def list_patterns() -> Iterator[tuple[str, "re.Pattern[Any]"]]:
    seen: set[tuple[object, int]] = set()
    for info in pkgutil.walk_packages(portico.__path__, "portico."):
        if info.name.endswith("__main__"):
            continue
        for name, value in vars(importlib.import_module(info.name)).items():
            for pattern in find_patterns(value):
                if (pattern.pattern, pattern.flags) not in seen:
                    seen.add((pattern.pattern, pattern.flags))
                    yield f"{info.name}.{name}", pattern


def find_patterns(value: object, depth: int = 0) -> Iterator["re.Pattern[Any]"]:
    if isinstance(value, re.Pattern):
        yield value
    elif depth < 3 and isinstance(value, tuple | list | set | frozenset | Mapping):
        for part in value.values() if isinstance(value, Mapping) else value:
            yield from find_patterns(part, depth + 1)


def list_units(pattern: "re.Pattern[Any]") -> list[str]:
    """What a pattern is written with, sign by sign: repeated, some of it nearly fits."""
    written = pattern.pattern if isinstance(pattern.pattern, str) else pattern.pattern.decode("latin-1")
    return list(dict.fromkeys((*COMMON, *written)))[:48]


def measure_search(pattern: "re.Pattern[Any]", unit: str, length: int) -> float:
    text = unit * (length // len(unit)) + "\0"
    started = time.process_time()
    pattern.search(text.encode() if isinstance(pattern.pattern, bytes) else text)
    return time.process_time() - started


def measure_growth(pattern: "re.Pattern[Any]", unit: str) -> float:
    """How many times as long the longer text takes; the quickest of three counts, since machines pause."""
    medium_s = min(measure_search(pattern, unit, MEDIUM) for _ in range(3))
    ratio = math.inf
    for _ in range(3):
        ratio = min(ratio, measure_search(pattern, unit, LONG) / max(medium_s, 1e-6))
        if ratio <= MAX_RATIO:
            break
    return ratio


def find_fault(pattern: "re.Pattern[Any]") -> str | None:
    for unit in list_units(pattern):
        try:
            signal.setitimer(signal.ITIMER_VIRTUAL, DEADLINE_S)
            measure_search(pattern, unit, SHORT)
            took_s = measure_search(pattern, unit, LONG)
            if took_s < WORTH_MEASURING_S:
                continue
            ratio = measure_growth(pattern, unit)
        except TimeoutError:
            return f"{unit!r} repeated: no end"
        finally:
            signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        if ratio > MAX_RATIO:
            return f"{unit!r} repeated: four times the length take {ratio:.0f} times as long"
    return None


@pytest.fixture
def _deadline() -> Iterator[None]:
    def stop(*_: object) -> None:
        raise TimeoutError

    before = signal.signal(signal.SIGVTALRM, stop)  # the processor's time: others may be at work, too
    yield
    signal.signal(signal.SIGVTALRM, before)


@pytest.mark.usefixtures("_deadline")
def test_no_pattern_runs_away() -> None:
    patterns = list(list_patterns())
    assert len(patterns) > 200
    assert {name: fault for name, pattern in patterns if (fault := find_fault(pattern))} == {}


@pytest.mark.usefixtures("_deadline")
@pytest.mark.parametrize("runaway", [r"^(?:[\d-]|--)+$", r"(?:a+)+b", r".*\S+@\S+", r"(?:\w|aa)*!"])
def test_patterns_that_run_away_are_found(runaway: str) -> None:
    assert find_fault(re.compile(runaway)) is not None
