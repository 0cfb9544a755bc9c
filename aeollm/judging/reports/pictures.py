"""Pictures in a report's Markdown: by their description, never as the thousands of characters they are made of."""

from __future__ import annotations

import re

# Possessive, and without the bracket they begin with: a broken file may hold thousands of beginnings.
_ALT, _DATA = r"!\[([^\[\]]{0,1000})\]", r"data:[\w.+-]*+/?[\w.+-]*+(?:;[\w.+=-]++)*+,"
_TITLE = r"(?:[\"'][^\"'\n]{0,500}[\"']\s*+)?"
_INLINE = re.compile(rf"(?i){_ALT}\(\s*+<?{_DATA}[^\"'()<>]*+>?\s*+{_TITLE}\)")
_DEFINED = re.compile(rf"(?im)^ {{0,3}}\[([^\[\]\n]{{1,200}})\]:[ \t]*+<?{_DATA}[^\s<>]*+>?[ \t]*+{_TITLE}$\n?")
"""Where some editors write all their pictures: at the end, under the names that the text refers to."""
_REFERRED = re.compile(rf"{_ALT}(?:\[([^\[\]]{{0,200}})\])?(?!\()")
_IMG = r"<img\b[^<>]*+>"
_TAG, _TAG_ALT = re.compile(rf"(?i){_IMG}"), re.compile(r"(?i)\balt\s*=\s*(?:\"([^\"]*)\"|'([^']*)')")
_PAYLOAD = re.compile(r"(?i)(data:[\w.+/;=-]{0,200};base64,)[A-Za-z0-9+/=_%-]{100,}+")
_ANY = re.compile(
    rf"(?i)\[picture: (?:[^\[\]\n]|\[[^\[\]\n]*+\])*+\]|{_ALT}(?:\([^()\n]*+\)|\[[^\[\]]{{0,200}}\])?|{_IMG}"
)


def picture(description: str) -> str:
    """Stand for a picture; with nothing where nothing describes it.

    >>> picture("a  chart"), picture(" ")
    ('[picture: a chart]', '')
    """
    words = " ".join(description.split())
    return f"[picture: {words}]" if words else ""


def without_embedded(text: str) -> str:
    """Give a text whose embedded pictures are described, and whose other embedded files are left out.

    >>> without_embedded("See ![a chart](data:image/png;base64,iVBORw0KGgo=) here.")
    'See [picture: a chart] here.'
    """
    if "data:" not in text.lower():
        return text
    text = _INLINE.sub(lambda found: picture(found[1]), text)
    names = {found[1].casefold() for found in _DEFINED.finditer(text)}

    def referred(found: re.Match[str]) -> str:
        return picture(found[1]) if (found[2] or found[1]).casefold() in names else found[0]

    def tag(found: re.Match[str]) -> str:
        alt = _TAG_ALT.search(found[0])
        return picture((alt[1] or alt[2] or "") if alt else "") if "data:" in found[0].lower() else found[0]

    text = _TAG.sub(tag, _REFERRED.sub(referred, _DEFINED.sub("", text)) if names else text)
    return _PAYLOAD.sub(r"\1…", text)


def is_picture_only(text: str) -> bool:
    """Tell whether a text holds pictures, embedded or named, and no word beside them and their descriptions."""
    words = _ANY.sub("", text)
    return words != text and not re.search(r"\w", words)
