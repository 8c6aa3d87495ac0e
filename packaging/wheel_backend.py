"""Builds the wheel (PEP 517): `pip wheel .` and `pip install .` call this module. Needs only Python's standard
library.

The programs are compiled in the build folder as usual, or taken from there if they are already compiled. Settings for
`pip wheel -C NAME=VALUE`:

    build-folder=FOLDER    default: build
    compile=no             use the existing programs
"""
import base64
import hashlib
import re
import shutil
import subprocess
import sys
import sysconfig
import tempfile
import tomllib
import zipfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
SETTINGS = {"build-folder", "compile"}


def run(*command):
    print("wheel:", *command, flush=True)
    subprocess.run([str(word) for word in command], cwd=ROOT, check=True)


class Build:
    """A build folder whose programs are up to date."""

    def __init__(self, settings):
        settings = settings or {}
        unknown = set(settings) - SETTINGS
        if unknown:
            sys.exit(f"wheel: error: there is no setting '{unknown.pop()}'; known: {', '.join(sorted(SETTINGS))}")
        self.folder = ROOT / settings.get("build-folder", "build")
        if settings.get("compile", "yes") != "no":
            self.compile()
        self.stamp = (self.folder / "generated/phraseq/abi_stamp.h").read_text()

    def compile(self):
        if not (self.folder / "CMakeCache.txt").exists():
            run("scripts/setup.sh", self.folder)
            run("cmake", "--preset", "release", "-B", self.folder, "-DPHRASEQ_BUILD_TESTS=OFF")
        run("cmake", "--build", self.folder, "--target", "programs")

    def defined(self, name):
        return re.search(rf'#define {name} "([^"]*)"', self.stamp).group(1)

    @property
    def version(self):
        return self.defined("PHRASEQ_VERSION")

    @property
    def torch(self):
        """The versions of PyTorch with which the programs work."""
        return ".".join(self.defined("PHRASEQ_TORCH_VERSION").split(".")[:2]) + ".*"

    def install(self, prefix):
        """Installs the tree, with the libraries that are not part of Python or PyTorch."""
        run("cmake", "--install", self.folder, "--prefix", prefix, "--strip")
        run("cmake", f"-DBUILD={self.folder}", f"-DROOT={prefix}", "-P", "cmake/BundleLibraries.cmake")


def tag():
    """Programs depend on the C library but not on the version of Python."""
    platform = sysconfig.get_platform().replace("-", "_")
    libc = subprocess.run(["getconf", "GNU_LIBC_VERSION"], capture_output=True, text=True).stdout
    version = re.match(r"glibc (\d+)\.(\d+)", libc)
    if version and platform.startswith("linux_"):
        platform = platform.replace("linux_", f"manylinux_{version[1]}_{version[2]}_")
    return f"py3-none-{platform}"


def metadata(build):
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    return "\n".join(["Metadata-Version: 2.1",
                      f"Name: {project['name']}",
                      f"Version: {build.version}",
                      f"Summary: {project['description']}",
                      f"Requires-Python: {project['requires-python']}",
                      f"Requires-Dist: torch=={build.torch}",
                      "License: MIT, with libraries under the licenses in phraseq/share/doc/phraseq",
                      "Description-Content-Type: text/markdown",
                      "",
                      (ROOT / "README.md").read_text()])


def write_dist_info(folder, build, commands):
    folder.mkdir(parents=True)
    (folder / "METADATA").write_text(metadata(build))
    (folder / "WHEEL").write_text(
        f"Wheel-Version: 1.0\nGenerator: phraseq {build.version}\nRoot-Is-Purelib: false\nTag: {tag()}\n")
    (folder / "entry_points.txt").write_text(
        "[console_scripts]\n" + "".join(f"{command} = phraseq:main\n" for command in sorted(commands)))
    shutil.copy(ROOT / "LICENSE", folder)


def write_package(package, build):
    shutil.copytree(ROOT / "packaging/phraseq", package, ignore=shutil.ignore_patterns("__pycache__"))
    start = package / "__init__.py"
    start.write_text(start.read_text().replace("@torch@", build.torch))
    build.install(package)


def write_data(data, package):
    """Writes what other programs look for in the environment: manual pages, and a pointer to the CMake package."""
    shutil.copytree(package / "share", data / "share", ignore=shutil.ignore_patterns("doc"))
    cmake = data / "lib/cmake/phraseq"
    cmake.mkdir(parents=True)
    shutil.copy(ROOT / "packaging/cmake/phraseqConfig.cmake", cmake)
    shutil.copy(package / "lib/cmake/phraseq/phraseqConfigVersion.cmake", cmake)


def record_line(name, content):
    digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
    return f"{name},sha256={digest},{len(content)}\n"


def pack(folder, wheel, record):
    """Packs the files of a folder into a zip file, sorted by name, with the list of their checksums."""
    lines = []
    with zipfile.ZipFile(wheel, "w", zipfile.ZIP_DEFLATED) as archive:
        for file in sorted(path for path in folder.rglob("*") if path.is_file()):
            entry = zipfile.ZipInfo(file.relative_to(folder).as_posix())
            entry.external_attr = (0o100000 | (file.stat().st_mode & 0o777)) << 16
            entry.compress_type = zipfile.ZIP_DEFLATED
            content = file.read_bytes()
            archive.writestr(entry, content)
            lines.append(record_line(entry.filename, content))
        archive.writestr(record, "".join(lines) + f"{record},,\n")


def commands_of(build):
    return [path.name for path in (build.folder / "bin").glob("phraseq*")]


def prepare_metadata_for_build_wheel(metadata_directory, config_settings=None):
    build = Build(config_settings)
    name = f"phraseq-{build.version}.dist-info"
    write_dist_info(Path(metadata_directory) / name, build, commands_of(build))
    return name


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    build = Build(config_settings)
    name = f"phraseq-{build.version}"
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        write_package(folder / "phraseq", build)
        write_data(folder / f"{name}.data/data", folder / "phraseq")
        write_dist_info(folder / f"{name}.dist-info", build, commands_of(build))
        wheel = f"{name}-{tag()}.whl"
        pack(folder, Path(wheel_directory) / wheel, f"{name}.dist-info/RECORD")
    return wheel
