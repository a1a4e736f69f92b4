"""Bytes made from other bytes by chance that repeats: for fuzzing without a fuzzer, and for hostile files."""

import random
from collections.abc import Callable, Iterator, Sequence

MAX_BYTES = 4096
_ODD_NUMBERS = (b"0", b"-1", b"255", b"65536", b"2147483648", b"99999999999999999999", b"1e999", b"nan")


def mutate(body: bytes, chance: random.Random, words: Sequence[bytes] = ()) -> bytes:
    """The body after a few changes."""
    changed = bytearray(body)
    for _ in range(chance.choice((1, 1, 2, 3, 5, 8))):
        chance.choice(_CHANGES)(changed, chance, words)
    return bytes(changed)


def make_variants(seeds: Sequence[bytes], words: Sequence[bytes], *, seed: int) -> Iterator[bytes]:
    """Endlessly many: of the seeds, of what became of them, of two joined."""
    chance = random.Random(seed)
    pool = [*seeds, b""]
    while True:
        one = mutate(chance.choice(pool), chance, words)[:MAX_BYTES]
        if chance.random() < 0.05:
            other = chance.choice(pool)
            one = (one[: chance.randrange(len(one) + 1)] + other[chance.randrange(len(other) + 1) :])[
                :MAX_BYTES
            ]
        if chance.random() < 0.02:
            pool.append(one)
            if len(pool) > len(seeds) + 200:
                pool.pop(len(seeds) + 1)
        yield one


def _flip(body: bytearray, chance: random.Random, words: Sequence[bytes]) -> None:
    if body:
        body[chance.randrange(len(body))] ^= 1 << chance.randrange(8)


def _replace(body: bytearray, chance: random.Random, words: Sequence[bytes]) -> None:
    if body:
        body[chance.randrange(len(body))] = chance.choice(
            (0, 9, 10, 13, 32, 127, 128, 255, chance.randrange(256))
        )


def _insert(body: bytearray, chance: random.Random, words: Sequence[bytes]) -> None:
    at = chance.randrange(len(body) + 1)
    body[at:at] = (
        chance.choice(words) if words and chance.random() < 0.7 else chance.randbytes(chance.randrange(1, 9))
    )


def _delete(body: bytearray, chance: random.Random, words: Sequence[bytes]) -> None:
    at = chance.randrange(len(body) + 1)
    del body[at : at + chance.choice((1, 2, 8, 64))]


def _repeat(body: bytearray, chance: random.Random, words: Sequence[bytes]) -> None:
    at = chance.randrange(len(body) + 1)
    part = bytes(body[at : at + chance.choice((1, 2, 8, 64))])
    body[at:at] = part * chance.choice((1, 2, 30))


def _move(body: bytearray, chance: random.Random, words: Sequence[bytes]) -> None:
    at, to = chance.randrange(len(body) + 1), chance.randrange(len(body) + 1)
    part = bytes(body[at : at + chance.choice((2, 8, 64))])
    body[to:to] = part


def _number(body: bytearray, chance: random.Random, words: Sequence[bytes]) -> None:
    at = next((i for i in range(chance.randrange(len(body) + 1), len(body)) if 48 <= body[i] < 58), None)
    if at is not None:
        end = at
        while end < len(body) and 48 <= body[end] < 58:
            end += 1
        body[at:end] = chance.choice(_ODD_NUMBERS)


def _cut(body: bytearray, chance: random.Random, words: Sequence[bytes]) -> None:
    if chance.random() < 0.3:
        del body[chance.randrange(len(body) + 1) :]


_CHANGES: tuple[Callable[[bytearray, random.Random, Sequence[bytes]], None], ...] = (
    _flip, _replace, _insert, _insert, _delete, _repeat, _move, _number, _cut,
)  # fmt: skip
