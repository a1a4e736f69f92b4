"""Pages that lead to papers: people, projects, yearly lists, technical reports, framesets."""

from collections import defaultdict
from html import escape
from random import Random

from portico.sample.department_pages import Campus, add_page, load_phrases, write_paragraphs
from portico.sample.markup import dress_page, make_bullets, make_link
from portico.sample.people import FictitiousPerson
from portico.sample.placement import Address, Placement, WebFiles
from portico.sample.printing.handouts import print_cv, print_slides
from portico.sample.works import Work

FORMAT_NAMES = {"pdf": "PDF", "ps": "PostScript", "ps.gz": "compressed PostScript"}


def add_research_pages(building: WebFiles, campus: Campus, rng: Random) -> None:
    """Add all pages of one department that list papers."""
    shelves: dict[str, list[Placement]] = defaultdict(list)
    for placement in campus.placements:
        if placement.work.department == campus.department.key:
            shelves[placement.shelf].append(placement)
    _add_years(building, campus, shelves["yearly"])
    _add_reports(building, campus, shelves["reports"])
    _add_projects(building, campus, shelves["project"])
    _add_library(building, campus, shelves["library"])
    for person in campus.people:
        _add_person(building, campus, person, rng)


def describe(work: Work) -> str:
    """One line of a publication list."""
    names = ", ".join(author.full_name for author in work.authors)
    return f"{escape(names)}. <i>{escape(work.title)}</i>. {escape(work.venue.full)}, {work.year}."


def _entry(placement: Placement, host: str) -> str:
    """One line of a publication list, with a link for every URL of the paper on this host."""
    links = []
    for file in placement.files:
        for address in file.addresses:
            if address.host == host:
                path = address.path + (f"?{address.query}" if address.query else "")
                links.append(make_link(path, FORMAT_NAMES[file.extension]))
    return describe(placement.work) + (f" [{' | '.join(links)}]" if links else "")


def _add_years(building: WebFiles, campus: Campus, placements: list[Placement]) -> None:
    years = sorted({placement.work.year for placement in placements})
    body = make_bullets(make_link(f"{year}/", f"Publications of {year}") for year in years)
    add_page(building, campus, "/pubs/index.html", "Publications by year", body)
    for year in years:
        entries = [_entry(p, campus.department.host) for p in placements if p.work.year == year]
        more = [describe(p.work) for p in campus.placements if p.work.year == year and p not in placements]
        body = (
            make_bullets(entries)
            + "<p>Also of this year, available from the authors:</p>\n"
            + make_bullets(more[:6])
        )
        add_page(
            building,
            campus,
            f"/pubs/{year}/index.html",
            f"Publications of {year}",
            body + make_link("..", "Other years"),
        )


def _add_reports(building: WebFiles, campus: Campus, placements: list[Placement]) -> None:
    rows = []
    for idx, placement in enumerate(sorted(placements, key=lambda p: (p.work.year, p.work.id)), start=1):
        abstract = f"abstract{idx:02d}.html"
        authors = ", ".join(author.surname for author in placement.work.authors)
        number = placement.files[0].addresses[0].path.rsplit("/", 1)[1].split(".", 1)[0]
        rows.append(
            f"<tr><td>{make_link(abstract, number)}</td><td>{escape(placement.work.title)}</td>"
            f"<td>{escape(authors)}</td></tr>\n"
        )
        body = f"<p>{_entry(placement, campus.department.host)}</p>\n"
        body += f"<p>{escape(placement.work.bank.problems[0])}</p>\n"
        body += make_link("index.html", "All reports")
        add_page(building, campus, f"/techreports/{abstract}", f"Report {number}", body)
    table = (
        "<table border=1>\n<tr><th>Number</th><th>Title</th><th>Authors</th></tr>\n"
        + "".join(rows)
        + "</table>\n"
    )
    add_page(building, campus, "/techreports/index.html", "Technical reports", table)


def _add_projects(building: WebFiles, campus: Campus, placements: list[Placement]) -> None:
    by_topic: dict[str, list[Placement]] = defaultdict(list)
    for placement in placements:
        by_topic[placement.work.bank.key].append(placement)
    doors = []
    for key, group in sorted(by_topic.items()):
        bank, folder = group[0].work.bank, f"/projects/{key.replace('_', '-')}"
        name = f"The {bank.systems[0]} project"
        doors.append(make_link(f"{folder.rsplit('/', 1)[1]}/", name) + f": {escape(bank.path[-1])}")
        about = write_paragraphs("project", campus, topic=bank.keywords[0])
        body = about + make_bullets(
            [make_link("papers.html", "Papers"), make_link("members.html", "Members")]
        )
        add_page(building, campus, f"{folder}/index.html", name, body)
        papers = make_bullets(_entry(placement, campus.department.host) for placement in group)
        add_page(building, campus, f"{folder}/papers.html", f"{name}: papers", papers)
        members = sorted({p.owner for p in group}, key=lambda person: person.surname)
        rows = make_bullets(make_link(f"/%7E{person.login}/", person.full_name) for person in members)
        add_page(building, campus, f"{folder}/members.html", f"{name}: members", rows)
    add_page(building, campus, "/projects/index.html", "Projects", make_bullets(doors))


def _add_library(building: WebFiles, campus: Campus, placements: list[Placement]) -> None:
    """A frameset; only one of its frames links to the papers."""
    frames = (
        f"<html><head><title>Reading room, {escape(campus.department.university)}</title></head>\n"
        '<frameset cols="220,*">\n<frame src="contents.html" name="contents">\n'
        '<frame src="welcome.html" name="main">\n'
        "<noframes><body>Your browser does not show frames.</body></noframes>\n</frameset></html>\n"
    )
    building.add(
        campus.address("/library/index.html"), frames.encode(campus.department.charset, "xmlcharrefreplace")
    )
    rows = "".join(
        f"<dt>{escape(p.owner.surname)}<dd>{_entry(p, campus.department.host)}\n" for p in placements
    )
    contents = f'<base target="main">\n<dl>\n{rows}</dl>\n'
    building.add(
        campus.address("/library/contents.html"), dress_page(campus.department, "Reading room", contents)
    )
    welcome = "<p>Choose a paper on the left. Copies are for members and their guests.</p>"
    building.add(
        campus.address("/library/welcome.html"), dress_page(campus.department, "Reading room", welcome)
    )


def _add_person(building: WebFiles, campus: Campus, person: FictitiousPerson, rng: Random) -> None:
    home = f"/~{person.login}"
    bank = rng.choice(campus.banks)
    intro = f"<p>{escape(rng.choice(load_phrases()['person']).format(topic=rng.choice(bank.keywords)))}</p>\n"
    hobby = rng.choice(load_phrases()["hobby"])
    intro += f"<p>{escape(f'{person.role}, {campus.department.name}. {hobby}')}</p>\n"
    doors = [make_link("pubs.html", "Publications")]
    doors += [
        make_link(f"{part}.html", part.title())
        for part in ("research", "teaching", "links")[: campus.scale.n_subpages]
    ]
    own = [p for p in campus.placements if person in p.work.authors]
    if rng.random() < 0.2:
        cv = print_cv(person, campus.department, [p.work for p in own])
        building.add_other(campus.address(f"{home}/cv.pdf"), cv, "cv")
        doors.append(make_link("cv.pdf", "Curriculum vitae"))
    if rng.random() < 0.2:
        slides = print_slides(rng, bank, person.full_name)
        building.add_other(campus.address(f"{home}/talks/colloquium.pdf"), slides, "slides")
        doors.append(make_link("talks/colloquium.pdf", "Slides of a recent talk"))
    base = f'<base href="http://{campus.department.host}{home}/">\n' if rng.random() < 0.2 else ""
    add_page(building, campus, f"{home}/index.html", person.full_name, base + intro + make_bullets(doors))
    _add_publications(building, campus, person)
    if campus.scale.n_subpages:
        _add_subpages(building, campus, person, rng)


def _add_publications(building: WebFiles, campus: Campus, person: FictitiousPerson) -> None:
    """A list of publications with links to the papers stored here; those that only another list links to
    are plain lines.
    """
    home = f"/~{person.login}/"
    entries = []
    for placement in sorted(campus.placements, key=lambda p: (-p.work.year, p.work.id)):
        if person not in placement.work.authors or placement.shelf == "orphan":
            continue
        mine = any(
            a.host == campus.department.host and a.path.startswith(home) for a in _addresses(placement)
        )
        listed = placement.shelf in ("robots", "personal") or mine
        entries.append(_entry(placement, campus.department.host) if listed else describe(placement.work))
    body = make_bullets(entries) if entries else "<p>In preparation.</p>"
    add_page(
        building,
        campus,
        f"{home}pubs.html",
        f"Publications of {person.full_name}",
        body + make_link("./index.html", "Home"),
    )


def _addresses(placement: Placement) -> list[Address]:
    return [address for file in placement.files for address in file.addresses]


def _add_subpages(building: WebFiles, campus: Campus, person: FictitiousPerson, rng: Random) -> None:
    home = f"/~{person.login}"
    bank = rng.choice(campus.banks)
    questions, views = " ".join(rng.sample(bank.problems, 2)), " ".join(rng.sample(bank.claims, 3))
    research = f"<p>{escape(questions)}</p>\n<p>{escape(views)}</p>"
    add_page(
        building,
        campus,
        f"{home}/research.html",
        f"Research of {person.full_name}",
        research + make_link("./", "Home"),
    )
    teaching = (
        "<p>This term: see the "
        + make_link("/courses/", "list of courses")
        + ".</p>"
        + write_paragraphs("course", campus, topic=bank.keywords[1])
    )
    add_page(building, campus, f"{home}/teaching.html", "Teaching", teaching)
    rows = [
        make_link(f"http://www.elsewhere.test/{idx}.html", words)
        for idx, words in enumerate(load_phrases()["links"])
    ]
    colleague = rng.choice(campus.people)
    rows.append(
        make_link(f"/~{colleague.login}", colleague.full_name)
    )  # without the slash: the server redirects
    add_page(building, campus, f"{home}/links.html", "Links", make_bullets(rows[:2] + rows[-1:]))
