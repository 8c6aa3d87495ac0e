#!/usr/bin/env python3
"""Makes small wrong changes in the sources, one at a time, and reports which of them the tests notice.

    tests/mutate.py [--only TEXT] [--sample N [--seed S]] [--build DIR] [--preset dev|ci] [--jobs N]
    tests/mutate.py --check      only checks the table of changes, without compiling
    tests/mutate.py --list       prints the changes

The changes are in tests/mutations/*.toml. Each is made in a copy of the tree, the test programs of its module are
built, and those tests are run. The tree that holds this script is never changed. One line is printed per change:

    noticed by TEST      a test failed, crashed or ran longer than --timeout
    NOT NOTICED          all tests passed: a test is missing
does not compile     the change tests nothing; replace it in the table

The summary has the share of noticed changes per folder. Exit code 1 when a change was not noticed or did not compile,
2 when the table is wrong or the tests fail without a change. docs/guide/reliability.md has the results.
"""

import argparse
import collections
import contextlib
import fcntl
import os
import pathlib
import random
import re
import shutil
import signal
import subprocess
import sys
import time

try:
    import tomllib
except ModuleNotFoundError:  # before Python 3.11
    print("mutate.py needs Python 3.11 or newer", file=sys.stderr)
    sys.exit(77)

ROOT = pathlib.Path(__file__).resolve().parent.parent
TABLES = ROOT / "tests" / "mutations"
LEAST_CHANGES = 100
MARK = "copy-of-the-tree-for-mutate"  # in the build folder of a copy; without it nothing is overwritten
NOTICED, SURVIVED, BROKEN = "noticed", "NOT NOTICED", "does not compile"


class TableError(Exception):
    """Something that has to be corrected before changes can be made; exit code 2."""


class Change:
    """One entry of a table: the text `old`, which occurs once in `file`, becomes `new`."""

    KEYS = {"file", "old", "new", "tests", "filter"}

    def __init__(self, table, number, entry, defaults):
        self.place = f"{table.relative_to(ROOT)}, change {number}"
        for key in entry.keys() - self.KEYS:
            raise TableError(f"{self.place}: unknown key '{key}'; known: {', '.join(sorted(self.KEYS))}")
        merged = {**defaults, **entry}
        for key in ("file", "old", "new", "tests"):
            if not isinstance(merged.get(key), str):
                raise TableError(f"{self.place}: the text '{key}' is missing")
        self.file, self.old, self.new = merged["file"], merged["old"], merged["new"]
        self.tests, self.filter = merged["tests"].split(), merged.get("filter", "*")
        self.folder = "/".join(pathlib.PurePath(self.file).parts[:-1][:3 if self.file.startswith("plugins/") else 2])

    def text(self):
        one_line = lambda code: re.sub(r"\s+", " ", code.strip())
        return f"{self.file}: {one_line(self.old)}  ->  {one_line(self.new) or '(removed)'}"

    def planted(self, tree):
        """The whole source with the change. Throws when the change cannot be made."""
        try:
            source = (tree / self.file).read_text(encoding="utf-8")
        except OSError as problem:
            raise TableError(f"{self.place}: {self.file}: {problem.strerror}") from None
        count = source.count(self.old)
        if count != 1:
            raise TableError(f"{self.place}: {self.file} has this text {count} times, expected once:\n"
                             f"    {self.old.strip()}\n  Adapt the table to the source.")
        if self.old == self.new:
            raise TableError(f"{self.place}: 'old' and 'new' are the same")
        return source.replace(self.old, self.new)

    def check_tests(self):
        for name in self.tests:
            if name not in test_programs():
                raise TableError(f"{self.place}: no test program '{name}'; known: {', '.join(sorted(test_programs()))}")


def test_programs():
    """The names that tests/CMakeLists.txt gives to the programs of fast tests."""
    tests = ROOT / "tests"
    folders = [*tests.glob("core/*"), *tests.glob("plugins/architectures/*"), tests / "criterions", tests / "tasks"]
    return {"test-" + folder.name for folder in folders} | {"test-end-to-end"}


def read_tables():
    changes = []
    for table in sorted(TABLES.glob("*.toml")):
        try:
            content = tomllib.loads(table.read_text(encoding="utf-8"))
        except tomllib.TOMLDecodeError as problem:
            raise TableError(f"{table.relative_to(ROOT)}: {problem}") from None
        defaults = {key: content[key] for key in ("tests", "filter") if key in content}
        changes += [Change(table, number, entry, defaults)
                    for number, entry in enumerate(content.get("change", []), 1)]
    return changes


def check(changes):
    seen = set()
    for change in changes:
        result = (change.file, change.planted(ROOT))
        change.check_tests()
        if result in seen:
            raise TableError(f"{change.place}: another change makes the same source")
        seen.add(result)
    if len(changes) < LEAST_CHANGES:
        raise TableError(f"{TABLES.relative_to(ROOT)}: {len(changes)} changes, expected at least {LEAST_CHANGES}")


def select(changes, options):
    if options.only:
        changes = [change for change in changes if any(only in change.text() or only in change.place
                                                       for only in options.only)]
        if not changes:
            raise TableError(f"no change contains {' or '.join(options.only)}; --list prints all")
    if options.sample and options.sample < len(changes):
        changes = random.Random(options.seed).sample(changes, options.sample)
    return sorted(changes, key=lambda change: (change.folder, change.file))


def restore_signals():
    """Tests of signals fail when a signal is ignored, as in background jobs of a shell."""
    for number in (signal.SIGINT, signal.SIGHUP, signal.SIGTERM):
        signal.signal(number, signal.SIG_DFL)


def stop(process):
    """Ends a process and its children; returns its output. When ninja is asked to stop, it ends its compilers, each of
    which is a process group of its own; if it were killed at once, they would keep running."""
    output = ""
    for number in (signal.SIGTERM, signal.SIGKILL):
        with contextlib.suppress(ProcessLookupError, subprocess.TimeoutExpired):
            os.killpg(process.pid, number)
            output, _ = process.communicate(timeout=10)
    return output


def run(command, timeout=None, **more):
    """Runs a command in its own process group, which is ended with this program or at the timeout."""
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace",
                          start_new_session=True, preexec_fn=restore_signals, **more) as process:
        try:
            output, _ = process.communicate(timeout=timeout)
            return process.returncode, output
        except subprocess.TimeoutExpired:
            return None, stop(process)
        except BaseException:
            stop(process)
            raise


class Copy:
    """A copy of the tree with its own build. At the start, changes that an earlier run left are undone."""

    def __init__(self, build, preset, jobs):
        self.build, self.tree, self.preset, self.jobs = build, build.parent, preset, jobs
        if self.tree == ROOT or ROOT.is_relative_to(self.build):
            raise TableError(f"--build {build}: this is the build of the tree itself, which is not changed")
        if self.tree.exists() and any(self.tree.iterdir()) and not (build / MARK).exists():
            raise TableError(f"{self.tree} is not empty and was not made by mutate.py; nothing was changed")
        self.build.mkdir(parents=True, exist_ok=True)
        self.lock = open(self.build / MARK, "w", encoding="utf-8")
        try:
            fcntl.flock(self.lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            raise TableError(f"{self.build} is used by another mutate.py") from None
        self.synchronize()
        self.configure()

    def synchronize(self):
        """Makes the copy equal to the tree. Equal files keep their time, so that they are not compiled again."""
        listed = subprocess.run(["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"], cwd=ROOT,
                                check=True, capture_output=True).stdout.decode().split("\0")
        names = {name for name in listed if name and (ROOT / name).is_file()}
        for top in {name.split("/")[0] for name in names if "/" in name}:
            for old in (self.tree / top).rglob("*"):
                if old.is_file() and str(old.relative_to(self.tree)) not in names:
                    old.unlink()
        for name in names:
            source, target = ROOT / name, self.tree / name
            if not target.is_file() or target.read_bytes() != source.read_bytes():
                target.parent.mkdir(parents=True, exist_ok=True)
                shutil.copyfile(source, target)
                shutil.copymode(source, target)

    def configure(self):
        if (self.build / "build.ninja").exists():
            return
        venv = ROOT / "build" / "venv"  # where scripts/setup.sh puts LibTorch
        environment = {**os.environ, "VIRTUAL_ENV": str(venv)} if venv.exists() else None
        code, output = run(["cmake", "--preset", self.preset, "-B", str(self.build), "-DPHRASEQ_WARNINGS_AS_ERRORS=OFF"],
                           cwd=self.tree, env=environment)
        if code != 0:
            raise TableError(f"{self.build} cannot be configured:\n{output}")

    def compile(self, targets):
        """None on success, otherwise the compiler's messages."""
        code, output = run(["ninja", "-C", str(self.build), "-j", str(self.jobs), *targets])
        return None if code == 0 else output

    def test(self, name, tests, timeout):
        """The first test that fails; None if all pass."""
        command = [str(self.build / "bin" / name), f"--gtest_filter={tests}", "--gtest_fail_fast"]
        code, output = run(command, timeout=timeout, cwd=self.tree)
        if code == 0 and not re.search(r"\[  PASSED  \] [1-9]", output):
            raise TableError(f"{name}: no test matches the filter '{tests}'")
        if code == 0:
            return None
        failed = re.findall(r"^\[  FAILED  \] ([\w./]+)", output, re.MULTILINE)
        started = re.findall(r"^\[ RUN      \] ([\w./]+)", output, re.MULTILINE)
        if code is None:
            return f"{name} {started[-1] if started else ''}, which did not end"
        return f"{name} {failed[0] if failed else (started or ['at its start'])[-1] + ' (crash)'}"

    def first_failure(self, change, timeout):
        failures = (self.test(name, change.filter, timeout) for name in change.tests)
        return next((failure for failure in failures if failure), None)

    def judge(self, change, timeout):
        """Makes one change and returns the outcome; the copy is restored in any case."""
        path = self.tree / change.file
        path.write_text(change.planted(self.tree), encoding="utf-8")
        try:
            if self.compile(change.tests) is not None:
                return BROKEN, ""
            failure = self.first_failure(change, timeout)
            return (NOTICED, failure) if failure else (SURVIVED, "")
        finally:
            shutil.copyfile(ROOT / change.file, path)


def check_unchanged(copy, changes, timeout):
    """Builds and runs the tests without a change: a test that fails anyway would notice nothing."""
    problem = copy.compile(sorted({name for change in changes for name in change.tests}))
    if problem is not None:
        raise TableError(f"the tree does not compile without a change:\n{problem[-4000:]}")
    for name, tests in sorted({(name, change.filter) for change in changes for name in change.tests}):
        failure = copy.test(name, tests, timeout)
        if failure:
            raise TableError(f"fails without a change: {failure}")


def print_summary(results):
    print(f"\n{'folder':<40} {'changes':>8} {'noticed':>8}  share")
    for folder, outcomes in sorted(results.items()):
        noticed = outcomes.count(NOTICED)
        print(f"{folder:<40} {len(outcomes):>8} {noticed:>8}  {noticed / len(outcomes):.0%}")
    outcomes = [outcome for found in results.values() for outcome in found]
    noticed = outcomes.count(NOTICED)
    print(f"{'all':<40} {len(outcomes):>8} {noticed:>8}  {noticed / len(outcomes):.0%}")
    return 0 if noticed == len(outcomes) else 1


def plant_all(changes, options):
    copy = Copy(pathlib.Path(options.build).resolve(), options.preset, options.jobs)
    check_unchanged(copy, changes, options.timeout)
    results = collections.defaultdict(list)
    for change in changes:
        began = time.monotonic()
        outcome, test = copy.judge(change, options.timeout)
        results[change.folder].append(outcome)
        what = f"noticed by {test}" if outcome == NOTICED else outcome
        print(f"{change.text()}\n    {what} ({time.monotonic() - began:.0f} s)", flush=True)
    return print_summary(results)


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--only", action="append", metavar="TEXT", help="only changes that contain TEXT; may be repeated")
    parser.add_argument("--sample", type=int, metavar="N", help="only N of them, chosen at random")
    parser.add_argument("--seed", type=int, default=1, help="for --sample")
    parser.add_argument("--build", default=str(ROOT / "build-mutate" / "build"), metavar="DIR",
                        help="build folder of the copy; the copy is the folder around it (default: build-mutate/build)")
    parser.add_argument("--preset", default="dev", choices=["dev", "ci"],
                        help="dev compiles only the changed source; ci compiles all sources of its folder together, "
                             "which is faster for a few changes (default: dev)")
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), help="parallel compilations")
    parser.add_argument("--timeout", type=float, default=600, help="seconds that a test program may take")
    parser.add_argument("--check", action="store_true", help="only check the table")
    parser.add_argument("--list", action="store_true", help="print the changes")
    return parser.parse_args()


def main():
    options = parse_arguments()
    signal.signal(signal.SIGTERM, lambda number, frame: sys.exit(128 + number))
    try:
        changes = read_tables()
        check(changes)
        if options.check:
            print(f"{len(changes)} changes, each of which replaces a text that occurs once")
            return 0
        changes = select(changes, options)
        if options.list:
            print("\n".join(change.text() for change in changes))
            return 0
        return plant_all(changes, options)
    except TableError as problem:
        print(f"mutate.py: error: {problem}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        return 130


if __name__ == "__main__":
    sys.exit(main())
