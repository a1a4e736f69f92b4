"""Gibberish is told from text, and an unknown language from gibberish."""

import json
import lzma
from math import ceil
from pathlib import Path

import pytest

from portico.convert.pdf import JUDGED_PAGES, JUDGED_WORDS, read_pdf
from portico.convert.readability import (
    find_commonest_words,
    find_words,
    load_known_words,
    measure_readability,
)
from tests.convert.pdfs import column, draw

ENGLISH = "We present a method that learns to find papers on the web from a small number of examples. " * 3
GERMAN = "Der Vortrag zeigt, wie man mit wenigen Beispielen lernt und was daraus für die Praxis folgt. " * 3
FRENCH = "Nous montrons comment une machine apprend avec peu d'exemples et ce que cela change pour nous. " * 3
POLISH = (
    "Pokazujemy jak nauczyć komputer rozpoznawania dokumentów oraz dlaczego potrzeba niewielu przykładów " * 3
)
RUSSIAN = (
    "Мы показываем, как научить компьютер находить статьи по небольшому числу примеров из интернета. " * 3
)
SHIFTED = "".join(chr(ord(letter) + 3) if letter.isalpha() else letter for letter in ENGLISH)
SCRAMBLED = "éð\x18üÝæ\x01Õ®ß\x17çq rÙ\x1aÙ\x1að\x01ælÙ ÝYMU!H\x1bOjW^ `\\PNn]&a kzn\\/^_Yo 4±²\x81³ " * 6


@pytest.mark.parametrize(
    "text", [ENGLISH, GERMAN, FRENCH, POLISH, RUSSIAN], ids=["en", "de", "fr", "pl", "ru"]
)
def test_languages_are_readable(text: str) -> None:
    readability = measure_readability(text, n_pages=1, unmapped=0.0)
    assert not readability.is_gibberish
    assert not readability.is_scan


@pytest.mark.parametrize(
    ("text", "unmapped"), [(SHIFTED, 0.0), (SCRAMBLED, 0.2)], ids=["shifted", "scrambled"]
)
def test_gibberish_is_not(text: str, unmapped: float) -> None:
    assert measure_readability(text, n_pages=1, unmapped=unmapped).is_gibberish


@pytest.mark.parametrize(
    ("text", "n_lines", "pages_read"),
    [
        pytest.param(ENGLISH, 20, 4, id="text is read to its end"),
        pytest.param(SHIFTED, 20, 1, id="gibberish is not"),
        pytest.param(SHIFTED, 12, JUDGED_PAGES, id="gibberish that begins with little text"),
        pytest.param(SHIFTED, 1, 4, id="too few words to tell"),
    ],
)
def test_reading_gives_up_on_gibberish_after_the_first_pages(
    text: str, n_lines: int, pages_read: int
) -> None:
    line = text[:80]
    if text is SHIFTED:  # pages until there are enough words; with too few, all are read
        needed = ceil(JUDGED_WORDS / (n_lines * len(find_words(line))))
        assert (needed if needed <= JUDGED_PAGES else 4) == pages_read
    found = read_pdf(draw(*[lambda canvas: column(canvas, 72, 80, [line] * n_lines)] * 4), max_pages=10)
    assert found["pages"] == [[612.0, 792.0]] * 4  # all of them, so that OCR knows what there is
    assert {row[0] for row in found["lines"]} == set(range(pages_read))


@pytest.mark.parametrize(
    ("n_words", "n_pages", "is_scan"), [(0, 3, True), (19, 1, True), (25, 1, False), (25, 30, True)]
)
def test_scans_have_hardly_any_words(n_words: int, n_pages: int, is_scan: bool) -> None:
    assert measure_readability("words " * n_words, n_pages=n_pages, unmapped=0.0).is_scan is is_scan


def test_words() -> None:
    assert find_words("An e-mail of 2 Ökonomen, x") == ["an", "mail", "of", "ökonomen"]
    assert find_commonest_words(["the the a cat", "The cat sat"]) == ["cat", "sat", "the"]
    assert {"algorithm", "und", "della"} <= load_known_words()


@pytest.mark.data
@pytest.mark.slow
def test_the_shipped_words_are_those_of_the_pool(labelled_data: Path) -> None:
    with lzma.open(
        labelled_data / "data" / "topics" / "arxiv_cs_pool.jsonl.xz", "rt", encoding="utf-8"
    ) as lines:
        pool = [json.loads(line) for line in lines]
    assert (
        set(find_commonest_words(f"{entry['title']} {entry['abstract']}" for entry in pool))
        <= load_known_words()
    )
