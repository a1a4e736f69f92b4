"""Pages of a department: home, admissions, people, courses with handouts, news and the like."""

import tomllib
from dataclasses import dataclass
from functools import cache
from html import escape
from importlib import resources
from random import Random

from portico.sample.banks import Bank, Scale
from portico.sample.markup import dress_page, make_bullets, make_link
from portico.sample.people import Department, FictitiousPerson
from portico.sample.placement import Address, Placement, WebFiles
from portico.sample.printing.handouts import (
    print_form,
    print_handout,
    print_homework,
    print_scan,
    print_slides,
    print_syllabus,
)
from portico.sample.works import to_title_case

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
    """One department with everything its pages mention."""

    department: Department
    people: tuple[FictitiousPerson, ...]
    banks: tuple[Bank, ...]
    placements: tuple[Placement, ...]  # papers by its people, on whatever host
    scale: Scale

    def address(self, path: str) -> Address:
        return Address(self.department.host, path)


@cache
def load_phrases() -> dict[str, list[str]]:
    """The phrases used on the pages, by where they occur."""
    text = resources.files("portico.sample").joinpath("pages.toml").read_text("utf-8")
    return tomllib.loads(text)


def add_page(building: WebFiles, campus: Campus, path: str, title: str, body: str) -> None:
    building.add(campus.address(path), dress_page(campus.department, title, body, MENU))


def add_department_pages(building: WebFiles, campus: Campus, rng: Random) -> None:
    """Add all pages that do not belong to a person, a project or a list of publications."""
    _add_entrance(building, campus)
    _add_admissions(building, campus)
    _add_people_lists(building, campus)
    _add_courses(building, campus, rng)
    _add_news(building, campus, rng)
    _add_odds_and_ends(building, campus, rng)


def write_paragraphs(place: str, campus: Campus, **slots: str) -> str:
    words = {"university": campus.department.university, "department": campus.department.name, **slots}
    return "".join(f"<p>{escape(text.format(**words))}</p>\n" for text in load_phrases()[place])


def _add_entrance(building: WebFiles, campus: Campus) -> None:
    welcome = write_paragraphs("about", campus)
    doors = make_bullets(
        [
            make_link("people/index.html", "People") + ": faculty, staff and students",
            make_link("research.html", "Research") + ": projects, publications and technical reports",
            make_link("courses/", "Courses") + " of this year",
            make_link("admissions/index.html", "Admissions"),
            make_link("news/", "News") + " and the " + make_link("/calendar/", "calendar of events"),
            make_link("facilities.html", "Facilities"),
            make_link("contact.html", "How to find us"),
        ]
    )
    add_page(building, campus, "/index.html", f"Welcome to the {campus.department.name}", welcome + doors)
    add_page(
        building,
        campus,
        "/about.html",
        "About the department",
        welcome + make_link("/history.html", "Our history"),
    )
    research = make_bullets(
        [
            make_link("/projects/", "Projects"),
            make_link("/pubs/", "Publications by year"),
            make_link("/techreports/index.html", "Technical reports"),
            make_link("/library/", "The reading room") + " (needs frames)",
        ]
    )
    areas = ", ".join(bank.path[-1] for bank in campus.banks)
    add_page(
        building, campus, "/research.html", "Research", f"<p>Areas of work: {escape(areas)}.</p>\n{research}"
    )


def _add_admissions(building: WebFiles, campus: Campus) -> None:
    words = load_phrases()["admissions"]
    parts = ("graduate", "undergraduate", "support", "visiting")[: 4 if campus.scale.n_subpages else 1]
    body = write_paragraphs("admissions", campus) + make_bullets(
        make_link(f"{part}.html", f"{part.title()} studies") for part in parts
    )
    body += f"<p>{make_link('application-form.pdf', 'Application form (PDF)')}</p>"
    add_page(building, campus, "/admissions/index.html", "Admissions", body)
    for idx, part in enumerate(parts):
        text = (
            f"<p>{escape(words[idx])}</p>\n<p>{escape(words[-1 - idx])}</p>\n{make_link('./', 'Admissions')}"
        )
        add_page(building, campus, f"/admissions/{part}.html", f"{part.title()} studies", text)
    form = print_form(campus.department, "Application for Admission")
    building.add_other(campus.address("/admissions/application-form.pdf"), form, "form")


def _add_people_lists(building: WebFiles, campus: Campus) -> None:
    rows = [
        make_link(f"/~{person.login}/", person.full_name) + f", {person.role}" for person in campus.people
    ]
    add_page(building, campus, "/people/index.html", "People", make_bullets(rows))
    students = [row for row in rows if "Student" in row]
    faculty = [row for row in rows if "Professor" in row]
    add_page(
        building,
        campus,
        "/people/faculty.html",
        "Faculty",
        make_bullets(faculty) + make_link("../people/", "Everybody"),
    )
    add_page(
        building,
        campus,
        "/people/students.html",
        "Graduate students",
        make_bullets(students) + make_link("/people", "Everybody"),
    )


def _add_courses(building: WebFiles, campus: Campus, rng: Random) -> None:
    entries = []
    for idx in range(campus.scale.n_courses):
        bank = campus.banks[idx % len(campus.banks)]
        number = 101 + idx * 37
        teacher = campus.people[idx % len(campus.people)]
        name = f"CS {number}: {to_title_case(bank.keywords[idx % len(bank.keywords)])}"
        folder = f"/courses/cs{number}"
        entries.append(
            make_link(f"cs{number}/", name) + " (" + make_link(f"/~{teacher.login}/", teacher.surname) + ")"
        )
        _add_course(building, campus, rng, (bank, name, folder, teacher))
    add_page(building, campus, "/courses/index.html", "Courses", make_bullets(entries))


def _add_course(
    building: WebFiles, campus: Campus, rng: Random, course: tuple[Bank, str, str, FictitiousPerson]
) -> None:
    bank, name, folder, teacher = course
    topic = bank.keywords[0]
    about = write_paragraphs("course", campus, topic=topic)
    doors = make_bullets(
        [
            make_link("syllabus.pdf", "Syllabus"),
            make_link("assignments.html", "Assignments"),
            make_link("lectures.html", "Lecture notes"),
        ]
    )
    add_page(building, campus, f"{folder}/index.html", name, about + doors)
    homework = [make_link(f"hw{n}.pdf", f"Homework {n}") + f", due in week {2 * n}" for n in (1, 2)]
    add_page(
        building,
        campus,
        f"{folder}/assignments.html",
        f"{name}: assignments",
        make_bullets(homework) + make_link("./", "Up"),
    )
    notes = [make_link("handout1.pdf", "Handout 1"), make_link("slides.pdf", "Slides of the first lecture")]
    add_page(
        building,
        campus,
        f"{folder}/lectures.html",
        f"{name}: lectures",
        make_bullets(notes) + make_link("index.html", "Up"),
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


def _add_news(building: WebFiles, campus: Campus, rng: Random) -> None:
    entries = []
    for idx in range(campus.scale.n_news):
        pattern = load_phrases()["news"][idx % len(load_phrases()["news"])]
        person = rng.choice(campus.people)
        topic = rng.choice(rng.choice(campus.banks).keywords)
        text = pattern.format(name=person.full_name, topic=topic, number=rng.randint(8, 90))
        entries.append(make_link(f"item{idx + 1}.html", text))
        about = make_link(f"/~{person.login}/", person.full_name)
        body = f"<p>{escape(text)}</p>\n<p>{about}</p>\n{make_link('.', 'All news')}"
        add_page(building, campus, f"/news/item{idx + 1}.html", f"News item {idx + 1}", body)
    add_page(building, campus, "/news/index.html", "News", make_bullets(entries))


def _add_odds_and_ends(building: WebFiles, campus: Campus, rng: Random) -> None:
    facilities = write_paragraphs("facilities", campus) + make_link(
        "/scans/floorplan.pdf", "Floor plan (scanned)"
    )
    add_page(building, campus, "/facilities.html", "Facilities", facilities)
    building.add_other(campus.address("/scans/floorplan.pdf"), print_scan(rng), "scan")
    where = f"<p>{escape(campus.department.address)}</p>{make_link('/facilities.html', 'Facilities')}"
    add_page(building, campus, "/contact.html", "How to find us", where)
    history = write_paragraphs("about", campus) + make_bullets(
        [
            make_link("/alumni/index.html", "Alumni"),
            make_link("/archive.html", "Old addresses"),
        ]  # the alumni page does not exist
    )
    add_page(building, campus, "/history.html", "Our history", history)
