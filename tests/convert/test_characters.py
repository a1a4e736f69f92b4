"""Characters come out as people write them."""

import pytest

from portico.convert.characters import (
    compose_overprints,
    from_bitmap_codes,
    from_cork_codes,
    recombine,
    to_plain_text,
    uses_bitmap_codes,
    uses_cork_codes,
)
from portico.convert.fonts import find_font_codes, read_typeface, restore_dashes_and_quotes
from portico.text.words import dehyphenate


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("eﬃcient ﬁnding of ﬂows", "efficient finding of flows"),
        ("de\x0cne di\x0berent \x0eect", "define different ffiect"),  # codes of TeX's own encoding
        ("prior\ufffe", "prior-"),
        ("a\u00a0b\u2009c", "a b c"),
        ("soft\u00adhyphen\u200b", "softhyphen"),
        ("\x00\x01plain\x07", "plain"),
    ],
)
def test_plain(text: str, expected: str) -> None:
    assert to_plain_text(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Andr´e Gonz´alez", "André González"),
        ("Erd˝os and Sch¨olkopf", "Erdős and Schölkopf"),
        ("Mart´ın", "Martín"),
        ("Franc¸ois", "François"),
        ("ˇCech", "Čech"),
        ("x ¨ 2", "x ¨ 2"),  # no letter to stand on
        ("plain `quotes' and a^b", "plain `quotes' and a^b"),
    ],
)
def test_recombine(text: str, expected: str) -> None:
    assert recombine(text) == expected


@pytest.mark.parametrize(
    ("text", "over", "expected"),
    [
        ("Muller ¨", {7: 1}, "Müller "),  # drawn at the end of the line
        ("Lef`evre", {3: 4}, "Lefèvre"),
        ("`evre", {}, "`evre"),  # a quote, beside its word
        ("x¨", {1: 0}, "ẍ"),
        ("q´", {1: 0}, "q´"),  # there is no such letter
    ],
)
def test_accents_drawn_over_letters(text: str, over: dict[int, int], expected: str) -> None:
    lefts = [10.0 * over.get(place, place) for place in range(len(text))]
    rights = [left + 8.0 for left in lefts]
    letters, gone = compose_overprints(text, lefts, rights, [(0.0, 12.0)] * len(text))
    assert "".join(letter for place, letter in enumerate(letters) if place not in gone) == expected


def test_bitmap_codes_are_known_by_the_missing_c() -> None:
    broken = "Ro\rkwell Collins, In\r., Te\rhnology [7℄, su\x66\x66i\rient, wilding\x08\rollins.\rom"
    assert uses_bitmap_codes(broken)
    assert (
        from_bitmap_codes(broken) == "Rockwell Collins, Inc., Technology [7], sufficient, wilding@collins.com"
    )
    assert not uses_bitmap_codes("clean text with many c and a single \r in it, since an f and an l may meet")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (  # the later encoding of TeX
            "\x10We de\x1cne e\x1ecient con\x1dicts\x11 \x15 in \x1cve di\x1berent ways",
            "“We define efficient conflicts” – in five different ways",
        ),
        (  # the older one
            "We de\x0cne e\x0ecient con\x0dicts in \x0cve ways of G\x7fodel, S\x1cren and K\x1cren",
            "We define efficient conflicts in five ways of Gödel, Søren and Køren",
        ),
        (  # the older one in Danish
            "k\x1cre, h\x1cre, g\x1cre og l\x1cse: det er i\x1ar",
            "køre, høre, gøre og løse: det er iær",
        ),
    ],
)
def test_the_two_encodings_of_tex_are_told_apart(text: str, expected: str) -> None:
    known = from_cork_codes(text) if uses_cork_codes(text) else text
    assert len(known) == len(text)  # every character keeps its place on the page
    assert recombine(to_plain_text(known)) == expected


@pytest.mark.parametrize(
    ("name", "bold", "italic"),
    [
        ("ABCDEF+CMBX12", True, False),
        ("CMTI10", False, True),
        ("NimbusRomNo9L-Medi", True, False),
        ("Times-BoldItalic", True, True),
        ("CMR10", False, False),
        ("Medieval", False, False),
    ],
)
def test_typefaces_by_name(name: str, bold: bool, italic: bool) -> None:
    typeface = read_typeface(name)
    assert (typeface.bold, typeface.italic) == (bold, italic)
    assert "+" not in typeface.name


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("infer-\nence of struc-\ntured data", "inference of structured data"),
        ("the Baum-\nWelch method", "the Baum-Welch method"),
        ("pages 12-\n15", "pages 12- 15"),
        ("two\nlines", "two lines"),
        ("", ""),
    ],
)
def test_dehyphenate(text: str, expected: str) -> None:
    assert dehyphenate(text) == expected


@pytest.mark.parametrize(
    ("font", "text", "expected"),
    [
        ("LucidaSansUnicode20", "\x18\x19\x14", "‘’—"),
        ("LucidaSansUnicode03", "±»·¼Á±", "αλημρα"),
        ("LucidaSansUnicode00", "Χrganization", "Organization"),
        ("LucidaSans-Demi", "The Χrganization of Networks", "The Organization of Networks"),
        ("Times-Roman", "Χ and ±", "Χ and ±"),
    ],
)
def test_fonts_of_unicode_pages(font: str, text: str, expected: str) -> None:
    assert text.translate(find_font_codes(font) or {}) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("pages 123{145, 1995", "pages 123–145, 1995"),
        ("Semantics { Long Version", "Semantics – Long Version"),
        ('a \\natural" proof strategy', "a “natural” proof strategy"),
        ("called \\clock", "called “clock"),
        ('functions" that', "functions” that"),
        ("if (x) {", "if (x) {"),
        ("the set { a, b }", "the set { a, b }"),
        ('(defun f (x) "a string")', '(defun f (x) "a string")'),
        ("nothing of it", "nothing of it"),
    ],
)
def test_dashes_and_quotes_of_bitmap_fonts(text: str, expected: str) -> None:
    assert restore_dashes_and_quotes(text) == expected
