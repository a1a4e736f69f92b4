"""What the index tests share."""

import time
from collections.abc import Callable

import pytest

PATIENCE_S = 5.0


@pytest.fixture
def wait_until() -> Callable[[Callable[[], bool]], None]:
    """Waits for what another thread does, and fails when it never happens."""

    def wait(happened: Callable[[], bool]) -> None:
        deadline = time.monotonic() + PATIENCE_S
        while not happened():
            assert time.monotonic() < deadline, "it never happened"

    return wait
