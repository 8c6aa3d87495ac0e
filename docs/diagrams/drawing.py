"""Boxes, arrows and frames as SVG that follows light and dark mode. Coordinates are in pixels, y grows downward."""
from dataclasses import dataclass
from xml.sax.saxutils import escape

LINE = 17  # height of a line of text
CHARACTER = 7.4  # upper bound of the mean width of a character

STYLE = """
    text { font: 14px system-ui, "Segoe UI", "DejaVu Sans", sans-serif; fill: #1f2328; text-anchor: middle; }
    .note { font-size: 13px; fill: #57606a; } .left { text-anchor: start; } .title { font-weight: 600; }
    .background { fill: #ffffff; }
    .box { stroke: #57606a; stroke-width: 1.2; } .frame { fill: none; stroke: #8c959f; stroke-dasharray: 5 4; }
    .plain { fill: #f6f8fa; } .attention { fill: #ffe2bd; } .network { fill: #cfe6ff; } .norm { fill: #fff3b0; }
    .phrase { fill: #cdeccf; } .output { fill: #e6d7fb; }
    .arrow { fill: none; stroke: #424a53; stroke-width: 1.4; } .dashed { stroke-dasharray: 5 4; }
    .head { fill: #424a53; }
    @media (prefers-color-scheme: dark) {
      text { fill: #e6edf3; } .note { fill: #9da7b1; } .background { fill: #0d1117; }
      .box { stroke: #9da7b1; } .frame { stroke: #6e7681; }
      .plain { fill: #21262d; } .attention { fill: #5f3f12; } .network { fill: #123d66; } .norm { fill: #544a10; }
      .phrase { fill: #1b4d2a; } .output { fill: #45306b; }
      .arrow { stroke: #c9d1d9; } .head { fill: #c9d1d9; }
    }
    .curve { stroke-width: 2; }
    .curve0 { stroke: #1a7f37; } .curve1 { stroke: #0969da; } .curve2 { stroke: #bc4c00; }
    .curve3 { stroke: #8250df; } .curve4 { stroke: #cf222e; }"""


@dataclass
class Box:
    x: float
    y: float
    w: float
    h: float

    @property
    def top(self):
        return self.x + self.w / 2, self.y

    @property
    def bottom(self):
        return self.x + self.w / 2, self.y + self.h

    @property
    def left(self):
        return self.x, self.y + self.h / 2

    @property
    def right(self):
        return self.x + self.w, self.y + self.h / 2

    def at(self, across, down):
        """The point at these fractions of width and height."""
        return self.x + across * self.w, self.y + down * self.h


class Drawing:
    """A picture in which later shapes cover earlier ones."""

    def __init__(self, width, height, title):
        self.width, self.height, self.title = width, height, title
        self.parts = []

    def text(self, x, y, text, kind=""):
        """One or more lines centered at (x, y); those of kind "left" begin there."""
        lines = text.split("\n")
        width = max(map(len, lines)) * CHARACTER
        start = x if "left" in kind else x - width / 2
        assert start >= 0 and start + width <= self.width, f"{self.title}: '{text}' leaves the picture"
        first = y - (len(lines) - 1) * LINE / 2 + 5
        for number, line in enumerate(lines):
            self.parts.append(f'<text class="{kind}" x="{x:g}" y="{first + number * LINE:g}">{escape(line)}</text>')

    def box(self, x, y, w, text, kind="plain", h=None):
        lines = text.split("\n")
        h = h or len(lines) * LINE + 15
        assert max(map(len, lines)) * CHARACTER <= w, f"{self.title}: '{text}' does not fit into {w} pixels"
        self.parts.append(f'<rect class="box {kind}" x="{x:g}" y="{y:g}" width="{w:g}" height="{h:g}" rx="6"/>')
        box = Box(x, y, w, h)
        self.text(x + w / 2, y + h / 2, text)
        return box

    def frame(self, x, y, w, h, text):
        """A dashed frame with its name inside, at the top left."""
        self.parts.append(f'<rect class="frame" x="{x:g}" y="{y:g}" width="{w:g}" height="{h:g}" rx="10"/>')
        self.text(x + 12, y + 16, text, "note left")

    def arrow(self, *points, kind=""):
        path = " ".join(f"{x:g},{y:g}" for x, y in points)
        self.parts.append(f'<polyline class="arrow {kind}" points="{path}" marker-end="url(#head)"/>')

    def line(self, *points, kind=""):
        path = " ".join(f"{x:g},{y:g}" for x, y in points)
        self.parts.append(f'<polyline class="arrow {kind}" points="{path}"/>')

    def stack(self, x, bottom, w, items, gap=20):
        """Boxes from bottom to top, each (text, kind), with arrows between them."""
        boxes = []
        for text, kind in items:
            h = (text.count("\n") + 1) * LINE + 15
            box = self.box(x, bottom - h, w, text, kind)
            if boxes:
                self.arrow(boxes[-1].top, box.bottom)
            boxes.append(box)
            bottom -= h + gap
        return boxes

    def around(self, before, after, side=-1, reach=24):
        """The residual connection: from below `before` to the side of `after`."""
        x, y = before.bottom
        x2, y2 = after.left if side < 0 else after.right
        far = (before.x if side < 0 else before.x + before.w) + side * reach
        self.arrow((x, y + 10), (far, y + 10), (far, y2), (x2, y2))

    def svg(self):
        return "\n".join([
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {self.width} {self.height}" '
            f'width="{self.width}" height="{self.height}" role="img">',
            f"  <title>{escape(self.title)}</title>",
            f"  <style>{STYLE}\n  </style>",
            '  <defs><marker id="head" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="8" markerHeight="8" '
            'orient="auto"><path class="head" d="M0,0 L8,4 L0,8 z"/></marker></defs>',
            f'  <rect class="background" width="{self.width}" height="{self.height}"/>',
            *("  " + part for part in self.parts),
            "</svg>\n"])
