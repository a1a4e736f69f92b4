"""Words of one subject in other forms are compared as one, by the rules of their language."""

import pytest

from portico.text.languages import tell_language
from portico.text.stemming import list_stemmed, split_stems


@pytest.mark.parametrize(
    ("language", "text", "other"),
    [
        ("en", "the databases of a library", "database, libraries"),
        ("de", "Die Häuser in den Städten", "Haus und Stadt"),
        ("fr", "les réseaux de neurones", "réseau, neurone"),
        ("es", "Las redes sociales en los bosques", "red social; bosque"),
        ("pt", "as cidades e os livros", "cidade, livro"),
        ("it", "le reti neurali", "rete neurale"),
        ("nl", "de huizen en de boeken", "huis, boek"),
        ("de", "Open Data in the Library", "open data library"),  # English function words say nothing
        ("sv", "databases", "database"),  # no rules are known: as in English
    ],
)
def test_forms_of_a_word_are_one(language: str, text: str, other: str) -> None:
    assert split_stems(text, language) == split_stems(other, language) != []


def test_a_word_without_end_is_a_word() -> None:
    assert split_stems("x" * 100_000, "de") == ["x" * 100_000]
    assert split_stems("", "de") == []


def test_languages_with_rules_are_listed_once() -> None:
    assert list_stemmed(["fr", "en", "", "de", "sv", "fr"]) == ("de", "fr")


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("A survey of neural networks", "en"),
        ("Datenbanken", "en"),  # no function word: nothing tells
        ("Die Entwicklung der Gruppenarbeit in Deutschland", "de"),
        ("Le travail en miettes", "fr"),
        ("Redes neuronales para la clasificación de imágenes", "es"),
        ("Per una storia della lingua italiana", "it"),
        ("En studie av skolor och deras elever i förorter som ligger utanför centrum. " * 4, "sv"),
    ],
)
def test_title_and_abstract_tell_their_language(text: str, language: str) -> None:
    assert tell_language(text) == language
