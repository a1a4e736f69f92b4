"""How large a sample web is: the full one for the demo, a small one for tests that build it many times."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Scale:
    """Numbers that decide the size; the rest follows from them and the seed."""

    name: str
    n_departments: int
    n_topics: int
    n_papers: int
    n_people: int  # of each department
    n_courses: int  # of each department
    n_news: int  # of each department
    n_postscript: int  # papers also, or only, as PostScript
    n_hidden: int  # papers behind robots.txt, and as many that no page links to
    n_subpages: int  # of each person


FULL = Scale("full", 5, 16, 128, 14, 8, 8, 40, 5, 3)
SMALL = Scale("small", 2, 4, 14, 4, 1, 2, 3, 1, 0)
