"""Pages in four languages: chosen by address or browser, complete, and the same for programs."""

import re
import subprocess
import sys
from collections.abc import Iterator
from html import unescape
from pathlib import Path

import pytest
from babel.numbers import format_decimal

from portico.config.settings import LANGUAGES
from portico.serve.app import create_app
from portico.serve.language_choice import choose_language
from portico.serve.languages import (
    format_date,
    get_language,
    translate_count,
    use_language,
)
from portico.serve.portal import About
from portico.store.opening import open_store
from tests.serve.conftest import Site, serving
from tests.serve.hearing import hearing
from tests.serve.made import STORE_URL, make_portal
from tests.serve.made_directory import make_directory, serving_directory

ROOT = Path(__file__).parents[2]
BASE = "https://library.example.org/papers"


def test_every_text_is_translated_and_the_catalogs_are_those_of_the_pages() -> None:
    command = [sys.executable, str(ROOT / "scripts/languages.py"), "--check"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout


@pytest.fixture(scope="module")
def spoken(portal_folder: Path) -> Iterator[Site]:
    """The portal in all languages, below a path."""
    store = open_store(STORE_URL, portal_folder, read_only=True)
    about = About("Trees & Words", base_url=BASE, languages=LANGUAGES)
    with serving(create_app(store, index_folder=portal_folder / "index", about=about)) as site:
        yield site
    store.close()


@pytest.mark.parametrize(
    ("accepted", "chosen"),
    [
        ("de", "de"),
        ("de-AT,de;q=0.9,en;q=0.8", "de"),
        ("fr;q=0.5, es;q=0.7", "es"),
        ("it, es;q=0.3, *;q=0.1", "es"),
        ("it", "en"),
        ("*", "en"),
        ("de;q=0, fr;q=0", "en"),
        ("en-US,en;q=0.9,de;q=0.9", "en"),
        ("nonsense;;q=x,,;=", "en"),
        ("", "en"),
    ],
)
def test_the_best_language_there_is(accepted: str, chosen: str) -> None:
    assert choose_language(accepted, LANGUAGES, "en") == chosen


def test_a_browser_gets_its_language_and_caches_are_told(spoken: Site) -> None:
    answer = spoken.ask("/papers/paper/forest", headers={"Accept-Language": "de,en;q=0.5"})
    assert '<html lang="de">' in answer.text
    assert "Zusammenfassung" in answer.text
    assert "2-mal zitiert" not in answer.text  # the paper's own page says it in a table of numbers
    assert ">Zitate</dt>" in answer.text
    assert answer.headers["Content-Language"] == "de"
    assert {"Accept", "Accept-Language"} <= set(re.split(r",\s*", answer.headers["Vary"]))
    assert spoken.ask("/papers/paper/forest").headers["Content-Language"] == "en"


def test_a_chosen_language_is_carried_along_and_nothing_is_kept(spoken: Site) -> None:
    answer = spoken.ask("/papers/fr/search?q=trees", headers={"Accept-Language": "de"})
    assert '<html lang="fr" data-chosen="fr">' in answer.text
    inner = re.findall(r'(?:href|action|src)="(/[^"]*)"', answer.text)
    assert len(inner) > 20
    assert [address for address in inner if not address.startswith("/papers/fr/")] == []
    assert answer.headers["Set-Cookie"] is None
    assert "Accept-Language" not in (answer.headers["Vary"] or "")
    moved = spoken.ask("/papers/fr/paper/FOREST")
    assert moved.status == 301
    assert moved.headers["Location"] == "/papers/fr/paper/forest"


def test_every_language_leads_to_the_same_page_in_the_others(spoken: Site) -> None:
    text = spoken.ask("/papers/es/search?q=trees&from=1990").text
    for code in LANGUAGES:
        assert f"href='/papers/{code}/search?q=trees&amp;from=1990' hreflang=\"{code}\"" in text


def test_search_engines_are_told_of_the_same_page_in_other_languages(spoken: Site) -> None:
    plain, german = (spoken.ask(f"/papers{path}/paper/forest").text for path in ("", "/de"))
    for text in (plain, german):
        for code in LANGUAGES:
            assert f'<link rel="alternate" hreflang="{code}" href="{BASE}/{code}/paper/forest">' in text
        assert f'<link rel="alternate" hreflang="x-default" href="{BASE}/paper/forest">' in text
        assert f'content="{BASE}/paper/forest"' in text  # what reference managers take is one address
    assert f'<link rel="canonical" href="{BASE}/paper/forest">' in plain
    assert f'<link rel="canonical" href="{BASE}/de/paper/forest">' in german
    assert "hreflang=" not in spoken.ask("/papers/search?q=trees").text.partition("</head>")[0]


@pytest.mark.parametrize(
    "path", ["/api/search?q=trees", "/oai?verb=Identify", "/sitemap.xml", "/paper/forest.bib"]
)
def test_programs_get_the_same_whatever_they_accept(spoken: Site, path: str) -> None:
    plain, german = (
        spoken.ask(f"/papers{path}", headers={"Accept-Language": accepted}) for accepted in ("en", "de")
    )
    without_times = [re.sub(rb"\d\d:\d\d:\d\dZ", b"", answer.body) for answer in (plain, german)]
    assert without_times[0] == without_times[1]
    assert "Accept-Language" not in (german.headers["Vary"] or "")


PAGES = [
    "/", "/search?q=trees", "/search?q=zebra", "/search?q=chart+zebra", "/search?q=trees&show=all&from=1990",
    "/search?q=trees&page=9", "/search?q=forets", "/topics", "/topic/Learning", "/topic/Systems/Paging",
    "/paper/forest", "/paper/parser", "/paper/cited", "/paper/untitled", "/author/young",
    "/author?name=B.+Old", "/year/1996", "/venue?name=Journal+of+Trees", "/map", "/map?paper=forest",
    "/reading-list", "/about",
    "/nowhere", "/paper/nowhere", "/author?name=Nobody", "/submit", "/paper/forest/wrong", "/builder/sign-in",
]  # fmt: skip
DIRECTORY_PAGES = [
    "/",
    "/search",
    "/search?q=chair",
    "/search?q=nothing-has-this",
    "/search?page=99",
    "/about",
]

# What is the same in all languages, beside what the papers say.
SAME_EVERYWHERE = """
    who where trees words portico bibtex ris csl json apa mla pdf postscript vcard english deutsch español
    français nowhere zebra chart forets chair csv https
"""
# References, sentences and names of others that pages show and the API does not.
AS_PRINTED = """
    A. Young and J. Nunez. Growing decison forests. J. Trees, 1996. See [2]. Trees are grown top down [1].
    Anon. Ibid. Abe Young document.title='owned' script scrip et al. nothing has this.
    Officers of clubs that do not exist.
"""


def list_texts(html: str) -> set[str]:
    """What somebody reads or hears of a page, without what is set as code or made for programs."""
    html = re.sub(r"<(script|style|code|pre)\b.*?</\1>", "", html, flags=re.DOTALL)
    html = re.sub(r'<p dir="auto" data-copy>.*?</p>|<span class="Z3988"[^>]*>', "", html)
    found = re.findall(r">([^<>]+)<", html)
    found += re.findall(r'\b(?:title|alt|aria-label|placeholder)="([^"]*)"', html)
    return {" ".join(unescape(text).split()) for text in found}


def list_words(*texts: str) -> set[str]:
    return set(re.findall(r"(?<![^\W\d_])[^\W\d_]{3,15}(?![^\W\d_])", " ".join(texts).lower()))


def find_untranslated(site: Site, prefix: str, path: str) -> set[str]:
    pages = [list_texts(site.ask(f"{prefix}/{code}{path}").text) for code in LANGUAGES]
    assert len(pages[0]) > 5
    return pages[0] & pages[1] & pages[2] & pages[3]


@pytest.fixture(scope="module")
def changeable(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    folder = tmp_path_factory.mktemp("portal")
    make_portal(folder)
    with hearing(folder, about=About("Trees & Words", languages=LANGUAGES)) as heard:
        yield heard.site


@pytest.fixture(scope="module")
def known_words(changeable: Site) -> set[str]:
    told = [changeable.ask(path).text for path in ("/download/papers.jsonl", "/api/topics")]
    told += [changeable.ask(f"/api/paper/{name}").text for name in ("forest", "parser", "cited", "untitled")]
    return list_words(SAME_EVERYWHERE, AS_PRINTED, *told)


@pytest.mark.parametrize("path", PAGES)
def test_no_text_of_a_page_is_the_same_in_all_languages(
    changeable: Site, known_words: set[str], path: str
) -> None:
    same = find_untranslated(changeable, "", path)
    assert {text for text in same if not list_words(text) <= known_words} == set()


@pytest.fixture(scope="module")
def directory(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    folder = tmp_path_factory.mktemp("directory")
    make_directory(folder)
    with serving_directory(folder, languages=LANGUAGES) as site:
        yield site


@pytest.mark.parametrize("path", DIRECTORY_PAGES)
def test_no_text_of_a_directory_is_the_same_in_all_languages(directory: Site, path: str) -> None:
    """But what its builder calls things, and the things."""
    known = list_words(
        SAME_EVERYWHERE, AS_PRINTED, directory.ask("/api/kinds").text, directory.ask("/list.csv").text
    )
    same = find_untranslated(directory, "", path)
    assert {text for text in same if not list_words(text) <= known} == set()


def test_a_portal_in_one_language_offers_no_choice(portal_folder: Path) -> None:
    store = open_store(STORE_URL, portal_folder, read_only=True)
    about = About("Bäume", language="de", languages=("de",))
    with serving(create_app(store, index_folder=portal_folder / "index", about=about)) as site:
        answer = site.ask("/", headers={"Accept-Language": "fr"})
        assert '<html lang="de">' in answer.text
        assert "hreflang" not in answer.text
        assert answer.headers["Vary"] == "Accept-Encoding"
        assert site.ask("/de").status == 404
        assert "<title>Neu: Arbeiten – Bäume</title>" in site.ask("/feed").text
    store.close()


def test_a_search_finds_the_same_in_every_language(spoken: Site) -> None:
    ids = [
        re.findall(
            r'paper-title"><a href="/papers/\w\w(/paper/\w+)"',
            spoken.ask(f"/papers/{code}/search?q=trees").text,
        )
        for code in LANGUAGES
    ]
    assert ids[0]
    assert all(found == ids[0] for found in ids)


def test_errors_and_notices_are_in_the_language_of_the_page(spoken: Site) -> None:
    assert "Unter dieser Adresse gibt es keine Seite" in spoken.ask("/papers/de/nowhere").text
    assert "ses mots ont été cherchés un par un" in spoken.ask("/papers/fr/search?q=%22lone").text
    long = spoken.ask("/papers/de/search?q=" + "trees+" * 500).text
    assert "nach ihren ersten 2.000 Zeichen" in long


@pytest.mark.parametrize("code", LANGUAGES)
@pytest.mark.parametrize("number", [0, 7, 999, 1_000, 9_999, 10_000, 1_234_567])
def test_numbers_are_written_as_the_unicode_consortium_says(code: str, number: int) -> None:
    # Babel does not know that Spanish leaves four digits together.
    is_together = code == "es" and number < 10_000
    assert get_language(code).format_number(number) == (
        str(number) if is_together else format_decimal(number, locale=code)
    )


@pytest.mark.parametrize(
    ("code", "n", "said"),
    [
        ("en", 0, "cited 0 times"),
        ("en", 1, "cited 1 time"),
        ("de", 1, "1-mal zitiert"),
        ("es", 1, "citado 1 vez"),
        ("es", 12_345, "citado 12.345 veces"),
    ],
)
def test_plurals_are_those_of_the_language(code: str, n: int, said: str) -> None:
    use_language(code)
    assert translate_count("cited {n} time", "cited {n} times", n) == said


def test_nothing_is_one_in_french_and_many_elsewhere() -> None:
    said = []
    for code in ("fr", "es"):
        use_language(code)
        said.append(translate_count("{n} paper", "{n} papers", 0))
    assert said == ["0 article", "0 artículos"]


@pytest.mark.parametrize(
    ("code", "date", "said"),
    [
        ("en", "1999-07-04", "4 July 1999"),
        ("de", "1999-07-04", "4. Juli 1999"),
        ("fr", "1999-07-01", "1er juillet 1999"),
        ("fr", "1999-08", "août 1999"),
        ("es", "1999-07-04", "4 de julio de 1999"),
        ("es", "1999", "1999"),
    ],
)
def test_dates_are_those_of_the_language(code: str, date: str, said: str) -> None:
    use_language(code)
    assert format_date(date) == said
    use_language("en")
