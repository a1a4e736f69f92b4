"""Layouts of the gallery that the authors of the rules saw."""

from collections.abc import Mapping
from html import escape

from portico.lab.datasets.gallery import GallerySite, Layout, list_people


def _print_team_cards(site: GallerySite) -> str:
    """Cards as made by a page builder: picture, name, role, a sentence, links to social networks."""
    has_about = site.rng.random() < 0.5
    tag = site.rng.choice(("h3", "h4", "h5"))
    cards = []
    for person in list_people(site):
        about = f"<p>{site.say('prose')}</p>" if has_about else ""
        cards.append(
            f'<div class="col-md-4"><div class="team-member"><img src="/t.jpg" alt="{escape(person.name)}">'
            f'<{tag}>{escape(person.titled)}</{tag}><p class="text-muted">{escape(person.role)}</p>{about}'
            '<ul class="social"><li><a href="https://linkedin.example/x">LinkedIn</a></li>'
            f'<li><a href="mailto:{person.mail}">{site.words["mail"]}</a></li></ul></div></div>'
        )
    return f'<section class="team"><div class="row">{"".join(cards)}</div></section>'


def _print_directory(site: GallerySite) -> str:
    """A directory sorted by surname: Last, First; position; room; telephone; email."""
    words = site.words
    heads = (
        words["name"],
        words["role"],
        "Room" if site.language == "en" else "Nr.",
        site.say("said"),
        words["mail"],
    )
    head = "".join(f"<th>{escape(each)}</th>" for each in heads)
    rows = []
    for person in sorted(site.people, key=lambda one: one.family):
        site.tell(person, phones=[person.phone])
        room = f"{site.rng.choice('ABC')} {site.rng.randint(1, 4)}.{site.rng.randint(10, 40)}"
        cells = (
            f'<a href="/p">{escape(person.reversed_name)}</a>',
            escape(person.role),
            room,
            person.phone,
            person.mail,
        )
        rows.append("<tr>" + "".join(f"<td>{cell}</td>" for cell in cells) + "</tr>")
    return f'<table class="directory"><thead><tr>{head}</tr></thead><tbody>{"".join(rows)}</tbody></table>'


def _print_club_table(site: GallerySite) -> str:
    """A club's board: the role on the left, name with telephone and email in the cell on the right."""
    rows = []
    for person in site.people:
        site.tell(person, phones=[person.phone])
        rows.append(
            f"<tr><td valign=top><b>{escape(person.role)}</b></td><td>{escape(person.titled)}<br>"
            f'{site.say("said")} {person.phone}<br><a href="mailto:{person.mail}">{person.mail}</a></td></tr>'
        )
    return f"<table border=0 cellpadding=4>{''.join(rows)}</table>"


def _print_terms(site: GallerySite) -> str:
    """A definition list with roles as terms and names as definitions."""
    return (
        "<dl>"
        + "".join(f"<dt>{escape(each.role)}</dt><dd>{escape(each.titled)}</dd>" for each in list_people(site))
        + "</dl>"
    )


def _print_microdata(site: GallerySite) -> str:
    """People with microdata in the markup."""
    people = []
    for person in site.people:
        site.tell(person, phones=[person.phone])
        people.append(
            '<li itemscope itemtype="https://schema.org/Person">'
            f'<span itemprop="name">{escape(person.name)}</span> '
            f'<em itemprop="jobTitle">{escape(person.role)}</em> '
            f'<span itemprop="telephone">{person.phone}</span></li>'
        )
    return f"<ul>{''.join(people)}</ul>"


def _print_typewriter(site: GallerySite) -> str:
    """Columns made with spaces or dots, as on pages of the 1990s."""
    width = max(len(person.role) for person in site.people) + 4
    lines = []
    for person in list_people(site):
        fill = site.rng.choice((" ", "."))
        lines.append(f"{escape(person.role)} {fill * (width - len(person.role))} {escape(person.titled)}")
    return f"<pre>\n{chr(10).join(lines)}\n</pre>"


def _print_bold_offices(site: GallerySite) -> str:
    """One paragraph: each role in bold with a colon, followed by the name."""
    tag = site.rng.choice(("b", "strong"))
    lines = [f"<{tag}>{escape(each.role)}:</{tag}> {escape(each.titled)}" for each in list_people(site)]
    return f"<p>{'<br>'.join(lines)}</p>"


def _print_profile(site: GallerySite) -> str:
    """A page about one person, with contact data next to the text."""
    person = site.people[0]
    site.tell(person, phones=[person.phone])
    site.contacts.append(("fax", person.fax))
    reached = "".join(
        f"<dt>{label}</dt><dd>{value}</dd>"
        for label, value in (
            (site.say("said"), person.phone),
            (site.say("fax"), person.fax),
            (site.say("mail"), person.mail),
        )
    )
    prose = "".join(f"<p>{site.say('prose')}</p>" for _ in range(3))
    return (
        f'<article><h2 class="name">{escape(person.titled)}</h2><p class="position">{escape(person.role)}</p>'
        f"{prose}</article><aside><dl>{reached}</dl></aside>"
    )


def _print_accordion(site: GallerySite) -> str:
    """Name and role on a line that unfolds a text."""
    between = site.rng.choice((", ", " – ", " | "))
    parts = [
        f"<details><summary>{escape(each.name)}{between}{escape(each.role)}</summary>"
        f"<p>{site.say('prose')} {site.say('prose')}</p></details>"
        for each in list_people(site)
    ]
    return "".join(parts)


def _print_offices(site: GallerySite) -> str:
    """Contact data of the organisation: address in lines, two telephone numbers and a fax number in one
    cell.
    """
    second = site.people[0].phone
    site.tell_contact(fax=True)
    site.contacts.append(("phone", second))
    lines = "<br>".join(map(escape, site.address))
    return (
        f"<table><tr><td>{lines}</td><td>{site.say('said')}: {site.phone} / {second}<br>"
        f"{site.say('fax')}: {site.fax}<br>{site.say('mail')}: {site.mail}</td></tr></table>"
    )


def _print_committee(site: GallerySite) -> str:
    """A list of names and roles in the most frequent form."""
    between = site.rng.choice((", ", " (", " - "))
    end = ")" if between == " (" else ""
    items = "".join(
        f"<li>{escape(each.titled if between != ', ' else each.name)}{between}{escape(each.role)}{end}</li>"
        for each in list_people(site)
    )
    return f"<h3>{site.say('groups')}</h3><ul>{items}</ul>"


def _print_imprint(site: GallerySite) -> str:
    """An imprint: name of the organisation, address, numbers with labels in bold, telephone links."""
    site.tell_contact(fax=True)
    lines = "<br>".join(map(escape, site.address))
    dialed = "".join(sign for sign in site.phone if sign.isdigit() or sign == "+")
    return (
        f"<p><strong>{escape(site.firm)}</strong><br>{lines}</p>"
        f'<p><b>{site.say("said")}</b> <a href="tel:{dialed}">{site.phone}</a><br>'
        f"<b>{site.say('fax')}</b> {site.fax}<br>"
        f'<b>{site.say("mail")}</b> <a href="mailto:{site.mail}">{site.mail}</a></p>'
    )


OPEN_LAYOUTS: Mapping[str, Layout] = {
    "team cards": _print_team_cards,
    "directory": _print_directory,
    "club table": _print_club_table,
    "terms": _print_terms,
    "microdata": _print_microdata,
    "typewriter": _print_typewriter,
    "bold offices": _print_bold_offices,
    "profile": _print_profile,
    "accordion": _print_accordion,
    "offices": _print_offices,
    "committee": _print_committee,
    "imprint": _print_imprint,
}
