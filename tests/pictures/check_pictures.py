#!/usr/bin/env python3
"""Opens pages and pictures in headless Chromium, in light and in dark mode, and reports what is wrong with them.

    check_pictures.py [--screenshots DIR] FILE.svg|FILE.html...
    check_pictures.py --build BUILD [--screenshots DIR]     makes one of each kind first

A picture fails if it is blank, if its background is not that of the mode, if text is cut off, overlaps other text, or
has too little contrast to its background, or if a page is wider than the window. Exit code 77: Chromium is not installed.
"""

import argparse
import html
import json
import os
import pathlib
import re
import shutil
import struct
import subprocess
import sys
import tempfile
import zlib

WIDTH, HEIGHT = 1280, 1000
SKIPPED = 77

# This code runs in the page. All sizes are in pixels of the window.
PROBE = """
<script id="probe">
addEventListener('load', () => {
  const problems = [];
  const channel = c => (c /= 255) <= 0.03928 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4;
  const numbers = color => (color.match(/[\\d.]+/g) || [255, 255, 255]).map(Number);
  const luminance = color => {
    const [r, g, b] = numbers(color);
    return 0.2126 * channel(r) + 0.7152 * channel(g) + 0.0722 * channel(b);
  };
  const contrast = (a, b) => {
    const [x, y] = [luminance(a), luminance(b)].sort((p, q) => q - p);
    return (x + 0.05) / (y + 0.05);
  };
  const name = text => JSON.stringify(text.textContent.slice(0, 60));
  let texts = 0;
  for (const svg of document.querySelectorAll('svg')) {
    const frame = svg.getBoundingClientRect();
    const ground = getComputedStyle(svg.querySelector('.ground')).fill;
    const boxes = [];
    for (const text of svg.querySelectorAll('text')) {
      if (!text.textContent.trim()) continue;
      ++texts;
      const box = text.getBoundingClientRect();
      if (box.left < frame.left || box.right > frame.right || box.top < frame.top || box.bottom > frame.bottom)
        problems.push('cut off: ' + name(text));
      const ratio = contrast(getComputedStyle(text).fill, ground);
      if (ratio < 4) problems.push('contrast ' + ratio.toFixed(1) + ': ' + name(text));
      if (text.hasAttribute('transform')) continue;  // the box of turned text is larger than the text
      for (const [other, label] of boxes) {
        const across = Math.min(box.right, other.right) - Math.max(box.left, other.left);
        const down = Math.min(box.bottom, other.bottom) - Math.max(box.top, other.top);
        if (across > 1 && down > 4) problems.push('overlap: ' + name(text) + ' and ' + label);
      }
      boxes.push([box, name(text)]);
    }
  }
  for (const element of document.querySelectorAll('body *')) {
    const own = [...element.childNodes].some(node => node.nodeType === 3 && node.textContent.trim());
    if (!own || element.closest('svg, script, style, select')) continue;
    ++texts;
    let holder = element, ground = 'rgba(0, 0, 0, 0)';
    for (; holder && numbers(ground)[3] === 0; holder = holder.parentElement)
      ground = getComputedStyle(holder).backgroundColor;
    if (numbers(ground)[3] === 0) ground = matchMedia('(prefers-color-scheme: dark)').matches ? 'rgb(18,18,18)' : 'rgb(255,255,255)';
    const ratio = contrast(getComputedStyle(element).color, ground);
    if (ratio < 4.5) problems.push('contrast ' + ratio.toFixed(1) + ': ' + name(element));
  }
  for (const box of document.querySelectorAll('.wide')) {
    if (box.scrollWidth > box.clientWidth) problems.push('cut off: a table of ' + box.scrollWidth + ' pixels');
  }
  const page = document.documentElement;
  if (page.scrollWidth > page.clientWidth) problems.push('the page is ' + page.scrollWidth + ' pixels wide');
  const report = document.createElement('pre');
  report.id = 'report';
  report.textContent = JSON.stringify({texts, problems, height: page.scrollHeight,
                                       dark: matchMedia('(prefers-color-scheme: dark)').matches});
  document.body.append(report);
});
</script>
"""


def find_browser():
    for name in ("chromium", "chromium-browser", "google-chrome", "chrome"):
        if found := shutil.which(name):
            return found
    return None


def browse(browser, folder, page, dark, *options):
    command = [browser, "--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--force-device-scale-factor=1",
               f"--user-data-dir={folder}/profile", f"--blink-settings=preferredColorScheme={0 if dark else 1}", *options, page.as_uri()]
    result = subprocess.run(command, capture_output=True, text=True, timeout=240)
    return result.stdout


def with_probe(picture):
    """The picture in a page with the code that checks it."""
    text = picture.read_text(encoding="utf-8")
    if picture.suffix == ".html":
        return text.replace("</body>", PROBE + "</body>")
    element = text[text.index("<svg"):]
    return ('<!DOCTYPE html><html><head><meta charset="utf-8"><style>:root { color-scheme: light dark; } body { margin: 0; }'
            ' svg { display: block; }</style></head><body>' + element + PROBE + "</body></html>")


def pixels(path):
    """Rows of (red, green, blue) of a PNG of 8-bit RGB or RGBA, as Chromium writes it."""
    data = path.read_bytes()
    assert data[:8] == b"\x89PNG\r\n\x1a\n"
    at, packed = 8, b""
    while at < len(data):
        size, kind = struct.unpack(">I4s", data[at:at + 8])
        if kind == b"IHDR":
            width, height, depth, color = struct.unpack(">IIBB", data[at + 8:at + 18])
            assert depth == 8 and color in (2, 6)
        elif kind == b"IDAT":
            packed += data[at + 8:at + 8 + size]
        at += size + 12
    step = 3 if color == 2 else 4
    raw, previous, rows = zlib.decompress(packed), bytearray(width * step), []
    for y in range(height):
        begin = y * (width * step + 1)
        kind, line = raw[begin], bytearray(raw[begin + 1:begin + 1 + width * step])
        for i in range(len(line)) if kind else ():
            left = line[i - step] if i >= step else 0
            up = previous[i]
            corner = previous[i - step] if i >= step else 0
            if kind == 1:
                line[i] = (line[i] + left) & 255
            elif kind == 2:
                line[i] = (line[i] + up) & 255
            elif kind == 3:
                line[i] = (line[i] + (left + up) // 2) & 255
            else:
                p = left + up - corner
                nearest = min((abs(p - left), 0, left), (abs(p - up), 1, up), (abs(p - corner), 2, corner))[2]
                line[i] = (line[i] + nearest) & 255
        rows.append([tuple(line[x:x + 3]) for x in range(0, len(line), step)])
        previous = line
    return rows


def problems_of(browser, picture, dark, folder, screenshots):
    page = folder / f"{picture.stem}-probe.html"
    page.write_text(with_probe(picture), encoding="utf-8")
    dom = browse(browser, folder, page, dark, f"--window-size={WIDTH},{HEIGHT}", "--dump-dom")
    found = re.search(r'<pre id="report">(.*?)</pre>', dom, re.DOTALL)
    if not found:
        return ["Chromium did not show the page"]
    report = json.loads(html.unescape(found.group(1)))
    problems = report["problems"]
    if report["dark"] != dark:
        problems.append("the mode was not emulated")
    if report["texts"] == 0:
        problems.append("no text")
    image = screenshots / f"{picture.stem}-{'dark' if dark else 'light'}.png"
    height = min(max(report["height"], 100), 4000)
    bare = folder / f"{picture.stem}-bare.html"
    bare.write_text(with_probe(picture).replace(PROBE, ""), encoding="utf-8")
    browse(browser, folder, bare, dark, f"--window-size={WIDTH},{height}", f"--screenshot={image}")
    rows = pixels(image)
    colors = {pixel for row in rows[::3] for pixel in row[::3]}
    if len(colors) < 5:
        problems.append(f"blank: {len(colors)} colors")
    if (sum(rows[5][5]) < 3 * 128) != dark:
        problems.append(f"the ground is {rows[5][5]}")
    return problems


def run(build, folder, *arguments):
    environment = {**os.environ, "NO_COLOR": "1"}
    result = subprocess.run([build / "bin/phraseq", *arguments], cwd=folder, capture_output=True, text=True, env=environment)
    if result.returncode != 0:
        sys.exit(f"phraseq {' '.join(map(str, arguments))}: {result.stderr}")


def metrics_of(folder, updates, best, scale=1.0):
    """Writes a realistic run: losses fall, and the learning rate warms up."""
    folder.mkdir()
    with open(folder / "metrics.jsonl", "w", encoding="utf-8") as file:
        for update in range(10, updates + 1, 10):
            loss = 2 + 5 * scale / (1 + update / 300) + 0.2 * ((update * 7919) % 97 / 97 - 0.5)
            record = {"event": "train", "epoch": (update - 1) // 500 + 1, "batch": (update - 1) % 500 + 1, "batches": 500,
                      "updates": update, "loss": loss, "nll_loss": loss - 0.3, "lr": 5e-4 * min(update / 400, (400 / update) ** 0.5),
                      "gradient_norm": 3 / (1 + update / 200) + 0.4, "tokens_per_second": 11000 + 900 * ((update * 31) % 11 / 11),
                      "wall": update * 1.7}
            file.write(json.dumps(record) + "\n")
            if update % 100 == 0:
                valid = {"event": "valid", "epoch": record["epoch"], "updates": update, "subset": "valid", "loss": loss + 0.2,
                         "nll_loss": loss - 0.1, "score_name": "BLEU", "score": best * (1 - 300 / (300 + update)), "wall": update * 1.7}
                file.write(json.dumps(valid) + "\n")


def make_curves(build, folder):
    metrics_of(folder / "baseline", 2000, 38.5)
    metrics_of(folder / "with_phrases", 1400, 40.1, 0.9)
    metrics_of(folder / ("a_name_that_is_far_too_long_for_a_legend_" * 5), 900, 20)
    metrics_of(folder / "x<y & \"z\"", 30, 0)
    with open(folder / "baseline/metrics.jsonl", "a", encoding="utf-8") as file:
        file.write('{"event":"train","updates":2010,"loss":null,"wall":3500}\n{"event":"train","upd')
    runs = sorted(path.name for path in folder.iterdir() if path.is_dir())
    run(build, folder, "plot", "baseline", "-o", "plot-one.svg")
    run(build, folder, "plot", *runs, "--smoothing", "0.8", "-o", "plot-four.svg")
    run(build, folder, "plot", "baseline", "with_phrases", "--x", "hours", "-o", "plot-page.html")
    run(build, folder, "plot", "x<y & \"z\"", "--metrics", "loss", "-o", "plot-short.svg")


def make_comparison(build, folder):
    words = "ein zwei drei vier fünf sechs sieben acht neun zehn Häuser Straßen <b> & \"Zitat\"".split()
    for name, change in (("ref", 0), ("system.with.a.rather.long.name.base", 5), ("new", 3)):
        lines = []
        for line in range(120):
            picked = [words[(line * 7 + i * 3) % len(words)] for i in range(3 + line % 50)]
            if change and line % change == 0:
                picked[1:2] = ["falsch", "verstanden"]
            lines.append(" ".join(picked))
        (folder / name).write_text("\n".join(lines) + "\n", encoding="utf-8")
    systems = ["compare", "system.with.a.rather.long.name.base", "new", "--ref", "ref", "--src", "ref", "--samples", "50"]
    run(build, folder, *systems, "-f", "html", "-o", "compare.html", "--plot", "compare-bars.svg")
    run(build, folder, *systems, "--plot-kind", "lines", "--plot", "compare-lines.svg", "-o", "compare.txt")


def make_analysis(build, folder):
    english, german = "one two three four five".split(), "eins zwei drei vier Donaudampfschifffahrtsgesellschaft".split()
    for part, count in (("train", 60), ("dev", 6)):
        picks = [[(line * 3 + i * (line % 4 + 1)) % 5 for i in range(2 + line % 6)] for line in range(count)]
        for suffix, words in (("en", english), ("de", german)):
            (folder / f"{part}.{suffix}").write_text("\n".join(" ".join(words[i] for i in pick) for pick in picks) + "\n")
    run(build, folder, "preprocess", "-s", "en", "-t", "de", "--trainpref", "train", "--validpref", "dev", "--destdir", "data",
        "--joined-dictionary")
    for arch in ("transformer_tiny", "phrasal_tiny_homogeneous_queryk_22"):
        run(build, folder, "train", "data", "--arch", arch, "--max-tokens", "200", "--max-update", "2", "--log-interval", "1",
            "--threads", "1", "--save-dir", arch)
    shutil.copy(folder / "transformer_tiny/learning_curves.svg", folder / "train-end.svg")
    pair = ["--source", "one two three", "--target", "eins zwei Donaudampfschifffahrtsgesellschaft"]
    for arch, name in (("transformer_tiny", "words"), ("phrasal_tiny_homogeneous_queryk_22", "phrases")):
        for suffix in ("svg", "html"):
            run(build, folder, "analyze", "attention", "--path", arch, *pair, "--output", f"attention-{name}.{suffix}")
    files = ["--path", "phrasal_tiny_homogeneous_queryk_22", "--source", "dev.en", "--target", "dev.de"]
    run(build, folder, "analyze", "activation", *files, "--plot", "activation.svg", "--output", "activation.txt")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("files", nargs="*", type=pathlib.Path)
    parser.add_argument("--build", type=pathlib.Path)
    parser.add_argument("--screenshots", type=pathlib.Path)
    given = parser.parse_args()
    browser = find_browser()
    if browser is None:
        print("Chromium is not installed")
        return SKIPPED
    failed = 0
    with tempfile.TemporaryDirectory(prefix="phraseq-pictures-") as name:
        folder = pathlib.Path(name)
        screenshots = given.screenshots.resolve() if given.screenshots else folder
        screenshots.mkdir(parents=True, exist_ok=True)
        files = [path.resolve() for path in given.files]
        if given.build:
            for make in (make_curves, make_comparison, make_analysis):
                make(given.build.resolve(), folder)
            files += sorted([*folder.glob("*.svg"), *folder.glob("*.html")])
        for picture in files:
            for dark in (False, True):
                problems = problems_of(browser, picture, dark, folder, screenshots)
                failed += bool(problems)
                print(f"{picture.name} ({'dark' if dark else 'light'}): {'; '.join(problems) or 'good'}", flush=True)
    return 1 if failed or not files else 0


if __name__ == "__main__":
    sys.exit(main())
