"""The language of a text is told, surely where it is English, by a library where it is not."""

import pytest

from portico.text.languages import get_language_name, recognize_language

TEXTS = {
    "en": "The committee that has been asked about this question did not find an answer which would be of",
    "de": "Die Untersuchung hat gezeigt, dass es für die Kinder nicht von Bedeutung ist, wie sie in der",
    "fr": "Cette étude montre que les enfants ne sont pas tous concernés par les mesures que le gouvernement",
    "es": "Este trabajo muestra que los niños no han sido tenidos en cuenta por las medidas que el gobierno",
    "pt": "Este trabalho mostra que as crianças não foram consideradas pelas medidas que o governo tomou em",
    "it": "Questo lavoro mostra che i bambini non sono stati considerati dalle misure che il governo ha",
    "nl": "Dit onderzoek laat zien dat de kinderen niet zijn betrokken bij de maatregelen die door de",
    "pl": "Niniejsze badanie pokazuje, że dzieci nie zostały uwzględnione w działaniach podjętych przez rząd",
}


@pytest.mark.parametrize("code", TEXTS)
def test_languages(code: str) -> None:
    found = recognize_language(f"{TEXTS[code]} " * 4)
    assert found is not None
    assert found[0] == code
    assert 0.9 < found[1] < 1


def test_few_words_tell_nothing() -> None:
    assert recognize_language("A short title") is None


@pytest.mark.parametrize(("code", "name"), [("de", "German"), ("sw", "sw")])
def test_names_of_languages(code: str, name: str) -> None:
    assert get_language_name(code) == name
