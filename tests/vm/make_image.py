#!/usr/bin/python3
"""Makes what the test machine boots from: a stock kernel, a root disk, an initramfs and a payload disk.

  kernel     Debian's cloud kernel, taken from its package and unpacked, never installed on this host.
  root disk  ext4 with the files of packages installed here (and everything they depend on), so that the guest has the
             same Python, Node and compiler as the host. Named by a hash over package versions and the scripts: it
             is made once and found again afterwards.
  initramfs  busybox, the virtio modules and guest_init.sh: just enough to find the root disk.
  payload    a small ext4 disk with the built programs and the tests, in the layout of the repository; made every time.

Nothing here needs root, a loop device or a mount: `mke2fs -d` fills a file system from a directory. An ordinary user
does the staging inside a user namespace, where the copies belong to root as they must in the guest.
"""

import argparse
import gzip
import hashlib
import os
import pathlib
import shlex
import shutil
import subprocess
import sys

import host_packages
from host_packages import ImageError, output_of, say

HERE = pathlib.Path(__file__).resolve().parent
REPO = HERE.parent.parent
KERNEL_META_PACKAGE = "linux-image-cloud-amd64"

PAYLOAD = ["contract", "examples", "guest", "packaging", "profiles", "tests", "conftest.py", "pytest.ini", "pyproject.toml"]
INITRAMFS_MODULES = ["virtio_pci", "virtio_blk"]  # and what they depend on
TEST_USER = "tester"
TEST_UID = 1000


def require_tools():
    packages = {
        "qemu-system-x86_64": "qemu-system-x86", "mke2fs": "e2fsprogs", "depmod": "kmod", "busybox": "busybox-static",
        "dpkg-deb": "dpkg", "apt-get": "apt", "unshare": "util-linux", "tar": "tar",
    }
    missing = [package for tool, package in packages.items() if not tool_path(tool)]
    if missing:
        raise ImageError(f"these packages are missing: apt-get install {' '.join(missing)}")


def tool_path(name):
    # An ordinary user's PATH often lacks the sbin directories, where mke2fs and depmod live.
    return shutil.which(name, path=os.environ.get("PATH", "") + ":/usr/sbin:/sbin:/usr/bin:/bin")


# ---------------------------------------------------------------------------------------------------------- kernel


class Kernel:
    """The unpacked kernel package: `image` boots, `modules` is its lib/modules/<release>."""

    def __init__(self, root, package):
        self.package = package
        self.image = next((root / "boot").glob("vmlinuz-*"))
        self.release = self.image.name.removeprefix("vmlinuz-")
        self.modules = root / "lib" / "modules" / self.release


def fetch_kernel(cache):
    """The newest cloud kernel apt knows; without a network the newest one that was fetched before."""
    cache.mkdir(parents=True, exist_ok=True)
    wanted = newest_kernel_package()
    if wanted and not (cache / wanted / "complete").exists():
        try:
            download_kernel(cache, wanted)
        except subprocess.CalledProcessError as error:
            say(f"fetching {wanted} failed ({error}); looking for an earlier one")
    if wanted and (cache / wanted / "complete").exists():
        return Kernel(cache / wanted / "root", wanted)
    earlier = sorted(cache.glob("*/complete"), key=lambda mark: mark.stat().st_mtime)
    if earlier:
        return Kernel(earlier[-1].parent / "root", earlier[-1].parent.name)
    raise ImageError(f"apt offers no {KERNEL_META_PACKAGE}: run apt-get update, and check that this host has a network")


def newest_kernel_package():
    for line in output_of("apt-cache", "depends", KERNEL_META_PACKAGE).splitlines():
        words = line.split()
        if words[:1] == ["Depends:"] and words[1].endswith("-cloud-amd64"):
            for field in output_of("apt-cache", "show", "--no-all-versions", words[1]).splitlines():
                if field.startswith("Version: "):
                    return f"{words[1]}={field.split()[1]}"
    return None


def download_kernel(cache, wanted):
    say(f"fetching {wanted}")
    place = cache / wanted
    shutil.rmtree(place, ignore_errors=True)
    place.mkdir()
    subprocess.run(["apt-get", "download", "-q", wanted], cwd=place, check=True, stdout=subprocess.DEVNULL,
                   stderr=subprocess.DEVNULL)
    (package_file,) = place.glob("*.deb")
    subprocess.run(["dpkg-deb", "-x", package_file, place / "root"], check=True)
    package_file.unlink()
    (place / "complete").touch()


# ------------------------------------------------------------------------------------------------------- root disk


def root_disk(cache, kernel):
    packages = host_packages.closure()
    key = hashlib.sha256(pathlib.Path(__file__).read_bytes() + pathlib.Path(host_packages.__file__).read_bytes())
    key.update(repr((sorted(packages.items()), kernel.package)).encode())
    disk = cache / f"root-{key.hexdigest()[:16]}.ext4"
    if disk.exists():
        say(f"root disk {disk.name} is up to date ({len(packages)} packages)")
        return disk
    for stale in cache.glob("root-*.ext4*"):
        stale.unlink()
    say(f"making the root disk from {len(packages)} installed packages")
    list_file = cache / "root-files.txt"
    list_file.write_text("\0".join(path.lstrip("/") for path in host_packages.files_of(packages)))
    as_root([sys.executable, __file__, "--stage-root", cache, "--kernel", kernel.package, "--disk", disk])
    say(f"root disk {disk.name}: {disk.stat().st_blocks // 2048} MiB")
    return disk


def as_root(command):
    """Runs it with files appearing to belong to root: directly for root, else within a user namespace of our own."""
    prefix = [] if os.geteuid() == 0 else [tool_path("unshare"), "--map-root-user"]
    subprocess.run([*prefix, *command], check=True)


def stage_root(cache, kernel, disk):
    staging = cache / "root-staging"
    shutil.rmtree(staging, ignore_errors=True)
    staging.mkdir()
    staging.chmod(0o755)
    for name in ("bin", "sbin", "lib", "lib32", "lib64", "libx32"):
        if os.path.islink(f"/{name}"):
            (staging / name).symlink_to(f"usr/{name}")
    copy_files("/", staging, cache / "root-files.txt")
    shutil.copytree(kernel.modules, staging / "usr/lib/modules" / kernel.release, symlinks=True)
    subprocess.run([tool_path("depmod"), "-b", staging, kernel.release], check=True)
    write_machine_files(staging)
    subprocess.run([tool_path("ldconfig"), "-r", staging], check=True)
    make_disk(staging, disk, "root", spare_mib=1024)
    shutil.rmtree(staging)


def copy_files(source, staging, list_file):
    reader = subprocess.Popen(["tar", "-C", source, "-c", "--no-recursion", "--null", "--verbatim-files-from", "-T",
                               str(list_file), "-f", "-"], stdout=subprocess.PIPE)
    owner = ["--same-owner", "--numeric-owner"] if owns_everything() else ["--no-same-owner"]
    subprocess.run(["tar", "-C", staging, "-x", "-p", *owner, "-f", "-"], stdin=reader.stdout, check=True)
    if reader.wait() != 0:
        raise ImageError(f"tar could not read the files named in {list_file}")


def owns_everything():
    # In a namespace with one mapped id, chown to any other id fails; the files then stay root's, as nearly all are.
    ids_mapped = sum(int(line.split()[2]) for line in pathlib.Path("/proc/self/uid_map").read_text().splitlines())
    return ids_mapped >= 65536


def write_machine_files(staging):
    """What an installer would have written: users, a host name, mount points. No host configuration gets in."""
    etc = staging / "etc"
    etc.mkdir(exist_ok=True)
    system_ids = [("daemon", 1), ("bin", 2), ("sys", 3), ("tty", 5), ("disk", 6), ("man", 12), ("mail", 8), ("adm", 4),
                  ("kmem", 15), ("shadow", 42), ("utmp", 43), ("staff", 50), ("messagebus", 101),
                  ("systemd-network", 998), ("systemd-journal", 999)]
    users = [f"{name}:x:{number}:{number}::/nonexistent:/usr/sbin/nologin" for name, number in system_ids]
    (etc / "passwd").write_text("\n".join(
        ["root:x:0:0:root:/root:/bin/bash", *users, "nobody:x:65534:65534:nobody:/nonexistent:/usr/sbin/nologin",
         f"{TEST_USER}:x:{TEST_UID}:{TEST_UID}::/home/{TEST_USER}:/bin/bash"]) + "\n")
    (etc / "group").write_text("\n".join(
        ["root:x:0:", *(f"{name}:x:{number}:" for name, number in system_ids), "nogroup:x:65534:",
         f"{TEST_USER}:x:{TEST_UID}:"]) + "\n")
    (etc / "shadow").write_text("".join(f"{name}:*:19000:0:99999:7:::\n" for name in ("root", "nobody", TEST_USER)))
    (etc / "shadow").chmod(0o640)
    (etc / "subuid").write_text("")
    (etc / "subgid").write_text("")
    (etc / "hostname").write_text("testvm\n")
    (etc / "hosts").write_text("127.0.0.1 localhost testvm\n")
    (etc / "fstab").write_text("")
    (etc / "resolv.conf").write_text("")
    (etc / "machine-id").write_text("")
    (etc / "nsswitch.conf").write_text("passwd: files\ngroup: files\nshadow: files\nhosts: files dns\n")
    # pam-auth-update writes these on a real installation; systemd's session registration is what matters here.
    (etc / "pam.d").mkdir(exist_ok=True)
    for kind, module in (("auth", "pam_unix.so"), ("account", "pam_unix.so"), ("password", "pam_unix.so"),
                         ("session", "pam_unix.so"), ("session-noninteractive", "pam_unix.so")):
        lines = [f"{kind.split('-')[0]} required {module}"]
        if kind == "session":
            lines.append("session optional pam_systemd.so")
        (etc / "pam.d" / f"common-{kind}").write_text("\n".join(lines) + "\n")
    (etc / "localtime").symlink_to("/usr/share/zoneinfo/Etc/UTC")
    for name in ("dev", "proc", "sys", "run", "root", "mnt", "opt/glovebox", f"home/{TEST_USER}", "var/log", "var/lib",
                 "var/cache", "var/spool"):
        (staging / name).mkdir(parents=True, exist_ok=True)
    (staging / "root").chmod(0o700)
    for name in ("tmp", "var/tmp"):
        (staging / name).mkdir(parents=True, exist_ok=True)
        (staging / name).chmod(0o1777)
    for name, target in (("var/run", "/run"), ("var/lock", "/run/lock")):
        if not (staging / name).is_symlink():
            shutil.rmtree(staging / name, ignore_errors=True)
            (staging / name).symlink_to(target)


def make_disk(staging, disk, label, spare_mib):
    used = sum((path.lstat().st_size + 4095) // 4096 * 4096 + 512 for path in staging.rglob("*"))
    entries = sum(1 for _ in staging.rglob("*"))
    unfinished = disk.with_suffix(".ext4.part")
    unfinished.unlink(missing_ok=True)
    mebibytes = int(used * 1.1) // (1 << 20) + spare_mib
    subprocess.run([tool_path("mke2fs"), "-q", "-F", "-t", "ext4", "-L", label, "-m", "0",
                    "-N", str(entries * 2 + 65536), "-E", "root_owner=0:0,lazy_itable_init=1,lazy_journal_init=1",
                    "-d", staging, unfinished, f"{mebibytes}M"], check=True, stdout=subprocess.DEVNULL)
    unfinished.rename(disk)


# ------------------------------------------------------------------------------------------------ initramfs, payload


def initramfs(cache, kernel):
    """A newc archive written by hand: fifteen lines beat a dependency on cpio."""
    entries = [("dev", 0o040755, b""), ("proc", 0o040755, b""), ("sys", 0o040755, b""), ("root", 0o040755, b""),
               ("bin", 0o040755, b""), ("modules", 0o040755, b""),
               ("bin/busybox", 0o100755, pathlib.Path(tool_path("busybox")).read_bytes()),
               ("bin/sh", 0o120777, b"busybox"), ("init", 0o100755, (HERE / "guest_init.sh").read_bytes())]
    for number, file in enumerate(loading_order(kernel, INITRAMFS_MODULES)):
        entries.append((f"modules/{number}-{file.name}", 0o100644, file.read_bytes()))
    archive = b"".join(newc(index + 1, *entry) for index, entry in enumerate(entries)) + newc(0, "TRAILER!!!", 0, b"")
    target = cache / "initramfs.gz"
    target.write_bytes(gzip.compress(archive, 1, mtime=0))
    return target


def loading_order(kernel, names, order=None):
    """The files of these modules, each behind those it depends on, which changes from kernel to kernel."""
    order = [] if order is None else order
    for name in names:
        (file,) = kernel.modules.rglob(f"{name}.ko")
        if file not in order:
            depends = subprocess.run([tool_path("modinfo"), "-F", "depends", file], check=True, text=True,
                                     stdout=subprocess.PIPE).stdout.strip()
            loading_order(kernel, [each for each in depends.split(",") if each], order)
            order.append(file)
    return order


def newc(inode, name, mode, data):
    fields = (inode, mode, 0, 0, 1, 0, len(data), 0, 0, 0, 0, len(name) + 1, 0)
    head = b"070701" + b"".join(b"%08x" % field for field in fields) + name.encode() + b"\0"
    return head + bytes(-len(head) % 4) + data + bytes(-len(data) % 4)


def payload_disk(cache, binaries, settings):
    """`settings` reach guest_suite.sh as shell variables; a list becomes an array."""
    lines = [f"{name}=({shlex.join(value)})" if isinstance(value, list) else f"{name}={shlex.quote(str(value))}"
             for name, value in settings.items()]
    (cache / "vm.env").write_text("\n".join(lines) + "\n")
    as_root([sys.executable, __file__, "--stage-payload", cache, *(["--binaries", binaries] if binaries else [])])
    return cache / "payload.ext4"


def stage_payload(cache, binaries):
    staging = cache / "payload-staging"
    shutil.rmtree(staging, ignore_errors=True)
    staging.mkdir()
    staging.chmod(0o755)
    ignored = shutil.ignore_patterns("__pycache__", ".pytest_cache", "*.pyc", "node_modules")
    for name in PAYLOAD:
        if (REPO / name).is_dir():
            shutil.copytree(REPO / name, staging / name, ignore=ignored, symlinks=True)
        elif (REPO / name).is_file():
            shutil.copy(REPO / name, staging / name)
    if binaries:
        shutil.copytree(binaries, staging / "build/release/bin")
    shutil.copy(cache / "vm.env", staging / "vm.env")
    for path in staging.rglob("*"):  # a strict umask on the host must not hide the tests from the guest's user
        os.chown(path, 0, 0, follow_symlinks=False)
        if not path.is_symlink():
            path.chmod(path.stat().st_mode | (0o555 if path.is_dir() or path.stat().st_mode & 0o100 else 0o444))
    make_disk(staging, cache / "payload.ext4", "payload", spare_mib=32)
    shutil.rmtree(staging)


def main():
    arguments = argparse.ArgumentParser(description="Steps of run_vm.py that need files to belong to root.")
    arguments.add_argument("--stage-root", type=pathlib.Path, metavar="CACHE")
    arguments.add_argument("--stage-payload", type=pathlib.Path, metavar="CACHE")
    arguments.add_argument("--kernel")
    arguments.add_argument("--disk", type=pathlib.Path)
    arguments.add_argument("--binaries", type=pathlib.Path)
    chosen = arguments.parse_args()
    if chosen.stage_root:
        kernel = Kernel(chosen.stage_root / "kernel" / chosen.kernel / "root", chosen.kernel)
        stage_root(chosen.stage_root, kernel, chosen.disk)
    if chosen.stage_payload:
        stage_payload(chosen.stage_payload, chosen.binaries)


if __name__ == "__main__":
    main()
