"""Prints PDF files that are not papers: slides, forms, homework, syllabi, CVs and scanned pages."""

from collections.abc import Sequence
from random import Random

from portico.sample.banks import Bank
from portico.sample.people import Department, FictitiousPerson
from portico.sample.printing.pages import PageCopy, PageShape, pour_pages
from portico.sample.printing.pdf import LETTER, Face, GrayImage, PdfInfo, PdfPage, write_pdf
from portico.sample.printing.typesetting import (
    CENTURY,
    HELVETICA,
    TIMES,
    Paragraph,
    Strip,
    set_paragraph,
    set_plain,
)
from portico.sample.works import Work, to_title_case

SLIDE = PageShape((792.0, 612.0), 72, 72, 72, 60)
SHEET = PageShape(LETTER, 84, 84, 80, 80)
SCAN_WIDTH, SCAN_HEIGHT = 425, 550  # pixels: 50 to the inch
PAPER_GRAIN = bytes(245 + noise % 11 for noise in range(256))  # maps any byte to a shade near white


def print_slides(rng: Random, bank: Bank, speaker: str) -> bytes:
    """Slides of a talk: a title slide, then pages in landscape with a few words each."""
    topic = rng.choice(bank.keywords)
    sheets = _slide(to_title_case(topic), [speaker, "Department colloquium"])
    for idx in range(rng.randint(5, 9)):
        heading = to_title_case(rng.choice(bank.objects)) if idx else "Outline"
        points = [rng.choice(bank.tasks) for _ in range(2)] + [_shortened(rng.choice(bank.claims))]
        sheets += _slide(heading, [f"• {point}" for point in points])
    return write_pdf(sheets + _slide("Questions?", ["Thank you"]), PdfInfo(title="Slide 1"))


def print_form(department: Department, name: str) -> bytes:
    """A form to be filled in by hand."""
    labels = (
        "Family name",
        "Given names",
        "Date of birth",
        "Address",
        "Telephone",
        "Previous degree",
        "Date",
        "Signature",
    )
    strips = _headed(department.university, name)
    strips += _text(
        f"Please print. Return this form to the office of the {department.name} before the deadline."
    )
    for label in labels:
        strips += [Strip(16), *_text(f"{label}:"), Strip(8, drawing=b"0.5 w 110 8 m 430 8 l S\n")]
    return _print(strips, "form")


def print_homework(rng: Random, bank: Bank, course: str, number: int) -> bytes:
    """A problem set with points and a due date."""
    strips = _headed(course, f"Homework {number}")
    strips += _text(f"Due in class, week {number * 2}. Work alone; late solutions lose ten points a day.")
    for idx in range(1, rng.randint(4, 7)):
        method, task = rng.choice(bank.methods), rng.choice(bank.tasks)
        question = rng.choice(
            (
                f"Explain in your own words the role of {rng.choice(bank.objects)} in {task}.",
                f"Implement {method} and measure {rng.choice(bank.measures)} on {rng.choice(bank.settings)}.",
                f"True or false? Justify your answer. {rng.choice(bank.claims)}",
                f"Compare {method} with the method from the lecture. Which would you choose, and why?",
            )
        )
        strips += [Strip(10), *_text(f"{idx}. ({rng.choice((5, 10, 15, 20))} points) {question}")]
    return _print(strips, f"hw{number}")


def print_syllabus(rng: Random, bank: Bank, course: str, teacher: FictitiousPerson) -> bytes:
    """Meeting times, grading and the schedule of a term."""
    strips = _headed(course, "Syllabus")
    strips += _text(
        f"Instructor: {teacher.full_name}. Lectures on Monday and Wednesday at 10:30. "
        "Office hours by appointment."
    )
    strips += [
        Strip(8),
        *_text("Grading: homework 40 percent, midterm 20 percent, final examination 40 percent."),
    ]
    for week, task in enumerate(rng.sample(bank.tasks, 10), start=1):
        strips += [Strip(4), *_text(f"Week {week}: {task}")]
    return _print(strips, "syllabus")


def print_handout(rng: Random, bank: Bank, course: str, number: int) -> bytes:
    """Notes for one lecture: definitions and remarks, no references."""
    strips = _headed(course, f"Handout {number}: {to_title_case(rng.choice(bank.keywords))}")
    for _ in range(4):
        claims = " ".join(rng.sample(bank.claims, 4))
        strips += [Strip(8), *_text(claims)]
    strips += [Strip(10), *_text("Read the chapter on this subject in the textbook before the next lecture.")]
    return _print(strips, f"handout{number}")


def print_cv(person: FictitiousPerson, department: Department, works: Sequence[Work]) -> bytes:
    """A curriculum vitae: positions, education, publications, teaching."""
    strips = _headed("Curriculum Vitae", person.full_name)
    strips += _text(f"{person.role}, {department.name}, {department.university}, {department.address}")
    for heading, lines in (
        (
            "Education",
            ("Ph.D. in Computer Science, 1989", "M.S. in Mathematics, 1985", "B.S. in Mathematics, 1983"),
        ),
        (
            "Employment",
            (f"{department.university}, since 1992", "Research staff, Port Averill Laboratory, 1989–1992"),
        ),
        ("Publications", tuple(f"{work.title}, {work.venue.full}, {work.year}." for work in works)),
        (
            "Service",
            ("Program committee member, seven conferences", "Graduate admissions committee, 1995–1998"),
        ),
    ):
        strips += [
            Strip(12),
            *set_paragraph(Paragraph(set_plain(heading, HELVETICA.bold, 12), 16, "left"), SHEET.text_width),
        ]
        for line in lines:
            strips += _text(line)
    return _print(strips, "cv")


def print_scan(rng: Random) -> bytes:
    """A page that was photocopied and scanned: an image with gray bars for lines, and no text at all."""
    rows = []
    for y in range(SCAN_HEIGHT):
        on_line = 60 < y < 500 and y % 9 < 4
        row = bytearray(rng.randbytes(SCAN_WIDTH).translate(PAPER_GRAIN))
        if on_line:
            for x in range(50, SCAN_WIDTH - 50):
                if (x * 7 + y // 9 * 13) % 11 < 7:
                    row[x] = 60 + (x * y) % 50
        rows.append(bytes(row))
    picture = GrayImage(SCAN_WIDTH, SCAN_HEIGHT, b"".join(rows))
    sheet = PdfPage(LETTER, b"q 612 0 0 792 0 0 cm /Picture Do Q\n", frozenset(), picture)
    return write_pdf((sheet,), PdfInfo(title="scan0001", producer="flatbed scanner"))


def _slide(heading: str, lines: Sequence[str]) -> tuple[PdfPage, ...]:
    strips = [
        *set_paragraph(Paragraph(set_plain(heading, HELVETICA.bold, 32), 40, "center"), SLIDE.text_width),
        Strip(40),
    ]
    for line in lines:
        strips += [
            *set_paragraph(Paragraph(set_plain(line, HELVETICA.regular, 22), 28, "left"), SLIDE.text_width),
            Strip(14),
        ]
    return pour_pages(PageCopy(strips, ()), SLIDE, lambda page: ())


def _shortened(sentence: str) -> str:
    return " ".join(sentence.rstrip(".").split()[:9]) + " ..."


def _headed(small: str, large: str) -> list[Strip]:
    return [
        *_set(small, CENTURY.regular, 11, "center"),
        *_set(large, CENTURY.bold, 16, "center"),
        Strip(12),
    ]


def _set(text: str, face: Face, size: float, align: str) -> list[Strip]:
    return set_paragraph(Paragraph(set_plain(text, face, size), size + 4, align), SHEET.text_width)


def _text(text: str) -> list[Strip]:
    return set_paragraph(Paragraph(set_plain(text, TIMES.regular, 11), 13.5), SHEET.text_width)


def _print(strips: Sequence[Strip], title: str) -> bytes:
    return write_pdf(pour_pages(PageCopy((), strips), SHEET, lambda page: ()), PdfInfo(title=title))
