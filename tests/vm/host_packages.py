"""Which files of this host go onto the root disk: those of a set of packages and of everything they depend on.

dpkg knows nearly all of them. Two kinds are made at installation and belong to no package: compiled Python modules,
which spare an emulated guest much of its import time, and the links of update-alternatives, without which numpy has no
BLAS.
"""

import glob
import os
import pathlib
import stat
import subprocess

# What the suites call, directly or through a sandbox. Of the optional ones, those that are installed go along.
REQUIRED_PACKAGES = [
    "bash", "busybox-static", "coreutils", "kmod", "libc-bin", "nodejs", "procps", "python3", "python3-matplotlib",
    "python3-numpy", "python3-pandas", "python3-pytest", "python3-sklearn", "util-linux",
]
OPTIONAL_PACKAGES = [
    "bc", "bubblewrap", "bzip2", "ca-certificates", "curl", "dbus", "dbus-user-session", "file", "findutils", "gcc",
    "gcc-multilib", "grep", "gzip", "iproute2", "jq", "libc6-dev", "libcap2-bin", "libnss-systemd", "libpam-systemd",
    "login", "npm", "passwd", "perl", "python3-pip", "python3-pytest-timeout", "python3-pytest-xdist", "sed",
    "sqlite3", "strace", "systemd", "systemd-sysv", "tar", "tzdata", "udev", "wget", "xz-utils",
]


class ImageError(Exception):
    """Something a person can mend; the message says how."""


def say(text):
    print(f"test-vm: {text}", flush=True)


def output_of(*command):
    return subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout


class Package:
    """One line of dpkg's database. `needs` holds every name in its dependencies, alternatives included."""

    def __init__(self, line):
        status, self.name, architecture, self.version, essential, provides, *depends = line.split("|-|")
        self.installed = status.startswith("ii")
        self.essential = essential == "yes"
        self.spec = self.name if architecture == "all" else f"{self.name}:{architecture}"
        self.provides = names_in(provides)
        self.needs = names_in(",".join(depends))


def names_in(relation):
    """The bare names of a dependency field: "libc6 (>= 2.36), a | b:any" gives libc6, a and b."""
    return {part.split()[0].split(":")[0] for part in relation.replace("|", ",").split(",") if part.strip()}


def closure():
    """What the image holds: the packages the suites need, the essential ones, and all that these depend on."""
    fields = ("db:Status-Abbrev", "Package", "Architecture", "Version", "Essential", "Provides", "Pre-Depends",
              "Depends")
    listing = output_of("dpkg-query", "-W", "-f", "|-|".join(f"${{{field}}}" for field in fields) + "\n")
    packages = [package for package in map(Package, listing.splitlines()) if package.installed]
    by_name = {}
    for package in packages:
        for name in {package.name, *package.provides}:
            by_name.setdefault(name, []).append(package)
    missing = [name for name in REQUIRED_PACKAGES if name not in by_name]
    if missing:
        raise ImageError(f"the image needs packages that are not installed here: apt-get install {' '.join(missing)}")
    reached = {}
    wanted = REQUIRED_PACKAGES + OPTIONAL_PACKAGES + os.environ.get("VM_PACKAGES", "").split()
    wanted += [package.name for package in packages if package.essential]
    while wanted:
        for package in by_name.get(wanted.pop(), []):
            if package.spec not in reached:
                reached[package.spec] = package.version
                wanted += package.needs
    return reached


def files_of(packages):
    """Every path the packages brought or had made for them, with directories resolved through the merged /usr."""
    resolved_directories = {}
    paths = set()

    def add(path):
        directory, name = os.path.split(path)
        if directory not in resolved_directories:
            resolved_directories[directory] = os.path.realpath(directory)
        path = os.path.join(resolved_directories[directory], name)
        if os.path.lexists(path) and not path.startswith(("/usr/share/doc/", "/usr/share/man/", "/usr/share/locale/")):
            paths.add(path)

    for path in output_of("dpkg", "-L", *packages).splitlines():
        if path.startswith("/") and path != "/.":
            add(path)
    for path in sorted(paths):
        if path.endswith(".py"):  # compiled by the package's installation, so no package lists them
            directory, name = os.path.split(path)
            for compiled in glob.glob(f"{glob.escape(directory)}/__pycache__/{glob.escape(name[:-3])}.*.pyc"):
                add(os.path.dirname(compiled))
                add(compiled)
    for link in alternatives():
        if os.path.realpath(link) in paths:
            add(link)
            add(os.readlink(link))
    return sorted(path for path in paths if readable(path))


def alternatives():
    """The links update-alternatives made (libblas.so.3, awk, …): its own files name them, two lines per link."""
    for record in pathlib.Path("/var/lib/dpkg/alternatives").iterdir():
        for line in record.read_text().splitlines():
            if line.startswith("/") and os.path.islink(line) and os.readlink(line).startswith("/etc/alternatives/"):
                yield line


def readable(path):
    """Whether this user can copy it; the few files closed to others (password hashes, keys) have no place here."""
    mode = os.lstat(path).st_mode
    if stat.S_ISREG(mode):
        return os.access(path, os.R_OK)
    return stat.S_ISLNK(mode) or (stat.S_ISDIR(mode) and os.access(path, os.R_OK | os.X_OK))
