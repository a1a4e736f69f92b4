"""Detects the language of a text, and names languages."""

from collections.abc import Mapping
from functools import cache
from typing import TYPE_CHECKING

from portico.text.function_words import FUNCTION_WORDS, guess_language
from portico.text.words import split_tokens

if TYPE_CHECKING:
    from py3langid.langid import LanguageIdentifier

LANGUAGE_NAMES: Mapping[str, str] = {
    "ar": "Arabic", "ca": "Catalan", "cs": "Czech", "da": "Danish", "de": "German", "el": "Greek",
    "en": "English", "es": "Spanish", "fi": "Finnish", "fr": "French", "he": "Hebrew", "hr": "Croatian",
    "hu": "Hungarian", "it": "Italian", "ja": "Japanese", "ko": "Korean", "la": "Latin", "nl": "Dutch",
    "no": "Norwegian", "pl": "Polish", "pt": "Portuguese", "ro": "Romanian", "ru": "Russian",
    "sl": "Slovene", "sv": "Swedish", "tr": "Turkish", "uk": "Ukrainian", "zh": "Chinese",
}  # fmt: skip
"""Names by ISO 639-1 code; other languages are shown by their code."""

# Minimum number of words for detecting the language of a text.
FEWEST_WORDS = 40
# Share of English function words from which a text is English if no other language has half of that: of 239
# real papers, all such are. This saves most workers from loading the model of all languages, which takes half
# a second and 75 MB.
SURELY_ENGLISH, OTHERS_SHARE = 0.25, 0.5
# A probability is never exactly 1, because no finite evidence proves anything.
MOST = 0.99
# The model's codes for the two written forms of one language, and the code used in records.
_ALIASES = {"nb": "no", "nn": "no"}


def recognize_language(text: str) -> tuple[str, float] | None:
    """The language code and its probability; None if there are too few words to decide."""
    tokens = split_tokens(text)
    if len(tokens) < FEWEST_WORDS:
        return None
    if _is_surely_english(tokens):
        return "en", MOST
    code, chance = _load_identifier().classify(text)
    return _ALIASES.get(code, code), min(MOST, float(chance))


def tell_language(text: str) -> str:
    """The language code of a title, with or without an abstract.

    Function words decide first; for longer texts without English function words the general language model
    decides. English if neither can.
    """
    guessed = guess_language(split_tokens(text))
    found = recognize_language(text) if guessed != "en" else None
    return found[0] if found else guessed


def get_language_name(code: str) -> str:
    """The English name of a language."""
    return LANGUAGE_NAMES.get(code, code)


def find_language_code(written: str) -> str:
    """The ISO 639-1 code for a code of two or three letters, for "en-US", or for an English name; "" if
    unknown.
    """
    word = written.strip().lower().replace("_", "-").partition("-")[0]
    if len(word) == 2:
        return _ALIASES.get(word, word)
    named = {name.lower(): code for code, name in LANGUAGE_NAMES.items()}
    return named.get(word) or _THREE_LETTERS.get(word, "")


# Codes of ISO 639-2, as used by libraries, for the languages named above.
_THREE_LETTERS: Mapping[str, str] = {
    "ara": "ar", "cat": "ca", "ces": "cs", "cze": "cs", "dan": "da", "deu": "de", "ger": "de", "ell": "el",
    "gre": "el", "eng": "en", "spa": "es", "fin": "fi", "fra": "fr", "fre": "fr", "heb": "he", "hrv": "hr",
    "hun": "hu", "ita": "it", "jpn": "ja", "kor": "ko", "lat": "la", "dut": "nl", "nld": "nl", "nor": "no",
    "pol": "pl", "por": "pt", "ron": "ro", "rum": "ro", "rus": "ru", "slv": "sl", "swe": "sv", "tur": "tr",
    "ukr": "uk", "chi": "zh", "zho": "zh",
}  # fmt: skip


def _is_surely_english(tokens: list[str]) -> bool:
    english = FUNCTION_WORDS["en"]
    n_english = sum(token in english for token in tokens)
    # Words that English has too ("in", "a", "me") say nothing for the others.
    n_others = max(
        sum(token in words and token not in english for token in tokens)
        for language, words in FUNCTION_WORDS.items()
        if language != "en"
    )
    return n_english >= SURELY_ENGLISH * len(tokens) and n_others < OTHERS_SHARE * n_english


@cache
def _load_identifier() -> "LanguageIdentifier":
    from py3langid.langid import MODEL_FILE, LanguageIdentifier  # loads its model, 5 MB, packed

    return LanguageIdentifier.from_model_file(MODEL_FILE, norm_probs=True)
