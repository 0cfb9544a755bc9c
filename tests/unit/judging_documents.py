"""Word and PDF documents written by hand, part for part, so that what is in them is known."""

from __future__ import annotations

import io
import zipfile
from html import escape

W = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"'
R = 'xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships"'
TYPES = (
    '<?xml version="1.0" encoding="UTF-8"?>'
    '<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">'
    '<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>'
    '<Default Extension="xml" ContentType="application/xml"/><Default Extension="png" ContentType="image/png"/>'
    '<Override PartName="/word/document.xml" ContentType="application/vnd.openxmlformats-officedocument.'
    'wordprocessingml.document.main+xml"/></Types>'
)
RELATIONS = '<?xml version="1.0"?><Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">'
OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
STYLES = (
    f'<?xml version="1.0"?><w:styles {W}>'
    '<w:style w:type="paragraph" w:styleId="1"><w:name w:val="heading 1"/></w:style>'
    '<w:style w:type="paragraph" w:styleId="2"><w:name w:val="heading 2"/></w:style>'
    '<w:style w:type="paragraph" w:styleId="Z1"><w:name w:val="标题 1"/></w:style></w:styles>'
)
NUMBERING = (
    f'<?xml version="1.0"?><w:numbering {W}><w:abstractNum w:abstractNumId="0">'
    '<w:lvl w:ilvl="0"><w:numFmt w:val="bullet"/></w:lvl></w:abstractNum>'
    '<w:num w:numId="1"><w:abstractNumId w:val="0"/></w:num></w:numbering>'
)
PICTURE = (
    '<w:p><w:r><w:drawing><wp:inline xmlns:wp="http://schemas.openxmlformats.org/drawingml/2006/wordprocessingDrawing">'
    '<wp:docPr id="1" name="p" descr="{0}"/><a:graphic xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main">'
    '<a:graphicData><pic:pic xmlns:pic="http://schemas.openxmlformats.org/drawingml/2006/picture"><pic:blipFill>'
    '<a:blip r:embed="rId2"/></pic:blipFill></pic:pic></a:graphicData></a:graphic></wp:inline></w:drawing></w:r></w:p>'
)


def paragraph(text: str, style: str = "", *, item: bool = False) -> str:
    marks = f'<w:pStyle w:val="{style}"/>' if style else ""
    marks += '<w:numPr><w:ilvl w:val="0"/><w:numId w:val="1"/></w:numPr>' if item else ""
    return f"<w:p><w:pPr>{marks}</w:pPr><w:r><w:t>{escape(text)}</w:t></w:r></w:p>"


def link(text: str) -> str:
    return f'<w:p><w:hyperlink r:id="rId1"><w:r><w:t>{escape(text)}</w:t></w:r></w:hyperlink></w:p>'


def table(*rows: tuple[str, ...]) -> str:
    cells = ("".join(f"<w:tc>{paragraph(cell)}</w:tc>" for cell in row) for row in rows)
    return f"<w:tbl>{''.join(f'<w:tr>{row}</w:tr>' for row in cells)}</w:tbl>"


def docx(*blocks: str, **parts: bytes) -> bytes:
    """Pack blocks as a Word document; ``parts`` are further files."""
    relation = f'<Relationship Id="{{}}" Type="{OFFICE}/{{}}" Target="{{}}"{{}}/>'.format
    inside = {
        "[Content_Types].xml": TYPES,
        "_rels/.rels": RELATIONS + relation("r", "officeDocument", "word/document.xml", "") + "</Relationships>",
        "word/_rels/document.xml.rels": RELATIONS
        + relation("rId1", "hyperlink", "https://example.org/source?a=1&amp;b=2", ' TargetMode="External"')
        + relation("rId2", "image", "media/p.png", "")
        + relation("rId3", "styles", "styles.xml", "")
        + relation("rId4", "numbering", "numbering.xml", "")
        + "</Relationships>",
        "word/styles.xml": STYLES,
        "word/numbering.xml": NUMBERING,
        "word/media/p.png": b"\x89PNG\r\n\x1a\n",
        "word/document.xml": f'<?xml version="1.0" encoding="UTF-8"?><w:document {W} {R}><w:body>{"".join(blocks)}'
        "</w:body></w:document>",
    }
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in {**inside, **parts}.items():
            archive.writestr(name, content)
    return packed.getvalue()


def show(text: str, x: float, y: float, size: float) -> str:
    """Write a line of a PDF page; y counts from the bottom."""
    if text.isascii():
        escaped = text.replace("\\", r"\\").replace("(", r"\(").replace(")", r"\)")
        return f"BT /F1 {size} Tf {x} {y} Td ({escaped}) Tj ET"
    return f"BT /F2 {size} Tf {x} {y} Td <{text.encode('utf-16-be').hex()}> Tj ET"


def box(x: float, y: float, width: float, height: float) -> str:
    return f"{x} {y} {width} {height} re S"


def show_as_is(text: str, x: float, y: float, size: float) -> str:
    """Write a line in a font that knows its characters by their Unicode numbers alone, as browsers embed fonts."""
    return f"BT /F3 {size} Tf {x} {y} Td <{text.encode('utf-16-be').hex()}> Tj ET"


def dot(x: float, y: float, width: float) -> str:
    """Draw a bullet, as browsers do for ``<li>``: no character."""
    half = width / 2
    return f"{x - half} {y} m {x - half} {y + half} {x + half} {y + half} {x + half} {y} c {x} {y - half} l h f"


UNICODE = (
    "begincmap 1 begincodespacerange <0000> <ffff> endcodespacerange 3 beginbfrange <0020> <007e> <0020> "
    "<2e80> <9fff> <2e80> <fb00> <ff60> <fb00> endbfrange endcmap"
)


def pdf(
    *marks: str,
    link_at: tuple[float, float, float, float] | None = None,
    trailer: str = "",
    image: bool = False,
    further: tuple[tuple[str, ...], ...] = (),
) -> bytes:
    """Write a PDF of one page, and ``further`` ones."""
    kids = " ".join(f"{number} 0 R" for number in (3, *range(14, 14 + 2 * len(further), 2)))
    stream = "\n".join([*marks, "q 100 0 0 100 50 50 cm /I1 Do Q"] if image else marks)
    link = "" if link_at is None else " ".join(map(str, link_at))
    objects = [
        "<< /Type /Catalog /Pages 2 0 R >>",
        f"<< /Type /Pages /Kids [{kids}] /Count {1 + len(further)} >>",
        "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents 4 0 R "
        "/Resources << /Font << /F1 5 0 R /F2 6 0 R /F3 11 0 R >> "
        f"/XObject << /I1 8 0 R >> >> /Annots [{'9 0 R' if link else ''}] >>",
        f"<< /Length {len(stream)} >>\nstream\n{stream}\nendstream",
        "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>",
        "<< /Type /Font /Subtype /Type0 /BaseFont /STSong-Light /Encoding /UniGB-UCS2-H /DescendantFonts [7 0 R] >>",
        "<< /Type /Font /Subtype /CIDFontType0 /BaseFont /STSong-Light /DW 1000 "
        "/CIDSystemInfo << /Registry (Adobe) /Ordering (GB1) /Supplement 2 >> /FontDescriptor 10 0 R >>",
        "<< /Type /XObject /Subtype /Image /Width 1 /Height 1 /ColorSpace /DeviceGray /BitsPerComponent 8 "
        "/Length 1 >>\nstream\n0\nendstream",
        f"<< /Type /Annot /Subtype /Link /Rect [{link or '0 0 0 0'}] /A << /S /URI /URI (https://example.org/) >> >>",
        "<< /Type /FontDescriptor /FontName /STSong-Light /Flags 4 /FontBBox [0 -200 1000 900] "
        "/Ascent 880 /Descent -120 /ItalicAngle 0 /CapHeight 700 /StemV 80 >>",
        "<< /Type /Font /Subtype /Type0 /BaseFont /Own /Encoding /Identity-H /DescendantFonts [12 0 R] "
        "/ToUnicode 13 0 R >>",
        "<< /Type /Font /Subtype /CIDFontType2 /BaseFont /Own /DW 1000 /FontDescriptor 10 0 R "
        "/CIDSystemInfo << /Registry (Adobe) /Ordering (Identity) /Supplement 0 >> >>",
        f"<< /Length {len(UNICODE)} >>\nstream\n{UNICODE}\nendstream",
    ]
    for page in further:
        text = "\n".join(page)
        objects.append(
            f"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents {len(objects) + 2} 0 R "
            "/Resources << /Font << /F1 5 0 R /F2 6 0 R /F3 11 0 R >> >> >>"
        )
        objects.append(f"<< /Length {len(text)} >>\nstream\n{text}\nendstream")
    written = io.BytesIO(b"")
    written.write(b"%PDF-1.4\n")
    places = []
    for number, content in enumerate(objects, start=1):
        places.append(written.tell())
        written.write(f"{number} 0 obj\n{content}\nendobj\n".encode("latin-1"))
    start = written.tell()
    table = "".join(f"{place:010} 00000 n \n" for place in places)
    size = len(objects) + 1
    written.write(f"xref\n0 {size}\n0000000000 65535 f \n{table}".encode())
    written.write(f"trailer << /Size {size} /Root 1 0 R {trailer} >>\nstartxref\n{start}\n%%EOF".encode())
    return written.getvalue()
