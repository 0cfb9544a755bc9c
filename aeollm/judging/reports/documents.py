"""Word and HTML documents to Markdown: headings, lists, tables and links kept, pictures by their description."""

from __future__ import annotations

import io
import re
import xml.etree.ElementTree as ElementTree
import zipfile
from typing import TYPE_CHECKING

from aeollm.judging.reports.decoding import Unusable, decode_text, picture_only
from aeollm.judging.reports.pictures import picture

if TYPE_CHECKING:
    from bs4 import BeautifulSoup, Tag

_LARGEST_UNPACKED = 200 * 2**20
_LARGEST_WRITTEN = 48 * 2**20
"""Of its XML, which takes minutes and memory where it is much longer than any report."""
_MOST_ENTRIES = 5_000
_OLE = b"\xd0\xcf\x11\xe0"
_ENCRYPTED = "EncryptedPackage".encode("utf-16-le")
# Word writes built-in styles in English; documents from other programs have them by their Chinese names.
_STYLES = "\n".join(
    ["p[style-name='Title'] => h1:fresh", *(f"p[style-name='标题 {level}'] => h{level}:fresh" for level in range(1, 7))]
)
_INVISIBLE = re.compile(r"(?i)display\s*:\s*none|visibility\s*:\s*hidden|font-size\s*:\s*0(?![.\d]*[1-9])")
_UNSEEN = ["script", "style", "noscript", "template", "head", "svg", "iframe", "object"]
_W = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
_BLANK_LINES = re.compile(r"\n{3,}")


def markdown_of_docx(content: bytes) -> str:
    """Convert a Word document.

    Raises
    ------
    Unusable
        If it is damaged, protected, something else, unpacks to too much, or holds pictures only.
    """
    import mammoth  # noqa: PLC0415  not needed for text, and not installed with the app

    _refuse_other_files(content)
    try:
        html = mammoth.convert_to_html(
            io.BytesIO(without_hidden_text(content)),
            style_map=_STYLES,
            convert_image=mammoth.images.img_element(lambda _: {"src": ""}),
        ).value
    except Exception as error:  # noqa: BLE001  whatever a damaged document makes the library raise
        raise Unusable("damaged", f"is a damaged Word document ({type(error).__name__}).", "Save it anew.") from None
    return markdown_of_html(html.encode("utf-8"))


def without_hidden_text(content: bytes) -> bytes:
    """Leave out text that Word hides from readers, which is no part of the report but could speak to a judge.

    Give the document as it is where nothing is hidden.
    """
    packed = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        parts = {name: archive.read(name) for name in archive.namelist()}
    hiding = [name for name, part in parts.items() if name.startswith("word/") and b":vanish" in part]
    if not hiding:
        return content
    for name in hiding:
        root = ElementTree.fromstring(parts[name])
        for parent in root.iter():
            for run in [child for child in parent if child.tag == f"{_W}r" and _vanishes(child)]:
                parent.remove(run)
        parts[name] = ElementTree.tostring(root, encoding="utf-8", xml_declaration=True)
    with zipfile.ZipFile(packed, "w") as archive:
        for name, part in parts.items():
            archive.writestr(name, part)
    return packed.getvalue()


def _vanishes(run: ElementTree.Element) -> bool:
    mark = run.find(f"{_W}rPr/{_W}vanish")
    return mark is not None and mark.get(f"{_W}val", "true") not in {"0", "false", "off"}


def _refuse_other_files(content: bytes) -> None:
    if content.startswith(_OLE):
        if _ENCRYPTED in content:
            raise Unusable("password", "is protected by a password.", "Save it without one.")
        raise Unusable("old_format", "is an old Word document (.doc).", "Save it as .docx.")
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            entries = archive.infolist()
            names = {entry.filename for entry in entries}
    except (zipfile.BadZipFile, ValueError, OSError, NotImplementedError):
        raise Unusable("damaged", "is no Word document, or half of one.", "Download or save it anew.") from None
    written = sum(entry.file_size for entry in entries if entry.filename.endswith((".xml", ".rels")))
    unpacked = sum(entry.file_size for entry in entries)
    if len(entries) > _MOST_ENTRIES or unpacked > _LARGEST_UNPACKED or written > _LARGEST_WRITTEN:
        message = "unpacks to more than 200 MiB, or 48 MiB of text."
        raise Unusable("file_too_large", message, "Check that it is the report alone.")
    if any(entry.flag_bits & 1 for entry in entries):
        raise Unusable("password", "is protected by a password.", "Save it without one.")
    if not any(name.startswith("word/") for name in names):
        raise Unusable("damaged", "is a zip file, but no Word document.", "Save it as .docx.")


def markdown_of_html(content: bytes) -> str:
    """Convert an HTML page, without what a reader of it does not see: scripts, styles, hidden elements.

    Raises
    ------
    Unusable
        If it is no text, or holds pictures only.
    """
    from bs4 import BeautifulSoup  # noqa: PLC0415  as mammoth
    from markdownify import MarkdownConverter  # noqa: PLC0415  as mammoth

    soup = BeautifulSoup(decode_text(content) if b"\0" in content else content, "html.parser")
    pictured = soup.find(["img", "svg", "canvas"]) is not None
    for element in soup.find_all(_UNSEEN):
        element.decompose()
    for element in soup.find_all(_is_hidden):
        element.decompose()
    for anchor in soup.find_all("a"):
        _keep_safe_link(anchor)
    _describe_pictures(soup)
    for cell in soup.select("td, th"):
        for words in cell.find_all(string=re.compile(r"\|")):
            words.replace_with(words.replace("|", "\\|"))
    text = MarkdownConverter(heading_style="ATX", bullets="-", escape_underscores=False, escape_asterisks=False,
                             table_infer_header=True).convert_soup(soup)  # fmt: skip
    text = _BLANK_LINES.sub("\n\n", "\n".join(line.rstrip() for line in text.splitlines())).strip()
    if pictured and not text:
        raise picture_only()
    return text


def _is_hidden(element: Tag) -> bool:
    return element.has_attr("hidden") or bool(_INVISIBLE.search(str(element.get("style", ""))))


def _keep_safe_link(anchor: Tag) -> None:
    """Keep the address of a link, but not of a jump within the document."""
    if str(anchor.get("href", "#")).strip().lower().startswith(("#", "javascript:", "data:")):
        anchor.unwrap()


def _describe_pictures(soup: BeautifulSoup) -> None:
    for element in soup.find_all("img"):
        element.replace_with(picture(str(element.get("alt", ""))))
