"""A department's own pages: home, admissions, people, courses with hand-outs, news and the like."""

import tomllib
from dataclasses import dataclass
from functools import cache
from html import escape
from importlib import resources
from random import Random

from portico.sample.banks import Bank
from portico.sample.building import Building
from portico.sample.handouts import (
    print_form,
    print_handout,
    print_homework,
    print_scan,
    print_slides,
    print_syllabus,
)
from portico.sample.markup import bullets, dress, link
from portico.sample.people import Department, Person
from portico.sample.placement import Address, Placement
from portico.sample.scale import Scale
from portico.sample.works import title_case

MENU = (
    ("/", "Home"),
    ("/about.html", "About"),
    ("/people/", "People"),
    ("/courses/index.html", "Courses"),
    ("/admissions/", "Admissions"),
    ("/research.html", "Research"),
    ("/news/", "News"),
)


@dataclass(frozen=True, slots=True)
class Campus:
    """One department with everything its pages speak of."""

    department: Department
    people: tuple[Person, ...]
    banks: tuple[Bank, ...]
    placements: tuple[Placement, ...]  # papers by its people, wherever they lie
    scale: Scale

    def address(self, path: str) -> Address:
        return Address(self.department.host, path)


@cache
def phrases() -> dict[str, list[str]]:
    """The words of the pages, by their place."""
    text = resources.files("portico.sample").joinpath("pages.toml").read_text("utf-8")
    return tomllib.loads(text)


def add_page(building: Building, campus: Campus, path: str, title: str, body: str) -> None:
    building.add(campus.address(path), dress(campus.department, title, body, MENU))


def add_department_pages(building: Building, campus: Campus, rng: Random) -> None:
    """All pages that do not belong to a person, a project or a list of publications."""
    _add_entrance(building, campus)
    _add_admissions(building, campus)
    _add_people_lists(building, campus)
    _add_courses(building, campus, rng)
    _add_news(building, campus, rng)
    _add_odds_and_ends(building, campus, rng)


def paragraphs(place: str, campus: Campus, **slots: str) -> str:
    words = {"university": campus.department.university, "department": campus.department.name, **slots}
    return "".join(f"<p>{escape(text.format(**words))}</p>\n" for text in phrases()[place])


def _add_entrance(building: Building, campus: Campus) -> None:
    welcome = paragraphs("about", campus)
    doors = bullets(
        [
            link("people/index.html", "People") + ": faculty, staff and students",
            link("research.html", "Research") + ": projects, publications and technical reports",
            link("courses/", "Courses") + " of this year",
            link("admissions/index.html", "Admissions"),
            link("news/", "News") + " and the " + link("/calendar/", "calendar of events"),
            link("facilities.html", "Facilities"),
            link("contact.html", "How to find us"),
        ]
    )
    add_page(building, campus, "/index.html", f"Welcome to the {campus.department.name}", welcome + doors)
    add_page(
        building,
        campus,
        "/about.html",
        "About the department",
        welcome + link("/history.html", "Our history"),
    )
    research = bullets(
        [
            link("/projects/", "Projects"),
            link("/pubs/", "Publications by year"),
            link("/techreports/index.html", "Technical reports"),
            link("/library/", "The reading room") + " (needs frames)",
        ]
    )
    areas = ", ".join(bank.path[-1] for bank in campus.banks)
    add_page(
        building, campus, "/research.html", "Research", f"<p>Areas of work: {escape(areas)}.</p>\n{research}"
    )


def _add_admissions(building: Building, campus: Campus) -> None:
    words = phrases()["admissions"]
    parts = ("graduate", "undergraduate", "support", "visiting")[: 4 if campus.scale.n_subpages else 1]
    body = paragraphs("admissions", campus) + bullets(
        link(f"{part}.html", f"{part.title()} studies") for part in parts
    )
    body += f"<p>{link('application-form.pdf', 'Application form (PDF)')}</p>"
    add_page(building, campus, "/admissions/index.html", "Admissions", body)
    for idx, part in enumerate(parts):
        text = f"<p>{escape(words[idx])}</p>\n<p>{escape(words[-1 - idx])}</p>\n{link('./', 'Admissions')}"
        add_page(building, campus, f"/admissions/{part}.html", f"{part.title()} studies", text)
    form = print_form(campus.department, "Application for Admission")
    building.add_other(campus.address("/admissions/application-form.pdf"), form, "form")


def _add_people_lists(building: Building, campus: Campus) -> None:
    rows = [link(f"/~{person.login}/", person.full_name) + f", {person.role}" for person in campus.people]
    add_page(building, campus, "/people/index.html", "People", bullets(rows))
    students = [row for row in rows if "Student" in row]
    faculty = [row for row in rows if "Professor" in row]
    add_page(
        building,
        campus,
        "/people/faculty.html",
        "Faculty",
        bullets(faculty) + link("../people/", "Everybody"),
    )
    add_page(
        building,
        campus,
        "/people/students.html",
        "Graduate students",
        bullets(students) + link("/people", "Everybody"),
    )


def _add_courses(building: Building, campus: Campus, rng: Random) -> None:
    entries = []
    for idx in range(campus.scale.n_courses):
        bank = campus.banks[idx % len(campus.banks)]
        number = 101 + idx * 37
        teacher = campus.people[idx % len(campus.people)]
        name = f"CS {number}: {title_case(bank.keywords[idx % len(bank.keywords)])}"
        folder = f"/courses/cs{number}"
        entries.append(link(f"cs{number}/", name) + " (" + link(f"/~{teacher.login}/", teacher.surname) + ")")
        _add_course(building, campus, rng, (bank, name, folder, teacher))
    add_page(building, campus, "/courses/index.html", "Courses", bullets(entries))


def _add_course(
    building: Building, campus: Campus, rng: Random, course: tuple[Bank, str, str, Person]
) -> None:
    bank, name, folder, teacher = course
    topic = bank.keywords[0]
    about = paragraphs("course", campus, topic=topic)
    doors = bullets(
        [
            link("syllabus.pdf", "Syllabus"),
            link("assignments.html", "Assignments"),
            link("lectures.html", "Lecture notes"),
        ]
    )
    add_page(building, campus, f"{folder}/index.html", name, about + doors)
    homework = [link(f"hw{n}.pdf", f"Homework {n}") + f", due in week {2 * n}" for n in (1, 2)]
    add_page(
        building,
        campus,
        f"{folder}/assignments.html",
        f"{name}: assignments",
        bullets(homework) + link("./", "Up"),
    )
    notes = [link("handout1.pdf", "Handout 1"), link("slides.pdf", "Slides of the first lecture")]
    add_page(
        building,
        campus,
        f"{folder}/lectures.html",
        f"{name}: lectures",
        bullets(notes) + link("index.html", "Up"),
    )
    files = {
        "syllabus.pdf": (print_syllabus(rng, bank, name, teacher), "syllabus"),
        "hw1.pdf": (print_homework(rng, bank, name, 1), "homework"),
        "hw2.pdf": (print_homework(rng, bank, name, 2), "homework"),
        "handout1.pdf": (print_handout(rng, bank, name, 1), "handout"),
        "slides.pdf": (print_slides(rng, bank, teacher.full_name), "slides"),
    }
    for file, (body, kind) in files.items():
        building.add_other(campus.address(f"{folder}/{file}"), body, kind)


def _add_news(building: Building, campus: Campus, rng: Random) -> None:
    entries = []
    for idx in range(campus.scale.n_news):
        pattern = phrases()["news"][idx % len(phrases()["news"])]
        person = rng.choice(campus.people)
        topic = rng.choice(rng.choice(campus.banks).keywords)
        text = pattern.format(name=person.full_name, topic=topic, number=rng.randint(8, 90))
        entries.append(link(f"item{idx + 1}.html", text))
        about = link(f"/~{person.login}/", person.full_name)
        body = f"<p>{escape(text)}</p>\n<p>{about}</p>\n{link('.', 'All news')}"
        add_page(building, campus, f"/news/item{idx + 1}.html", f"News item {idx + 1}", body)
    add_page(building, campus, "/news/index.html", "News", bullets(entries))


def _add_odds_and_ends(building: Building, campus: Campus, rng: Random) -> None:
    facilities = paragraphs("facilities", campus) + link("/scans/floorplan.pdf", "Floor plan (scanned)")
    add_page(building, campus, "/facilities.html", "Facilities", facilities)
    building.add_other(campus.address("/scans/floorplan.pdf"), print_scan(rng), "scan")
    where = f"<p>{escape(campus.department.address)}</p>{link('/facilities.html', 'Facilities')}"
    add_page(building, campus, "/contact.html", "How to find us", where)
    history = paragraphs("about", campus) + bullets(
        [
            link("/alumni/index.html", "Alumni"),
            link("/archive.html", "Old addresses"),
        ]  # nobody wrote the first
    )
    add_page(building, campus, "/history.html", "Our history", history)
