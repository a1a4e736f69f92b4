"""Classifies pages into the kinds a portal is looking for, by title, headings, URL and words."""

import json
import math
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from hashlib import sha256
from io import BytesIO
from itertools import pairwise
from zipfile import ZIP_STORED, BadZipFile, ZipFile, ZipInfo

from portico.errors import ConfigError
from portico.learn.logistic import HashedLogistic, from_bytes, hash_rows, train_hashed
from portico.text.urls import get_path
from portico.types.page import PageView, Url

# Minimum probability for a page to be taken for one of a kind.
LEAST_CHANCE = 0.5
# Precision of the prior on weights; not tuned.
PENALTY = 0.2
# Maximum number of distinct words used of a page's text, in order.
TEXT_WORDS = 400
# Weight of a word in the text relative to one in the title, headings or URL.
TEXT_WEIGHT = 0.15
# Folds of cross-validation over the labeled pages, to test the model on pages it has not seen.
FOLDS = 4

_WORD = re.compile(r"[^\W_]{2,30}")
_LOCAL = re.compile(r"index|default|html?|php|aspx?|shtml|welcome|home")
_EMAIL = re.compile(r"\S@\S+\.\w")
_PHONE = re.compile(r"\+?\(?\d{2,4}\)?[\s.-]\d{3,4}[\s.-]\d{3,4}")
_CAPITALIZED = r"[A-ZÀ-ÞŁŚŽŠČŘΑ-ΫА-ЯЁІЇЄ][a-zß-žά-ώа-яёіїє'’-]+"
_NAME = re.compile(rf"(?<!\w){_CAPITALIZED}(?:\s[A-Z]\.)?\s{_CAPITALIZED}(?!\w)")
_IDEOGRAPHS = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")
_COUNTED = 20_000  # characters of the text used for counting
_TELLING = "telling.json"  # the file with the telling words of a model

Telling = tuple[tuple[str, tuple[str, ...]], ...]
"""Kinds of pages, and the phrases that name pages of each: "board of directors", "our team"."""


@dataclass(frozen=True, slots=True)
class PageKinds:
    """A trained recognizer: one model per kind, and the significant words that all of them look for."""

    models: tuple[tuple[str, HashedLogistic], ...]
    telling: Telling = ()

    def __call__(self, page: PageView) -> str:
        """The most likely kind, "" if none is likely enough."""
        chances = self.chances(page)
        best = max(chances, key=lambda kind: chances[kind], default="")
        return best if best and chances[best] >= LEAST_CHANCE else ""

    def chances(self, page: PageView) -> dict[str, float]:
        """The probability that the page is of each kind."""
        seen = observe_page(page, self.telling)
        return {kind: 1 / (1 + math.exp(-_bounded(model.log_odds_of(seen)))) for kind, model in self.models}

    @property
    def digest(self) -> str:
        """Changes when the models do."""
        return sha256(self.to_bytes()).hexdigest()[:16]

    def to_bytes(self) -> bytes:
        """An archive with one file per kind; the same models give the same bytes."""
        out = BytesIO()
        with ZipFile(out, "w") as archive:
            for kind, model in self.models:
                archive.writestr(ZipInfo(f"{kind}.npz"), model.to_bytes(), ZIP_STORED)
            if self.telling:
                archive.writestr(ZipInfo(_TELLING), json.dumps(self.telling), ZIP_STORED)
        return out.getvalue()


@dataclass(frozen=True, slots=True)
class WordRecognizer:
    """Replaces a trained recognizer: a page is of a kind if its title, heading or URL contains one of its
    words.
    """

    kinds: Telling

    def __call__(self, page: PageView) -> str:
        places = (page.title, page.headings, get_path(page.url))
        said = " | ".join(("", *(" ".join(_words(place)) for place in places), ""))
        return next((kind for kind, phrases in self.kinds if _says(said, phrases)), "")

    @property
    def digest(self) -> str:
        return sha256(repr(self.kinds).encode()).hexdigest()[:16]


@dataclass(frozen=True, slots=True)
class JointRecognizer:
    """Several recognizers in sequence: a page is wanted if one of them says so."""

    members: tuple[PageKinds | WordRecognizer, ...]

    def __call__(self, page: PageView) -> str:
        return next((kind for member in self.members if (kind := member(page))), "")

    @property
    def digest(self) -> str:
        return " ".join(member.digest for member in self.members)


@dataclass(frozen=True, slots=True)
class ShownRecognizer:
    """Knows the pages that a builder has shown, whatever they look like, and delegates all others."""

    others: JointRecognizer
    shown: Mapping[Url, str]

    def __call__(self, page: PageView) -> str:
        return self.others(page) or self.shown.get(page.url, "")

    @property
    def digest(self) -> str:
        if not self.shown:
            return self.others.digest
        said = sha256(repr(sorted(self.shown.items())).encode()).hexdigest()[:16]
        return f"{self.others.digest} {said}"


def observe_page(page: PageView, telling: Telling = ()) -> list[tuple[str, float]]:
    """The features of a page for a recognizer."""
    title, headings = _words(page.title), _words(page.headings)
    seen = {f"t:{word}": 1.0 for word in title}
    seen |= {f"t:{one} {two}": 1.0 for one, two in pairwise(title)}
    seen |= {f"h:{word}": 0.5 for word in headings}
    seen |= {f"h:{one} {two}": 0.5 for one, two in pairwise(headings)}
    address = _named(get_path(page.url))
    seen |= {f"u:{word}": 1.0 for word in address}
    seen |= {f"last:{word}": 1.0 for word in address[-1:]}
    seen[f"deep={min(get_path(page.url).count('/'), 5)}"] = 0.5
    seen |= dict.fromkeys(_called(page, telling), 1.0)
    words = dict.fromkeys(_words(page.text))
    seen |= {f"w:{word}": TEXT_WEIGHT for word in list(words)[:TEXT_WORDS]}
    text = page.text[:_COUNTED]
    for name, pattern in (("emails", _EMAIL), ("phones", _PHONE), ("names", _NAME)):
        seen[f"{name}={_bucket(len(pattern.findall(text)))}"] = 1.0
    seen[f"words={_bucket(len(page.text) // 100)}"] = 0.5
    return list(seen.items())


def _called(page: PageView, telling: Telling) -> Iterator[str]:
    """The kinds that a page calls itself, and where, so that sites without common words are comparable."""
    places = {"title": page.title, "headings": page.headings, "address": get_path(page.url)}
    said = {place: f" {' '.join(_words(text))} " for place, text in places.items()}
    file = next((words for part in reversed(get_path(page.url).split("/")) if (words := _named(part))), [])
    for kind, phrases in telling:
        yield from (f"{place} says {kind}" for place, text in said.items() if _says(text, phrases))
        if file in (_words(phrase) for phrase in phrases):
            yield f"address is {kind}"


def _named(part: str) -> list[str]:
    """The name of a file or folder without its ending; empty if all folders have one like it."""
    return [word for word in _words(part) if not _LOCAL.fullmatch(word)]


def _says(text: str, phrases: Iterable[str]) -> bool:
    """Whether one of the phrases occurs in a text of words with a space around each.

    Chinese, Japanese and Korean set no spaces: there it may be part of a word.
    """
    return any(
        (phrase if _IDEOGRAPHS.search(phrase) else f" {' '.join(words)} ") in text
        for phrase in phrases
        if (words := _words(phrase))
    )


def learn_page_kinds(
    examples: Sequence[tuple[PageView, str]], kinds: Iterable[str], telling: Telling = ()
) -> PageKinds:
    """A recognizer from pages of known kind, "" for those that are not wanted.

    The few wanted pages count as much as all others together: an extra page costs a little reading, a missed
    one is lost.
    """
    table = hash_rows([observe_page(page, telling) for page, _ in examples])
    models = []
    for kind in kinds:
        labels = [float(said == kind) for _, said in examples]
        n_true = sum(labels)
        if not n_true:
            raise ConfigError(f'no page of the kind "{kind}" is known; teach or mark one first')
        importance = (len(labels) - n_true + 1) / n_true
        weights = [importance if label else 1.0 for label in labels]
        models.append((kind, train_hashed([table], [labels], [weights], penalty=PENALTY)))
    return PageKinds(tuple(models), telling)


def learn_from_shown(shown: Sequence[tuple[PageView, str]], others: Sequence[PageView]) -> PageKinds:
    """A recognizer from a few pages that were shown, and others without a label.

    The others include wanted pages, so probabilities are too low: a page is accepted if it scores at least as
    high as the lowest quarter of shown pages do with models that have not seen them.
    """
    models = []
    for kind in dict.fromkeys(kind for _, kind in shown if kind):
        pages = [page for page, said in shown if said == kind]
        rest = [(page, "") for page, said in shown if said != kind] + [(page, "") for page in others]
        (_, whole), *_ = learn_page_kinds([*((page, kind) for page in pages), *rest], [kind]).models
        odds = sorted(_held_out(pages, rest, kind)) or [whole.log_odds_of(observe_page(pages[0])) - 1.0]
        models.append((kind, replace(whole, bias=whole.bias - odds[len(odds) // 4])))
    return PageKinds(tuple(models))


def _held_out(pages: Sequence[PageView], rest: list[tuple[PageView, str]], kind: str) -> list[float]:
    """The log odds of each page by a model that was trained without it; nothing for a single page."""
    n_folds = min(FOLDS, len(pages))
    odds = []
    for fold in range(n_folds if n_folds > 1 else 0):
        known = [(page, kind) for idx, page in enumerate(pages) if idx % n_folds != fold]
        (_, model), *_ = learn_page_kinds([*known, *rest], [kind]).models
        odds += [model.log_odds_of(observe_page(page)) for page in pages[fold::n_folds]]
    return odds


def page_kinds_from_bytes(body: bytes) -> PageKinds:
    """Read what `to_bytes` wrote; ConfigError for anything else."""
    try:
        with ZipFile(BytesIO(body)) as archive:
            kinds = [name for name in archive.namelist() if name != _TELLING]
            models = tuple((name.removesuffix(".npz"), from_bytes(archive.read(name))) for name in kinds)
            told = json.loads(archive.read(_TELLING)) if _TELLING in archive.namelist() else []
            return PageKinds(models, tuple((kind, tuple(phrases)) for kind, phrases in told))
    except (BadZipFile, ValueError, TypeError) as error:
        raise ConfigError(f"this is no model of page kinds ({error}); train it again") from error


def make_recognizer(
    shipped: bytes | None,
    words: Telling,
    *,
    taught: bytes | None = None,
    shown: Mapping[Url, str] | None = None,
) -> ShownRecognizer:
    """The recognizer of the kinds: the shipped model, words and what was taught, as far as they exist.

    What was taught only adds pages: it is based on a few, which say little about unwanted ones.
    """
    ships, learned = (
        (page_kinds_from_bytes(model),) if model is not None else () for model in (shipped, taught)
    )
    return ShownRecognizer(JointRecognizer((*ships, WordRecognizer(tuple(words)), *learned)), shown or {})


def _words(text: str) -> list[str]:
    return [match[0].lower() for match in _WORD.finditer(text)]


def _bucket(n: int) -> str:
    return str(n) if n < 2 else "2-4" if n < 5 else "5-9" if n < 10 else "10-29" if n < 30 else "many"


_MOST_ODDS = 500.0  # beyond it the exponential function overflows


def _bounded(odds: float) -> float:
    return max(-_MOST_ODDS, min(odds, _MOST_ODDS))
