"""Characters that a PDF gives in place of those that were written, because its font draws both alike."""

from __future__ import annotations

import unicodedata
from typing import Final

# Radicals that Unicode gives no compatibility mapping, with the character of the same form (the list is part of
# Unicode's EquivalentUnifiedIdeograph.txt): what printing all characters from U+4E00 with a browser brings back.
_SUPPLEMENT = (
    "2e82 4e5b 2e83 4e5a 2e85 4ebb 2e89 5202 2e8f 5c23 2e90 5c22 2e92 5df3 2e93 5e7a 2e94 5f51 2e95 5f50 2e96 5fc4 "
    "2e98 624c 2e99 6535 2e9b 65e1 2e9e 6b7a 2ea0 6c11 2ea1 6c35 2ea3 706c 2ea4 722b 2ea6 4e2c 2ea8 72ad 2ead 793b "
    "2eaf 7cf9 2eb0 7e9f 2eb1 7f53 2eb9 8002 2eba 8080 2ebe 8279 2ec2 8864 2ec5 89c1 2ec6 89d2 2ec8 8ba0 2ec9 8d1d "
    "2ecb 8f66 2ecc 8fb6 2ed0 9485 2ed1 9577 2ed2 9578 2ed3 957f 2ed4 95e8 2ed6 961d 2ed8 9752 2ed9 97e6 2eda 9875 "
    "2edb 98ce 2edc 98de 2edd 98df 2edf 98e0 2ee0 9963 2ee2 9a6c 2ee3 9aa8 2ee4 9b3c 2ee5 9c7c 2ee6 9e1f 2ee7 5364 "
    "2ee8 9ea6 2ee9 9ec4 2eea 9efe 2eeb 6589 2eec 9f50 2eee 9f7f 2eef 7adc 2ef0 9f99 2ef1 9f9c 2ef2 4e80 "
    # Fonts draw it as the simplified door, Unicode's mapping is the traditional one.
    "2f3e 6237"
)
_CODES = _SUPPLEMENT.split()
_BLOCKS = (range(0x2E80, 0x2F00), range(0x2F00, 0x2FE0), range(0xFB00, 0xFB07))
"""CJK Radicals Supplement, Kangxi Radicals, and Latin ligatures: full-width digits and marks stay what they are."""
_ORDINARY: Final[dict[int, str]] = {
    **{place: unicodedata.normalize("NFKC", chr(place)) for block in _BLOCKS for place in block},
    **{int(form, 16): chr(int(own, 16)) for form, own in zip(_CODES[::2], _CODES[1::2], strict=True)},
}


def ordinary(text: str) -> str:
    r"""Write radicals and ligatures as the characters they stand for.

    >>> ordinary("\u2f45案\u2f50较，\u2edb险，e\ufb03cient")
    '方案比较，风险，efficient'
    """
    return text.translate(_ORDINARY)
