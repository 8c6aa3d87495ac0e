#!/usr/bin/env python3
"""Uses the form of a running `phraseq serve` in headless Chromium, with keyboard and mouse, wide and as on a phone.

    check_form.py http://127.0.0.1:PORT TEXT [--screenshots DIR]

TEXT is a text that the model translates. Prints any problems, with exit code 1. Exit code 77: Chromium or its driver
is not installed (Debian's package chromium-driver).
"""

import argparse
import base64
import contextlib
import json
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request

SKIPPED = 77
ENTER, TAB, ARROW_UP = "\ue007", "\ue004", "\ue013"


def find_programs():
    browser = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
    return browser, shutil.which("chromedriver")


def call(method, url, body=None):
    """Sends JSON over HTTP; returns the object in the answer, even for an error."""
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(url, data, {"Content-Type": "application/json"}, method=method)
    try:
        with urllib.request.urlopen(request, timeout=120) as response:
            return json.load(response)
    except urllib.error.HTTPError as failure:
        raise RuntimeError(f"{method} {url}: {failure.read().decode(errors='replace')[:500]}") from None


class Browser:
    """One window, controlled by the WebDriver protocol (W3C)."""

    def __init__(self, driver, session):
        self.base = f"{driver}/session/{session}"

    def do(self, method, path, body=None):
        return call(method, self.base + path, body)["value"]

    def open(self, url):
        self.do("POST", "/url", {"url": url})

    def run(self, script, *arguments):
        return self.do("POST", "/execute/sync", {"script": script, "args": arguments})

    def element(self, selector):
        found = self.do("POST", "/element", {"using": "css selector", "value": selector})
        return next(iter(found.values()))

    def type(self, selector, keys):
        self.do("POST", f"/element/{self.element(selector)}/value", {"text": keys})

    def point_at(self, selector):
        key = "element-6066-11e4-a52e-4f735466cecf"
        move = {"type": "pointerMove", "duration": 0, "x": 0, "y": 0, "origin": {key: self.element(selector)}}
        mouse = {"type": "pointer", "id": "mouse", "parameters": {"pointerType": "mouse"}, "actions": [move]}
        self.do("POST", "/actions", {"actions": [mouse]})

    def press(self, key):
        press = [{"type": "keyDown", "value": key}, {"type": "keyUp", "value": key}]
        self.do("POST", "/actions", {"actions": [{"type": "key", "id": "keyboard", "actions": press}]})

    def resize(self, width, height):
        self.do("POST", "/window/rect", {"width": width, "height": height})

    def wait_for(self, condition, seconds=30):
        """Waits until a JavaScript expression is true; returns its value."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            if value := self.run(f"return {condition};"):
                return value
            time.sleep(0.05)
        return None

    def screenshot(self, path):
        path.write_bytes(base64.b64decode(self.do("GET", "/screenshot")))


@contextlib.contextmanager
def browser_window(browser, driver):
    with tempfile.TemporaryDirectory() as folder:
        process = subprocess.Popen([driver, "--port=0"], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        try:
            for line in process.stdout:
                if port := re.search(r"successfully on port (\d+)", line):
                    break
            else:
                raise RuntimeError("chromedriver ended without a port")
            options = {"binary": browser, "args": ["--headless=new", "--no-sandbox", "--disable-gpu",
                                                   f"--user-data-dir={folder}/profile"]}
            wanted = {"capabilities": {"alwaysMatch": {"browserName": "chrome", "goog:chromeOptions": options}}}
            base = f"http://127.0.0.1:{port.group(1)}"
            window = Browser(base, call("POST", f"{base}/session", wanted)["value"]["sessionId"])
            try:
                yield window
            finally:
                window.do("DELETE", "")
        finally:
            process.terminate()
            process.wait()


def translations(url, text, nbest):
    answer = call("POST", f"{url}/v1/translate", {"text": text, "nbest": nbest, "alignment": True})
    return answer["translations"][0]


def check(window, url, text, keep_screenshot):
    """Yields the problems."""
    expected = translations(url, text, 1)
    window.resize(1200, 900)
    window.open(url + "/")
    if not window.wait_for("document.getElementById('model').value"):
        yield "no model was listed"
        return
    if window.run("return document.activeElement.id;") != "text":
        yield "the text does not have the focus"
    window.type("#text", text)  # no button is pressed
    if not window.wait_for("document.getElementById('translation').textContent"):
        yield f"nothing was translated while typing: {window.run('return document.body.innerText;')[:300]}"
        return
    window.wait_for("!document.getElementById('status').textContent")
    shown = window.run("return document.getElementById('translation').textContent;")
    if shown != expected["text"]:
        yield f"the translation is {shown!r}, the interface's {expected['text']!r}"
    yield from check_alignment(window, expected)
    keep_screenshot("wide")
    yield from check_hypotheses(window, url, text)
    yield from check_phone(window)
    keep_screenshot("phone")
    yield from check_errors(window)
    outside = window.run("return performance.getEntriesByType('resource').map(e => e.name)"
                         ".filter(name => !name.startsWith(location.origin));")
    if outside:
        yield f"resources of other places: {outside}"


def check_alignment(window, expected):
    """A token under the mouse or with the focus must be marked together with its partners."""
    pairs = expected["sentences"][0]["hypotheses"][0]["alignment"]
    source = pairs[0][0]
    partners = sum(pair[0] == source for pair in pairs)
    marked = "document.querySelectorAll('.token.on').length"
    first = ".sentence .tokens .token[tabindex]"
    window.point_at(first)
    if window.run(f"return {marked};") != 1 + partners:
        yield f"{window.run(f'return {marked};')} tokens are marked under the mouse, {1 + partners} were expected"
    window.point_at("h1")
    if window.run(f"return {marked};") != 0:
        yield "tokens stay marked when the mouse has left"
    window.run("document.getElementById('translation').focus();")
    window.press(TAB)
    if window.run(f"return {marked};") != 1 + partners:
        yield "the token that the keyboard has reached is not marked with its partners"


def check_hypotheses(window, url, text):
    """More hypotheses, by keyboard only."""
    window.run("document.getElementById('nbest').focus();")
    window.press(ARROW_UP)
    window.press(ENTER)
    expected = [hypothesis["tokens"] for hypothesis in translations(url, text, 2)["sentences"][0]["hypotheses"]]
    scores = "document.querySelectorAll('.sentence:first-child .score').length"
    if not window.wait_for(f"{scores} === {len(expected)}"):
        yield f"{window.run(f'return {scores};')} hypotheses are shown, {len(expected)} were asked for"


def check_phone(window):
    window.resize(500, 800)  # the narrowest window of Chromium; the page is made narrower
    window.run("document.documentElement.style.width = '360px';")
    wide = window.run("return [...document.querySelectorAll('body *')]"
                      ".filter(e => e.getBoundingClientRect().right > 361).map(e => e.id || e.tagName);")
    if wide:
        yield f"wider than a phone of 360 pixels: {wide}"
    window.run("document.documentElement.style.width = '';")


def check_errors(window):
    window.run("const nbest = document.getElementById('nbest'); nbest.max = 100000; nbest.value = 99999;"
               "document.getElementById('form').requestSubmit();")
    if not window.wait_for("document.querySelector('#status.error')"):
        yield "an error of the server is not shown"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("url")
    parser.add_argument("text")
    parser.add_argument("--screenshots", type=pathlib.Path)
    options = parser.parse_args()
    browser, driver = find_programs()
    if not browser or not driver:
        print("check_form: skipped, Chromium or chromedriver is not installed")
        return SKIPPED
    with browser_window(browser, driver) as window:
        def keep_screenshot(name):
            if options.screenshots:
                options.screenshots.mkdir(parents=True, exist_ok=True)
                window.screenshot(options.screenshots / f"form-{name}.png")
        problems = list(check(window, options.url.rstrip("/"), options.text, keep_screenshot))
    for problem in problems:
        print(f"check_form: {problem}")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
