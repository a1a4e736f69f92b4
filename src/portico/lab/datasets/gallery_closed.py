"""Layouts of the gallery that the authors of the rules did not see."""

import json
from collections.abc import Mapping
from html import escape

from portico.lab.datasets.gallery import GallerySite, Layout, list_people


def _break_role(role: str) -> str:
    """A role with a line break in it if it is long."""
    words = role.split()
    return (
        escape(role) if len(words) < 3 else f"{escape(' '.join(words[:2]))}<br>{escape(' '.join(words[2:]))}"
    )


def _print_office_first(site: GallerySite) -> str:
    """Cards with the role in small type above the name, and single letters before telephone numbers."""
    cards = []
    for person in site.people:
        site.tell(person, phones=[person.phone, person.second_phone])
        cards.append(
            f'<div class="person"><span class="role">{escape(person.role)}</span>'
            f"<h3>{escape(person.titled)}</h3>"
            f"<p>T {person.phone}<br>M {person.second_phone}<br>E {person.mail}</p></div>"
        )
    return f'<div class="grid">{"".join(cards)}</div>'


def _print_grouped_table(site: GallerySite) -> str:
    """Table rows under headings that span all columns; roles on two lines; two telephone numbers in one
    cell.
    """
    rows = []
    half = len(site.people) // 2
    for idx, person in enumerate(site.people):
        if idx in (0, half):
            rows.append(f'<tr><th colspan="3">{site.say("groups")}</th></tr>')
        site.tell(person, phones=[person.phone, person.second_phone])
        rows.append(
            f"<tr><td>{escape(person.titled)}</td><td>{_break_role(person.role)}</td>"
            f"<td>{person.phone} / {person.second_phone}</td></tr>"
        )
    return f'<table class="views-table">{"".join(rows)}</table>'


def _print_institute(site: GallerySite) -> str:
    """Members of an institute in boxes: the name as a link, the role, then room and telephone number on
    one line.
    """
    boxes = []
    for person in site.people:
        site.tell(person, phones=[person.phone])
        boxes.append(
            f'<div class="mitglied"><p><a href="/people/x">{escape(person.titled)}</a></p>'
            f"<p>{escape(person.role)}</p>"
            f"<p>{site.rng.randint(1, 9)}.{site.rng.randint(10, 99)}, "
            f"{site.say('said')} {person.phone}</p></div>"
        )
    return "".join(boxes)


def _print_pairs(site: GallerySite) -> str:
    """Alternating paragraphs with role and name."""
    return "".join(
        f"<p><strong>{escape(each.role)}</strong></p><p>{escape(each.titled)}</p>"
        for each in list_people(site)
    )


def _print_people_terms(site: GallerySite) -> str:
    """A definition list with names as terms and everything else as definitions."""
    parts = []
    for person in site.people:
        site.tell(person, phones=[person.phone])
        site.contacts.append(("fax", person.fax))
        parts.append(
            f"<dt>{escape(person.titled)}</dt><dd>{escape(person.role)}</dd>"
            f"<dd>{site.say('said')}: {person.phone}</dd>"
            f"<dd>{site.say('fax')}: {person.fax}</dd><dd>{person.mail}</dd>"
        )
    return f"<dl>{''.join(parts)}</dl>"


def _print_figures(site: GallerySite) -> str:
    """Pictures with captions."""
    return "".join(
        f'<figure><img src="/x.jpg"><figcaption><b>{escape(each.name)}</b><br>'
        f"{_break_role(each.role)}</figcaption></figure>"
        for each in list_people(site)
    )


def _print_old_table(site: GallerySite) -> str:
    """Tables and font tags for layout: two people in a row, with role above name above telephone number."""
    cells = []
    for person in site.people:
        site.tell(person, phones=[person.phone])
        cells.append(
            f'<td align=center width="50%"><font size=2 color=navy><b>{escape(person.role)}</b></font><br>'
            f"<font size=3>{escape(person.name)}</font><br><font size=1>{person.phone}</font></td>"
        )
    rows = "".join(f"<tr>{''.join(cells[start : start + 2])}</tr>" for start in range(0, len(cells), 2))
    return f"<center><table border=1>{rows}</table></center>"


def _print_link_list(site: GallerySite) -> str:
    """Links to profiles, with the role next to each; contact data only as structured data."""
    told = {
        "@context": "https://schema.org",
        "@type": "LocalBusiness",
        "name": site.firm,
        "telephone": site.phone,
        "address": {
            "@type": "PostalAddress",
            "streetAddress": site.address[0],
            "addressLocality": " ".join(site.address[1:]),
        },
    }
    site.tell_contact()
    items = "".join(
        f'<li><a href="/team/{idx}">{escape(each.name)}</a><span>{escape(each.role)}</span></li>'
        for idx, each in enumerate(list_people(site))
    )
    data = json.dumps(told, ensure_ascii=False)
    return f'<ul class="people">{items}</ul><script type="application/ld+json">{data}</script>'


def _print_years(site: GallerySite) -> str:
    """A plain list with role, colon, name and years of service."""
    start = site.rng.randint(2012, 2022)
    items = "".join(
        f"<li>{escape(each.role)}: {escape(each.name)} ({start}–{start + 3})</li>"
        for each in list_people(site)
    )
    return f"<ul>{items}</ul>"


def _print_sheet(site: GallerySite) -> str:
    """A table without headers: name, role, telephone, email."""
    rows = []
    for person in site.people:
        site.tell(person, phones=[person.phone])
        rows.append(
            f"<tr><td>{escape(person.titled)}<td>{escape(person.role)}<td>{person.phone}<td>{person.mail}"
        )
    return f"<table>{''.join(rows)}</table>"


def _print_contact_boxes(site: GallerySite) -> str:
    """Boxes with headings above the address and the numbers, and nothing but values inside."""
    site.tell_contact()
    lines = "".join(f"<div>{escape(line)}</div>" for line in site.address)
    return (
        f'<div class="box"><h4>{site.say("where")}</h4>{lines}</div>'
        f'<div class="box"><h4>{site.say("said")}</h4><p>{site.phone}</p></div>'
        f'<div class="box"><h4>{site.say("mail")}</h4><p>{site.mail}</p></div>'
    )


def _print_foot_line(site: GallerySite) -> str:
    """Some people, and a single line at the bottom with address, telephone and fax."""
    site.tell_contact(fax=True)
    people = "".join(
        f"<h4>{escape(each.titled)}</h4><h5>{escape(each.role)}</h5><a href='/bio'>{site.say('more')}</a>"
        for each in list_people(site)
    )
    line = (
        f"{escape(', '.join(site.address))} · {site.say('said')} {site.phone} · {site.say('fax')} {site.fax}"
    )
    return f"{people}<hr><p><small>{line}</small></p>"


CLOSED_LAYOUTS: Mapping[str, Layout] = {
    "office first": _print_office_first,
    "grouped table": _print_grouped_table,
    "institute": _print_institute,
    "pairs": _print_pairs,
    "people terms": _print_people_terms,
    "figures": _print_figures,
    "old table": _print_old_table,
    "link list": _print_link_list,
    "years": _print_years,
    "sheet": _print_sheet,
    "contact boxes": _print_contact_boxes,
    "foot line": _print_foot_line,
}
