"""What pages tell programs is read: JSON-LD, microdata, RDFa Lite, meta elements, logos."""

import pytest

from portico.convert.structured_data import MOST_PAIRS, read_structured_data
from portico.text.markup import parse

EVENT = {
    "data:0:event.name": "Seed swap",
    "data:0:event.startdate": "2024-05-04",
    "data:0:event.location.name": "Town hall",
}
PAGES = [
    (
        (
            '<script type="application/ld+json">{"@context": "https://schema.org", "@type": "Event", "name": '
            '"Seed swap", "startDate": "2024-05-04", "location": {"name": "Town hall"}}</script>'
        ),
        EVENT,
    ),
    (
        (
            '<div itemscope itemtype="https://schema.org/Event"><h1 itemprop="name">Seed swap</h1><time '
            'itemprop="startDate" datetime="2024-05-04">4 May</time><div itemprop="location" itemscope><b '
            'itemprop="name">Town hall</b></div></div>'
        ),
        EVENT,
    ),
    (
        (
            '<div vocab="https://schema.org/" typeof="Event"><h1 property="name">Seed swap</h1><span '
            'property="startDate" content="2024-05-04">4 May</span><div property="location" '
            'typeof="Place"><b '
            'property="name">Town hall</b></div></div>'
        ),
        EVENT,
    ),
    (
        '<meta property="og:title" content="Seed  swap"><meta name=x>',
        {"meta:og:title": "Seed swap"},
    ),
    ('<link rel="canonical" href="https://a.example/">', {"canonical": "https://a.example/"}),
    ('<a class="logo"><img src="a.png" alt="Acme logo"></a>', {"logo": "Acme"}),
    ('<script type="application/ld+json">{"name": broken</script>', {}),
    ('<script type="application/ld+json">[1, "a", null]</script>', {}),
]


@pytest.mark.parametrize(("html", "expected"), PAGES)
def test_data_becomes_pairs(html: str, expected: dict[str, str]) -> None:
    found = dict(read_structured_data(parse(f"<html><head></head><body>{html}</body></html>")))
    assert {name: found.get(name) for name in expected} == expected
    assert bool(found) == bool(expected)


def test_a_dump_of_data_is_read_to_a_bound() -> None:
    things = ",".join(f'{{"@type": "Thing", "name": "{number}"}}' for number in range(5_000))
    html = f'<script type="application/ld+json">[{things}]</script>'
    assert len(read_structured_data(parse(html))) == MOST_PAIRS


def test_nesting_without_end_ends() -> None:
    nested = '{"a":' * 3_000 + "1" + "}" * 3_000
    assert read_structured_data(parse(f'<script type="application/ld+json">{nested}</script>')) == []
