"""Small department sites made by hand, and paths through them, for tests of what is learned of paths."""

from portico.types.page import Link, PageLink, PageView, Url
from portico.types.path import Ending, Path, Step

SITES = (
    ("north", "People", "Faculty", "Publications", ("Ann Vole", "Bo Reed")),
    ("south", "Faculty and staff", "Our people", "Selected publications", ("Cy Marsh", "Di Fenn")),
    ("east", "People in the department", "Faculty list", "My publications", ("Ed Moor", "Flo Heath")),
)


def pages(site: tuple[str, str, str, str, tuple[str, ...]]) -> dict[str, PageView]:
    """A home page, a list of people, a page and a list of publications for each, news and a course."""
    name, to_people, people, publications, names = site
    home = f"http://{name}.test/"

    def made(path: str, title: str, text: str, links: list[tuple[str, str]]) -> PageView:
        url = Url(home + path)
        sightings = tuple(PageLink(Link(Url(home + to), url, anchor, anchor)) for to, anchor in links)
        return PageView(url, title, title, f"{title} {text}", sightings)

    found = {
        "home": made(
            "",
            "Department of Computer Science",
            "Welcome to the department of our university",
            [("news.html", "News"), ("courses/", "Courses"), ("people/", to_people), ("map.html", "Map")],
        ),
        "people": made(
            "people/",
            people,
            "professors of the department, office, phone",
            [(f"~{one.split()[1].lower()}/", one) for one in names] + [("news.html", "News")],
        ),
        "news": made("news.html", "News", "seminar prize visitors", [("map.html", "How to find us")]),
        "courses": made("courses/", "Courses", "lectures exercises exams", [("news.html", "News")]),
        "map": made("map.html", "Map", "bus train parking", []),
    }
    for one in names:
        folder = f"~{one.split()[1].lower()}/"
        found[one] = made(
            folder,
            f"Home page of {one}",
            "professor research interests office hours students",
            [(f"{folder}pubs.html", publications), (f"{folder}hobbies.html", "Hobbies")],
        )
        found[f"{one}, list"] = made(
            f"{folder}pubs.html", publications, "proceedings journal pages conference abstract", []
        )
        found[f"{one}, hobbies"] = made(f"{folder}hobbies.html", "Hobbies", "hiking music photographs", [])
    return found


def path(web: dict[str, PageView], *names: str, goal: bool, milestones: tuple[str, ...] = ()) -> Path:
    """The path through these pages; the first ones are called by the milestones."""
    steps = []
    for idx, name in enumerate(names):
        page = web[name]
        before = web[names[idx - 1]] if idx else None
        link = (
            next((one for one in before.sightings if one.link.target == page.url), None) if before else None
        )
        steps.append(Step(page, link, milestones[idx] if idx < len(milestones) else ""))
    return Path(tuple(steps), Ending.GOAL if goal else Ending.DEAD_END)


def lessons(*, milestones: bool) -> list[Path]:
    """What somebody shows on two sites: a publication list of each, and a dead end or two."""
    names = ("department", "people", "person") if milestones else ()
    found = []
    for site in SITES[:2]:
        web, person = pages(site), site[4][0]
        found += [
            path(web, "home", "people", person, f"{person}, list", goal=True, milestones=names),
            path(web, "home", "people", person, f"{person}, hobbies", goal=False, milestones=names),
            path(web, "home", "courses", "news", goal=False, milestones=names[:1]),
        ]
    return found


def html(page: PageView) -> str:
    """The page as a server gives it."""
    links = "".join(f'<p><a href="{one.link.target}">{one.link.anchor}</a></p>' for one in page.sightings)
    return f"<title>{page.title}</title><h1>{page.title}</h1>{page.text}{links}"
