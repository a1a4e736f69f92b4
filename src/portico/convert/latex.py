r"""Converts LaTeX sources to HTML elements: title, authors, abstract, sections. Runs inside the sandbox.

TeX is not run: what a file would print is derived from the usual commands, and from its own macros if they
are mere abbreviations. Formulas and figures are left out; references get the number they would have in print.
"""

import re
from collections.abc import Iterator, Mapping
from html import escape

from portico.convert.page_styles import PageError
from portico.text.tex import make_readable

# Maximum characters of a source with all its parts; a thesis has about one million.
LONGEST = 8_000_000
# Maximum nesting of parts, and maximum number of macro replacements: more is an attack.
_DEEPEST, _MOST_REPLACED = 12, 50_000

_COMMENT = re.compile(r"(?<!\\)((?:\\\\)*)%[^\n]*(?:\n[ \t]*)?")
_BEGINS = re.compile(r"\\document(?:class|style)\b|\\begin\s*\{document\}")
_INPUT = re.compile(r"\\(?:input|include|subfile)\s*(?:\{([^{}]+)\}|([^\s{}\\]+))")
_BIBLIOGRAPHY = re.compile(r"\\bibliography\s*\{[^{}]*\}|\\printbibliography(?:\[[^\]]*\])?")


def read_latex(body: bytes) -> list[str]:
    """One source file."""
    return _write(_decode(body))


def read_latex_parts(parts: Mapping[str, bytes]) -> list[str]:
    """The sources of one document by name: the file with the document class is the main file, the others
    are parts.
    """
    texts = {name: _decode(body) for name, body in sorted(parts.items())}
    mains = [name for name, text in texts.items() if _BEGINS.search(_COMMENT.sub(r"\1", text))]
    if not mains:
        raise PageError(r"holds no LaTeX document: none of its files has \documentclass")
    # Where several could be compiled, the one with a title is the paper, and the longest of those.
    main = max(mains, key=lambda name: (r"\title" in texts[name], len(texts[name])))
    bibliography = next(
        (
            texts[name]
            for name in (re.sub(r"\.\w+$", ".bbl", main), *texts)
            if name.endswith(".bbl") and name in texts
        ),
        "",
    )
    return _write(_join_parts(texts, main, bibliography))


def _decode(body: bytes) -> str:
    if len(body) > LONGEST:
        raise PageError(f"has {len(body):,} bytes of LaTeX, more than the {LONGEST:,} that are read")
    try:
        return body.decode("utf-8-sig")
    except UnicodeDecodeError:
        return body.decode("latin-1")


def _join_parts(texts: Mapping[str, str], main: str, bibliography: str) -> str:
    """The main file with its parts inserted; a part that contains itself is left out."""
    folder = main.rpartition("/")[0]
    length = 0

    def read(name: str, above: tuple[str, ...]) -> str:
        nonlocal length
        text = _COMMENT.sub(r"\1", texts[name])
        length += len(text)
        if length > LONGEST:
            raise PageError(f"has more than {LONGEST:,} characters of LaTeX with all its parts")
        return _INPUT.sub(lambda wanted: put_in(wanted[1] or wanted[2], (*above, name)), text)

    def put_in(wanted: str, above: tuple[str, ...]) -> str:
        plain = wanted.strip().removeprefix("./")
        places = (f"{folder}/{plain}" if folder else plain, plain)
        names = [place + ending for place in places for ending in ("", ".tex")]
        name = next((name for name in names if name in texts and name not in above), None)
        return read(name, above) if name is not None and len(above) < _DEEPEST else " "

    whole = read(main, ())
    if r"\begin{thebibliography}" not in whole and bibliography:
        whole = _BIBLIOGRAPHY.sub(
            lambda _: "\n\n" + _COMMENT.sub(r"\1", bibliography) + "\n\n", whole, count=1
        )
    return whole


def _write(source: str) -> list[str]:
    text = _replace_macros(_LEFT_OUT.sub(" ", _COMMENT.sub(r"\1", source)))
    if not _BEGINS.search(text):
        raise PageError(
            r"is a part of a LaTeX document: it has no \documentclass. Add the document itself, or an archive"
            " (.zip, .tar.gz) of all its parts"
        )
    return ["".join(_Source(text).write())]


# Commands and environments that print nothing readable, or nothing at all.
_LEFT_OUT = re.compile(
    r"\\iffalse\b.*?\\fi\b"
    r"|\\begin\{(?P<environment>figure|table|tabular|tabularx|longtable|equation|align|alignat|gather|eqnarray|multline"
    r"|displaymath|math|flalign|algorithm|algorithmic|lstlisting|verbatim|minted|tikzpicture|picture|comment|CCSXML"
    r"|wrapfigure|sidewaystable|sidewaysfigure|array|IEEEbiography|IEEEbiographynophoto)(?P<star>\*?)\}"
    r".*?\\end\{(?P=environment)(?P=star)\}"
    r"|(?<!\\)\$\$.*?\$\$|(?<!\\)\\\[.*?\\\]",
    re.DOTALL,
)
_MACRO = re.compile(
    r"\\(?:(?:re)?newcommand|providecommand|DeclareRobustCommand)\*?\s*\{?\s*(?P<name>\\[A-Za-z@]+)\s*\}?"
    r"(?:\s*\[(?P<n>\d)\])?(?P<default>\s*\[[^\]]*\])?\s*(?=\{)"
    r"|\\(?:long\s*)?def\s*(?P<defined>\\[A-Za-z@]+)(?P<parameters>(?:#\d)*)\s*(?=\{)"
)
# Commands that are handled by name below, so their redefinitions are ignored.
_OWN = frozenset(
    {"title", "author", "section", "subsection", "thanks", "footnote", "abstract", "and", "cite", "bibitem"}
)


def _match_braces(text: str) -> dict[int, int]:
    """The closing position of each opening brace, in one pass whatever the text contains."""
    found: dict[int, int] = {}
    waiting: list[int] = []
    for sign in re.finditer(r"\\.|[{}]", text, re.DOTALL):
        if sign[0] == "{":
            waiting.append(sign.start())
        elif sign[0] == "}" and waiting:
            found[waiting.pop()] = sign.start()
    return found


def _replace_macros(text: str) -> str:
    """The text with the author's own abbreviations expanded, and without their definitions."""
    braces = _match_braces(text)
    macros: dict[str, tuple[int, str]] = {}
    kept: list[str] = []
    end = 0
    for found in _MACRO.finditer(text):
        close = braces.get(found.end())
        if close is None or found.start() < end:
            continue
        name = (found["name"] or found["defined"])[1:]
        n_arguments = int(found["n"] or 0) if found["name"] else len(found["parameters"]) // 2
        if name not in _OWN and not found["default"]:
            macros[name] = (n_arguments, text[found.end() + 1 : close])
        kept.append(text[end : found.start()])
        end = close + 1
    text = "".join((*kept, text[end:]))
    if not macros:
        return text
    names = re.compile(
        r"\\(" + "|".join(sorted(map(re.escape, macros), key=len, reverse=True)) + r")(?![A-Za-z@])\s*"
    )
    longest = 2 * len(text) + 100_000
    for _ in range(_DEEPEST):
        replaced = _replace_once(text, names, macros)
        if replaced == text or len(replaced) > longest:
            break
        text = replaced
    return text


def _replace_once(text: str, names: re.Pattern[str], macros: Mapping[str, tuple[int, str]]) -> str:
    braces = _match_braces(text)
    written: list[str] = []
    end = 0
    for number, found in enumerate(names.finditer(text)):
        if found.start() < end or number > _MOST_REPLACED:
            continue
        n_arguments, body = macros[found[1]]
        place, arguments = found.end(), []
        for _ in range(n_arguments):
            close = braces.get(place) if text[place : place + 1] == "{" else None
            if close is None:
                break
            arguments.append(text[place + 1 : close])
            place = close + 1
        if len(arguments) == n_arguments:
            for index, argument in enumerate(arguments, start=1):
                body = body.replace(f"#{index}", argument)
            behind = " " if n_arguments == 0 and found[0][-1:].isspace() else ""
            written += (text[end : found.start()], body + behind)
            end = place
    return "".join((*written, text[end:]))


_FRONT = (
    "title", "author", "affil", "affiliation", "address", "institute", "email", "institution", "abstract",
    "keywords", "keyword", "date", "authorrunning", "titlerunning", "runninghead", "icmltitle", "icmlauthor",
    "subtitle",
)  # fmt: skip
_COMMAND = re.compile(r"\\(" + "|".join(_FRONT) + r")\*?\s*(?:\[[^\[\]]*\]\s*)*(?=\{)")
_ENVIRONMENT = re.compile(
    r"\\begin\s*\{(abstract|keyword|keywords|IEEEkeywords)\}(.*?)\\end\s*\{\1\}", re.DOTALL
)
_THE_BIBLIOGRAPHY = re.compile(
    r"\\begin\s*\{thebibliography\}(.*?)(?:\\end\s*\{thebibliography\}|\Z)", re.DOTALL
)
_BIBITEM = re.compile(r"\\bibitem\s*")
_SECTION = re.compile(
    r"\\(chapter|section|subsection|subsubsection|paragraph)(\*?)\s*(?:\[[^\[\]]*\]\s*)?(?=\{)"
)
_LEVELS = ("chapter", "section", "subsection", "subsubsection")
_PARAGRAPH = re.compile(r"\n\s*\n|\\par\b")


class _Source:
    """One document, written in the order in which it would be printed."""

    def __init__(self, text: str) -> None:
        opened = re.search(r"\\begin\s*\{document\}", text)
        closed = text.rfind(r"\end{document}")
        preamble, body = (text[: opened.start()], text[opened.end() :]) if opened else ("", text)
        body = body[: closed - (opened.end() if opened else 0)] if closed > 0 else body
        front = [(name, inside) for name, inside, _ in _find_commands(preamble)]
        self._front = front + [(name, inside) for name, inside, _ in _find_commands(body)]
        self._references = self._list_references(body)
        self._numbers = {key: number for number, (key, _) in enumerate(self._references, start=1)}
        environments = [(found[1], found[2]) for found in _ENVIRONMENT.finditer(body)]
        self._abstract = self._find_front("abstract", environments)
        self._keywords = self._find_front("keyword", environments)
        body = _ENVIRONMENT.sub(" ", _without_commands(body))
        self._body = _THE_BIBLIOGRAPHY.sub(" ", body)

    def write(self) -> Iterator[str]:
        titles = [inside for name, inside in self._front if name in ("title", "icmltitle")]
        if titles:
            yield f"<h1>{self._inline(titles[-1])}</h1>\n"
        yield from self._write_authors()
        for heading, inside in (("Abstract", self._abstract), ("Keywords", self._keywords)):
            if inside.strip():
                yield f"<h3>{heading}</h3>\n"
                yield from self._write_paragraphs(inside)
        yield from self._write_body()
        if self._references:
            yield "<h2>References</h2>\n"
        for number, (_key, text) in enumerate(self._references, start=1):
            yield f"<p>[{number}] {self._inline(text)}</p>\n"

    def _find_front(self, name: str, environments: list[tuple[str, str]]) -> str:
        told = [inside for found, inside in (*environments, *self._front) if name in found.lower()]
        return max(told, key=len, default="")

    def _write_authors(self) -> Iterator[str]:
        for name, inside in self._front:
            if name in (
                "author",
                "icmlauthor",
                "affil",
                "affiliation",
                "address",
                "institute",
                "email",
                "institution",
            ):
                for person in re.split(r"\\(?:and|And|AND)\b", inside):
                    lines = [
                        self._inline(line) for line in re.split(r"\\\\(?:\s*\[[^\]]*\])?|\\newline\b", person)
                    ]
                    shown = "<br>".join(line for line in lines if line.strip())
                    yield f"<p>{shown}</p>\n" if shown else ""

    def _write_body(self) -> Iterator[str]:
        braces = _match_braces(self._body)
        counts = [0] * len(_LEVELS)
        end = 0
        for found in _SECTION.finditer(self._body):
            close = braces.get(found.end())
            if close is None or found.start() < end:
                continue
            yield from self._write_paragraphs(self._body[end : found.start()])
            end = close + 1
            heading = self._inline(self._body[found.end() + 1 : close])
            yield self._write_heading(found[1], heading, counts, is_numbered=not found[2])
        yield from self._write_paragraphs(self._body[end:])

    def _write_heading(self, command: str, heading: str, counts: list[int], *, is_numbered: bool) -> str:
        if command not in _LEVELS:
            return f"<h5>{heading}</h5>\n"
        level = _LEVELS.index(command)
        number = ""
        if is_numbered:
            counts[level] += 1
            counts[level + 1 :] = [0] * (len(counts) - level - 1)
            number = ".".join(str(count) for count in counts[: level + 1] if count) + " "
        return f"<h{min(level + 2, 5)}>{number}{heading}</h{min(level + 2, 5)}>\n"

    def _write_paragraphs(self, text: str) -> Iterator[str]:
        for paragraph in _PARAGRAPH.split(text):
            shown = self._inline(paragraph)
            if any(map(str.isalnum, shown)):
                yield f"<p>{shown}</p>\n"

    def _list_references(self, body: str) -> list[tuple[str, str]]:
        found = _THE_BIBLIOGRAPHY.search(body)
        if found is None:
            return []
        listed = []
        for item in _BIBITEM.split(found[1])[1:]:
            braces = _match_braces(item)
            opening = 0
            if item.startswith("["):  # a label of its own, which may have braces and brackets in it
                opening = item.find("]")
                inside = [close for place, close in braces.items() if place < opening < close]
                opening = item.find("]", max(inside)) if inside else opening
            start = item.find("{", max(opening, 0))
            close = braces.get(start)
            if close is not None:
                listed.append((item[start + 1 : close].strip(), item[close + 1 :]))
        return listed

    def _inline(self, text: str) -> str:
        """Running text in HTML."""
        text = _CITE.sub(self._cite, text)
        text = _drop_arguments(text)
        text = _RAISED.sub(lambda found: f"\ue000{found[1] or found[2] or found[3]}\ue001", text)
        text = _LINK.sub(r"\1", text)
        text = make_readable(text)
        text = _SPACING.sub(" ", text)
        text = _REST.sub(" ", _OPTIONS.sub(r"\1", text))
        shown = escape(
            " ".join(text.replace("{", "").replace("}", "").replace("~", " ").split()), quote=False
        )
        shown = re.sub(r"\s+([,.;:])(?=\s|$)", r"\1", shown)
        return shown.replace("\ue000", "<sup>").replace("\ue001", "</sup>")

    def _cite(self, found: re.Match[str]) -> str:
        numbers = [
            str(self._numbers[key]) for key in re.split(r"\s*,\s*", found[1].strip()) if key in self._numbers
        ]
        return f"[{', '.join(numbers)}]" if numbers else ""


def _find_commands(text: str) -> Iterator[tuple[str, str, tuple[int, int]]]:
    """Commands of the front matter, their arguments and positions."""
    braces = _match_braces(text)
    for found in _COMMAND.finditer(text):
        close = braces.get(found.end())
        if close is not None:
            yield found[1], text[found.end() + 1 : close], (found.start(), close + 1)


def _without_commands(text: str) -> str:
    kept, end = [], 0
    for _name, _inside, (start, close) in _find_commands(text):
        if start >= end:
            kept.append(text[end:start])
            end = close
    return "".join((*kept, text[end:]))


_CITE = re.compile(r"~?\\[Cc]ite[a-zA-Z]*\*?\s*(?:\[[^\[\]]*\]\s*){0,2}\{([^{}]*)\}")
_RAISED = re.compile(
    r"\\textsuperscript\s*\{([^{}]*)\}|\$\s*\^\s*\{([^{}$]*)\}\s*\$|\$\s*\^\s*([^\s{}$\\])\s*\$"
)
_LINK = re.compile(r"\\href\s*\{[^{}]*\}\s*(?=\{)()")
_OPTIONS = re.compile(r"(\\[A-Za-z@]+)\*?\s*\[[^\[\]]{0,200}\]")
_SPACING = re.compile(r"\\(?:newblock|quad|qquad|hfill|hskip|vspace|\\|[ ,;:!/])")
_REST = re.compile(r"\\(?:begin|end)\s*\{[^{}]*\}|\\[A-Za-z@]+\*?\s?|\\.")
# Commands whose arguments are not printed in their place.
_UNPRINTED = re.compile(
    r"\\(?:footnote|thanks|footnotetext|footnotemark|label|ref|eqref|pageref|autoref|cref|Cref|includegraphics|caption"
    r"|vspace|hspace|bibliographystyle|usepackage|orcid|orcidlink|orcidID|inst|fnref|corref|tnoteref|index|vskip|setlength"
    r"|pagestyle|thispagestyle|input|include|ccsdesc|todo|color|textcolor|thanksref|protect\\footnote)\*?"
    r"\s*(?:\[[^\[\]]*\]\s*)*(?=\{)"
)


def _drop_arguments(text: str) -> str:
    if "\\" not in text:
        return text
    braces = _match_braces(text)
    kept, end = [], 0
    for found in _UNPRINTED.finditer(text):
        close = braces.get(found.end())
        if close is not None and found.start() >= end:
            kept.append(text[end : found.start()])
            end = close + 1
    return "".join((*kept, text[end:]))
