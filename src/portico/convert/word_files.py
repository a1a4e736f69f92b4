"""Converts DOCX and ODT to HTML elements: paragraphs, headings, list numbers, superscripts."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace

from portico.convert.office_files import (
    Archive,
    Element,
    Looks,
    Pair,
    Styles,
    find_looks,
    read_core,
    write_paragraph,
    write_run,
)
from portico.convert.page_styles import PageError

# Both are archives of XML files; DOCX is ECMA-376 and ODT is OASIS OpenDocument.
_W = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
_STRICT_W = "{http://purl.oclc.org/ooxml/wordprocessingml/main}"
_M = "{http://schemas.openxmlformats.org/officeDocument/2006/math}"
_FALLBACK = "{http://schemas.openxmlformats.org/markup-compatibility/2006}Fallback"
_LABEL_PART = re.compile(r"%(\d)")
# Levels of numbering: no word processor has more than nine.
_LEVELS = 9


def read_docx(archive: Archive) -> tuple[list[str], list[Pair]]:
    """The text of a DOCX file in HTML, and its metadata."""
    root = archive.read_xml("word/document.xml")
    if root is None:
        raise PageError("is a DOCX file without a text; it is damaged: save it again")
    names = str(root.tag).partition("}")[0] + "}"
    if names not in (_W, _STRICT_W):
        raise PageError("is a DOCX file of an unknown kind; save it again as DOCX or PDF")
    reading = _DocxReading(
        names,
        _read_docx_styles(archive, names),
        _Numbering.read(archive.read_xml("word/numbering.xml"), names),
    )
    parts = [*reading.write_all(root)]
    for notes, kind in (("word/endnotes.xml", "endnote"),):
        found = archive.read_xml(notes)
        if found is not None:
            parts += reading.write_notes(found, kind)
    return ["".join(parts)], read_core(archive.read_xml("docProps/core.xml"))


@dataclass(slots=True)
class _Numbering:
    """The labels of paragraphs in numbered lists, which the text itself does not contain."""

    levels: dict[tuple[str, int], tuple[str, str, int]] = field(default_factory=dict)  # format, text, start
    counts: dict[str, list[int]] = field(default_factory=dict)  # by list

    @classmethod
    def read(cls, root: Element | None, names: str) -> "_Numbering":
        found = cls()
        if root is None:
            return found
        abstract = {each.get(f"{names}abstractNumId"): each for each in root.iter(f"{names}abstractNum")}
        for number in root.iter(f"{names}num"):
            wanted = _value(number.find(f"{names}abstractNumId"), names)
            for level in abstract[wanted].iter(f"{names}lvl") if wanted in abstract else ():
                index = _whole(level.get(f"{names}ilvl"))
                told = [
                    _value(level.find(f"{names}{name}"), names) for name in ("numFmt", "lvlText", "start")
                ]
                key = (number.get(f"{names}numId") or "", index)
                found.levels[key] = (told[0], told[1], _whole(told[2]) if told[2] else 1)
        return found

    def next_label(self, number: str, level: int) -> str:
        """The label of the next paragraph of a list: "[3] ", "2.1 "; "" for dots and dashes."""
        if (number, level) not in self.levels or not 0 <= level < _LEVELS:
            return ""
        form, text, _start = self.levels[number, level]
        counts = self.counts.setdefault(number, [0] * _LEVELS)
        if counts[level] == 0:
            counts[level] = self.levels[number, level][2]
        else:
            counts[level] += 1
        counts[level + 1 :] = [0] * (_LEVELS - level - 1)
        if form == "bullet" or not text:
            return ""

        def show(part: re.Match[str]) -> str:
            place = int(part[1]) - 1
            return _show_number(max(1, counts[place]), self.levels.get((number, place), ("",))[0])

        return _LABEL_PART.sub(lambda part: show(part) if part[1] != "0" else "", text) + " "


_ROMAN = ((1000, "m"), (900, "cm"), (500, "d"), (400, "cd"), (100, "c"), (90, "xc"), (50, "l"), (40, "xl"),
          (10, "x"), (9, "ix"), (5, "v"), (4, "iv"), (1, "i"))  # fmt: skip


def _show_number(number: int, form: str) -> str:
    if "Letter" in form:
        letter = chr(ord("a") + (number - 1) % 26)
        return letter.upper() if form.startswith("upper") else letter
    if "Roman" in form and number < 4000:
        written, rest = "", number
        for value, digits in _ROMAN:
            written += digits * (rest // value)
            rest %= value
        return written.upper() if form.startswith("upper") else written
    return str(number)


def _value(element: Element | None, names: str) -> str:
    return "" if element is None else str(element.get(f"{names}val") or "")


def _whole(text: str | None) -> int:
    return int(text) if text and text.isdecimal() and len(text) < 9 else 0


def _read_docx_styles(archive: Archive, names: str) -> Styles:
    root = archive.read_xml("word/styles.xml")
    if root is None:
        return {}
    found: Styles = {}
    for style in root.iter(f"{names}style"):
        looks = _read_docx_looks(style.find(f"{names}rPr"), names)
        name, parent = (_value(style.find(f"{names}{tag}"), names) for tag in ("name", "basedOn"))
        found[style.get(f"{names}styleId") or ""] = replace(looks, name=name, parent=parent)
    return found


def _read_docx_looks(properties: Element | None, names: str) -> Looks:
    if properties is None:
        return Looks()
    size = _value(properties.find(f"{names}sz"), names)
    switches: list[bool | None] = []
    for name in ("b", "i"):
        switch = properties.find(f"{names}{name}")
        switches.append(None if switch is None else _value(switch, names) not in ("0", "false", "off"))
    raised = _value(properties.find(f"{names}vertAlign"), names) == "superscript"
    return Looks("", "", _whole(size) / 2 if _whole(size) else None, switches[0], switches[1], raised)


class _DocxReading:
    """Writes the paragraphs of a file one after another; lists continue where they were interrupted."""

    def __init__(self, names: str, styles: Styles, numbering: _Numbering) -> None:
        self._names, self._styles, self._numbering = names, styles, numbering
        self._default = next((key for key, looks in styles.items() if looks.name.lower() == "normal"), "")
        self._left_out = {f"{names}del", f"{names}moveFrom", f"{names}instrText", f"{names}rPr", _FALLBACK}

    def write_all(self, root: Element) -> Iterator[str]:
        """Write every paragraph in order; those of text boxes come after the one they are anchored to."""
        waiting = [root]
        while waiting:
            element = waiting.pop()
            if element.tag in self._left_out:
                continue
            if element.tag == f"{self._names}p":
                boxes: list[Element] = []
                yield self._write_paragraph(element, boxes)
                waiting += reversed(boxes)
            else:
                waiting += reversed(element)

    def write_notes(self, root: Element, kind: str) -> Iterator[str]:
        """Write the notes at the end of the text, with their numbers: some authors put their references
        there.
        """
        number = 0
        for note in root.iter(f"{self._names}{kind}"):
            if note.get(f"{self._names}type") in (None, "normal"):
                number += 1
                written = "".join(self.write_all(note))
                yield re.sub(r"^<(\w+)([^>]*)>", rf"<\1\2>{number}. ", written, count=1)

    def _write_paragraph(self, paragraph: Element, boxes: list[Element]) -> str:
        names = self._names
        properties = paragraph.find(f"{names}pPr")
        style = "" if properties is None else _value(properties.find(f"{names}pStyle"), names)
        looks = find_looks(self._styles, style or self._default)
        if style and not looks.name:
            looks = replace(looks, name=style)  # undeclared: identifiers resemble names, as in "Heading1"
        label = "" if properties is None else self._find_label(properties, style)
        inside = "".join(self._write_runs(paragraph, boxes, looks))
        return write_paragraph(label + inside if inside.strip() else "", looks)

    def _find_label(self, properties: Element, style: str) -> str:
        names = self._names
        numbered = properties.find(f"{names}numPr")
        if numbered is None:
            return ""
        number = _value(numbered.find(f"{names}numId"), names)
        return self._numbering.next_label(number, _whole(_value(numbered.find(f"{names}ilvl"), names)))

    def _write_runs(self, paragraph: Element, boxes: list[Element], around: Looks) -> Iterator[str]:
        names = self._names
        waiting = list(reversed(paragraph))
        while waiting:
            element = waiting.pop()
            if element.tag in self._left_out:
                continue
            if element.tag == f"{names}txbxContent":
                boxes.append(element)
            elif element.tag == f"{names}r":
                looks = _read_docx_looks(element.find(f"{names}rPr"), names)
                plain = replace(looks, bold=looks.bold and not around.bold)
                text = "".join(self._read_text(element, boxes))
                yield write_run(text, plain)
            elif element.tag == f"{_M}t":
                yield write_run(element.text or "", Looks())
            else:
                waiting += reversed(element)

    def _read_text(self, run: Element, boxes: list[Element]) -> Iterator[str]:
        signs = {"tab": " ", "br": "\n", "cr": "\n", "noBreakHyphen": "-"}
        for element in run:
            tag = str(element.tag)
            if tag == f"{self._names}t":
                yield element.text or ""
            elif tag.startswith(self._names) and tag[len(self._names) :] in signs:
                yield signs[tag[len(self._names) :]]
            elif tag not in self._left_out:
                # Drawings and compatible alternatives may hold text boxes.
                boxes += self._find_boxes(element)

    def _find_boxes(self, drawing: Element) -> Iterator[Element]:
        """Its text boxes, but not those inside of these: each is found where it hangs."""
        waiting = [drawing]
        while waiting:
            element = waiting.pop()
            if element.tag == f"{self._names}txbxContent":
                yield element
            elif element.tag != _FALLBACK:
                waiting += reversed(element)


_OFFICE = "{urn:oasis:names:tc:opendocument:xmlns:office:1.0}"
_TEXT = "{urn:oasis:names:tc:opendocument:xmlns:text:1.0}"
_STYLE = "{urn:oasis:names:tc:opendocument:xmlns:style:1.0}"
_FO = "{urn:oasis:names:tc:opendocument:xmlns:xsl-fo-compatible:1.0}"
_POINTS = re.compile(r"(\d{1,3}(?:\.\d+)?)pt")
_ODT_LEFT_OUT = {
    f"{_TEXT}note",
    f"{_TEXT}tracked-changes",
    f"{_OFFICE}annotation",
    f"{_TEXT}table-of-content",
}


def read_odt(archive: Archive) -> tuple[list[str], list[Pair]]:
    """The text of an ODT file in HTML, and its metadata."""
    root = archive.read_xml("content.xml")
    body = None if root is None else root.find(f"{_OFFICE}body/{_OFFICE}text")
    if root is None or body is None:
        raise PageError("is an OpenDocument file without a text; add it as ODT or PDF")
    shared = archive.read_xml("styles.xml")
    styles: Styles = {}
    lists: dict[str, tuple[str, str]] = {}  # what stands before and behind the number
    for sheet in (shared, root):
        styles |= {} if sheet is None else dict(_read_odt_styles(sheet))
        lists |= {} if sheet is None else dict(_read_odt_lists(sheet))
    return ["".join(_OdtReading(styles, lists).write_all(body))], read_core(archive.read_xml("meta.xml"))


def _read_odt_styles(sheet: Element) -> Iterator[tuple[str, Looks]]:
    for style in sheet.iter(f"{_STYLE}style"):
        name = str(style.get(f"{_STYLE}display-name") or style.get(f"{_STYLE}name") or "")
        shown = "" if re.fullmatch(r"[A-Z]{1,2}\d+", name) else name  # made by a program, and says nothing
        properties = style.find(f"{_STYLE}text-properties")
        looks = Looks() if properties is None else _read_odt_looks(properties)
        parent = str(style.get(f"{_STYLE}parent-style-name") or "")
        yield str(style.get(f"{_STYLE}name") or ""), replace(looks, name=shown, parent=parent)


def _read_odt_looks(properties: Element) -> Looks:
    size = _POINTS.fullmatch(properties.get(f"{_FO}font-size") or "")
    weight, slant = properties.get(f"{_FO}font-weight"), properties.get(f"{_FO}font-style")
    position = str(properties.get(f"{_STYLE}text-position") or "")
    return Looks(
        size=float(size[1]) if size else None,
        bold=None if weight is None else weight == "bold" or weight in ("600", "700", "800", "900"),
        italic=None if slant is None else slant in ("italic", "oblique"),
        raised=position.startswith("super") or bool(re.match(r"[1-9]\d*%", position)),
    )


def _read_odt_lists(sheet: Element) -> Iterator[tuple[str, tuple[str, str]]]:
    for style in sheet.iter(f"{_TEXT}list-style"):
        level = style.find(f"{_TEXT}list-level-style-number")
        if level is not None and level.get(f"{_STYLE}num-format"):
            around = (level.get(f"{_STYLE}num-prefix") or "", level.get(f"{_STYLE}num-suffix") or "")
            yield str(style.get(f"{_STYLE}name") or ""), around


class _OdtReading:
    def __init__(self, styles: Styles, lists: dict[str, tuple[str, str]]) -> None:
        self._styles, self._lists = styles, lists
        self._counts: dict[str, int] = {}

    def write_all(self, body: Element) -> Iterator[str]:
        waiting: list[tuple[Element, str]] = [(body, "")]  # and what list style holds there
        while waiting:
            element, listed = waiting.pop()
            if element.tag in _ODT_LEFT_OUT:
                continue
            if element.tag in (f"{_TEXT}p", f"{_TEXT}h"):
                boxes: list[Element] = []
                yield self._write_paragraph(element, boxes, listed)
                waiting += [(box, "") for box in reversed(boxes)]
                continue
            if element.tag == f"{_TEXT}list":
                listed = str(element.get(f"{_TEXT}style-name") or listed)
                if element.get(f"{_TEXT}continue-numbering") != "true" and listed in self._lists:
                    self._counts[listed] = 0
            waiting += [(child, listed) for child in reversed(element)]

    def _write_paragraph(self, paragraph: Element, boxes: list[Element], listed: str) -> str:
        looks = find_looks(self._styles, str(paragraph.get(f"{_TEXT}style-name") or ""))
        level = _whole(paragraph.get(f"{_TEXT}outline-level")) if paragraph.tag == f"{_TEXT}h" else 0
        inside = "".join(self._write_runs(paragraph, boxes, looks))
        label = self._next_label(listed) if inside.strip() else ""
        return write_paragraph(label + inside, looks, level=level)

    def _next_label(self, listed: str) -> str:
        if listed not in self._lists:
            return ""
        self._counts[listed] = self._counts.get(listed, 0) + 1
        before, behind = self._lists[listed]
        return f"{before}{self._counts[listed]}{behind} "

    def _write_runs(self, paragraph: Element, boxes: list[Element], around: Looks) -> Iterator[str]:
        """Write the pieces of a paragraph with their styles; text occurs before, in and after elements."""
        waiting: list[Element | tuple[str, Looks]] = [*self._open(paragraph, Looks())]
        while waiting:
            item = waiting.pop()
            if isinstance(item, tuple):
                yield write_run(item[0], replace(item[1], bold=item[1].bold and not around.bold))
                continue
            if item.tag in _ODT_LEFT_OUT:
                continue
            if item.tag.endswith("}text-box"):
                boxes.append(item)
            elif item.tag == f"{_TEXT}s" or item.tag == f"{_TEXT}tab":
                yield " "
            elif item.tag == f"{_TEXT}line-break":
                yield "<br>"
            else:
                looks = find_looks(self._styles, str(item.get(f"{_TEXT}style-name") or ""))
                waiting += self._open(item, looks)

    def _open(self, element: Element, looks: Looks) -> Iterator["Element | tuple[str, Looks]"]:
        """Push the contents of an element, last first; text after a nested element has the style of text
        before it.
        """
        for child in reversed(element):
            if child.tail:
                yield (child.tail, looks)
            yield child
        if element.text:
            yield (element.text, looks)
