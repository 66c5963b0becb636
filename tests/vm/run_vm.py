#!/usr/bin/python3
"""`make test-vm`: the engine's suites inside a virtual machine with a stock Debian kernel.

Two boots: one with a hand-made pure cgroup v2 tree and a delegated cgroup (the suites run here), one with systemd as
pid 1 and a login session. Neither shares anything with this host but the processor: a host with hybrid cgroups, root
and a kernel of its own thus still tests what an ordinary user of an ordinary machine gets.

This process owns QEMU: it copies the serial console to the terminal and to console.log, stops at the time limit, and
leaves nothing behind. The guest says how it went in its last lines (see guest_suite.sh).
"""

import argparse
import ctypes
import os
import pathlib
import re
import selectors
import shlex
import signal
import subprocess
import sys
import time

import make_image
from host_packages import ImageError, say
from make_image import REPO

DEFAULT_SUITES = ["tests/engine", "tests/compat", "tests/security"]
# What does not depend on the kernel is not worth the minutes of an emulated processor.
DEFAULT_ARGUMENTS = [
    "--ignore=tests/engine/test_expect.py",
    "-k", "not (test_deterministic and (numpy or pandas or matplotlib or sklearn))",
]
LIBC = ctypes.CDLL(None)
EXIT_TIMEOUT = 124
EXIT_OURS = 125
# Tests multiply their time limits by this. Measured under software emulation: imports 11, starting a process 16 to 25.
TCG_SLOWNESS = 15
KVM_SLOWNESS = 2
LEG_LINE = re.compile(r"^GLOVEBOX-VM-LEG (.+)")
EXIT_LINE = re.compile(r"^GLOVEBOX-VM-EXIT: (\d+)")
PYTEST_CLOSING_LINE = re.compile(
    r"^(=+ )?(\d+ (passed|failed|skipped|errors?|deselected|xfailed|xpassed|warnings?)(, )?)+ in [\d.]+s|"
    r"^no tests ran in ")


class Boot:
    """One run of QEMU. `status` stays None when the guest died without a word."""

    def __init__(self, command, log, quiet):
        self.status = None
        self.timed_out = False
        self.legs = []
        self.closing_lines = []
        self._log = log
        self._quiet = quiet
        self._command = command

    def run(self, timeout_s):
        deadline = time.monotonic() + timeout_s
        # Own session: Ctrl-C reaches this script alone, which then ends QEMU in order.
        process = subprocess.Popen(self._command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                   stderr=subprocess.STDOUT, start_new_session=True, preexec_fn=die_with_parent)
        try:
            self._follow(process, deadline)
        finally:
            if process.poll() is None:
                process.kill()
            process.wait()
            process.stdout.close()
        return self

    def _follow(self, process, deadline):
        selector = selectors.DefaultSelector()
        selector.register(process.stdout, selectors.EVENT_READ)
        pending = b""
        while True:
            remaining = deadline - time.monotonic()
            if remaining <= 0:
                self.timed_out = True
                return
            if not selector.select(min(remaining, 1.0)):
                continue
            chunk = os.read(process.stdout.fileno(), 65536)
            if not chunk:
                return
            self._log.write(chunk)
            self._log.flush()
            if not self._quiet:
                sys.stdout.write(chunk.decode(errors="replace").replace("\r\n", "\n"))
                sys.stdout.flush()
            *lines, pending = (pending + chunk).split(b"\n")
            for line in lines:
                self._read_line(line.decode(errors="replace").strip())

    def _read_line(self, line):
        if match := LEG_LINE.match(line):
            self.legs.append(match[1])
        elif match := EXIT_LINE.match(line):
            self.status = int(match[1])
        elif PYTEST_CLOSING_LINE.match(line):
            self.closing_lines.append(line.strip("= "))


def die_with_parent():
    """Even a SIGKILL to this script takes QEMU along."""
    set_parent_death_signal = 1
    LIBC.prctl(set_parent_death_signal, signal.SIGKILL)


def qemu_command(accelerator, kernel, initramfs, mode, disks=()):
    command = [make_image.tool_path("qemu-system-x86_64"), "-machine", "q35", "-nodefaults", "-no-user-config",
               "-accel", accelerator, "-cpu", "max", "-smp", "2", "-m", os.environ.get("VM_MEMORY_MIB", "3072"),
               "-display", "none", "-serial", "stdio", "-no-reboot", "-kernel", str(kernel.image), "-initrd",
               str(initramfs), "-append",
               f"console=ttyS0 quiet panic=-1 rdinit=/init glovebox.mode={mode}"]
    for disk in disks:
        # snapshot=on: the guest may write, the file never changes.
        command += ["-drive", f"file={disk},format=raw,if=virtio,snapshot=on,cache=unsafe"]
    return command


def kvm_boots(kernel, initramfs, log):
    """Tried once per boot of this host: a probe that hangs costs its whole time limit."""
    memory = initramfs.with_name("kvm-probe.txt")
    this_host = pathlib.Path("/proc/sys/kernel/random/boot_id").read_text().strip()
    if memory.exists() and memory.read_text().startswith(this_host):
        return memory.read_text().endswith("boots\n")
    say("trying whether a kernel boots with KVM")
    boots = Boot(qemu_command("kvm", kernel, initramfs, "probe"), log, quiet=True).run(timeout_s=15).status == 0
    memory.write_text(f"{this_host} {'boots' if boots else 'fails'}\n")
    return boots


def choose_accelerator(kernel, initramfs, log):
    """KVM where a kernel really boots with it: /dev/kvm alone proves nothing on a nested host."""
    wanted = os.environ.get("VM_ACCEL", "auto")
    if wanted not in ("auto", "kvm", "tcg"):
        raise ImageError(f"VM_ACCEL is {wanted!r}; it may be auto, kvm or tcg")
    software = "tcg,thread=multi"
    if wanted == "tcg":
        return software
    if os.access("/dev/kvm", os.R_OK | os.W_OK):
        if kvm_boots(kernel, initramfs, log):
            return "kvm"
        reason = "a probe kernel does not boot with /dev/kvm"
    else:
        reason = "/dev/kvm is absent or closed to this user"
    if wanted == "kvm":
        raise ImageError(f"VM_ACCEL=kvm, but {reason}")
    say(f"{reason}: software emulation it is, expect minutes")
    return software


def parse_arguments():
    parser = argparse.ArgumentParser(description="Run the engine's suites inside a virtual machine.")
    parser.add_argument("--cache", type=pathlib.Path, default=REPO / "build/vm", help="kernel, disks and console.log")
    parser.add_argument("--binaries", type=pathlib.Path, default=REPO / "build/release/bin",
                        help="directory with the glovebox programs")
    parser.add_argument("--timeout", type=float, default=float(os.environ.get("VM_TIMEOUT_S", "2400")),
                        help="seconds for all boots together (VM_TIMEOUT_S)")
    parser.add_argument("--seat", choices=["plain", "systemd", "both"], default=os.environ.get("VM_SEAT", "both"),
                        help="which boots (VM_SEAT)")
    parser.add_argument("--machine-only", action="store_true",
                        help="test the machine itself, without any glovebox program")
    return parser.parse_args()


def main():
    options = parse_arguments()
    # A terminated run ends like an interrupted one: through the clean-up of Boot.run.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(128 + signal.SIGTERM))
    started = time.monotonic()
    try:
        return run(options, started)
    except ImageError as error:
        say(f"error: {error}")
        return EXIT_OURS
    except KeyboardInterrupt:
        say("interrupted")
        return 130


def run(options, started):
    make_image.require_tools()
    binaries, suites = what_to_test(options)
    options.cache.mkdir(parents=True, exist_ok=True)
    cache = options.cache.resolve()
    kernel = make_image.fetch_kernel(cache / "kernel")
    initramfs = make_image.initramfs(cache, kernel)
    root = make_image.root_disk(cache, kernel)
    results = []
    with open(cache / "console.log", "wb") as log:
        accelerator = choose_accelerator(kernel, initramfs, log)
        slowness = os.environ.get("VM_SLOWNESS") or (KVM_SLOWNESS if accelerator == "kvm" else TCG_SLOWNESS)
        settings = {"slowness": slowness, "modes": os.environ.get("VM_TEST_MODES", "user"), **suites,
                    "binary": "build/release/bin/glovebox" if binaries else "",
                    "pytest_arguments": shlex.split(os.environ.get("VM_PYTEST_ARGS", shlex.join(DEFAULT_ARGUMENTS)))}
        disks = [root, make_image.payload_disk(cache, binaries, settings)]
        say(f"images ready after {time.monotonic() - started:.0f} s; {kernel.release} with {accelerator}, "
            f"time limits times {slowness}")
        deadline = time.monotonic() + options.timeout
        for seat in ["plain", "systemd"] if options.seat == "both" else [options.seat]:
            say(f"booting ({seat})")
            begun = time.monotonic()
            boot = Boot(qemu_command(accelerator, kernel, initramfs, seat, disks), log, quiet=False)
            boot.run(max(deadline - time.monotonic(), 0))
            results.append((seat, boot, time.monotonic() - begun))
            if boot.timed_out:
                break
    return summarise(results, options.timeout, cache / "console.log")


def what_to_test(options):
    """The directory of the programs (or None), and the pytest targets of each boot."""
    if options.machine_only:
        return None, {"plain_suites": [], "systemd_suites": []}
    if not (options.binaries / "glovebox").is_file():
        raise ImageError(f"{options.binaries / 'glovebox'} is missing: build the release preset first")
    plain = [suite for suite in DEFAULT_SUITES if (REPO / suite).is_dir()]
    if "VM_SUITES" in os.environ:
        plain = shlex.split(os.environ["VM_SUITES"])
    systemd = shlex.split(os.environ.get("VM_SYSTEMD_SUITES", ""))
    absent = [suite for suite in plain + systemd if not (REPO / suite.split("::")[0]).exists()]
    if absent:
        raise ImageError(f"VM_SUITES or VM_SYSTEMD_SUITES names what does not exist: {' '.join(absent)}")
    return options.binaries.resolve(), {"plain_suites": plain, "systemd_suites": systemd}


def summarise(results, timeout_s, log_file):
    worst = 0
    print()  # a guest that was stopped may have left half a line
    say("---- summary ----")
    for seat, boot, seconds in results:
        for leg in boot.legs:
            say(f"{seat}: {leg}")
        for line in boot.closing_lines:
            say(f"{seat}: pytest: {line}")
        if boot.timed_out:
            verdict, status = f"stopped at the time limit of {timeout_s:.0f} s", EXIT_TIMEOUT
        elif boot.status is None:
            verdict, status = "ended without a word", EXIT_OURS
        elif not boot.closing_lines or not all("passed" in line for line in boot.closing_lines):
            # Skipping everything is no success: this machine exists to run what others must skip.
            verdict, status = "has a leg without a passed test", boot.status or EXIT_OURS
        else:
            verdict, status = f"status {boot.status}", boot.status
        say(f"{seat}: {verdict} ({seconds:.0f} s)")
        worst = worst or status
    say(f"console: {log_file}")
    say("PASSED" if worst == 0 else f"FAILED with status {worst}")
    return worst


if __name__ == "__main__":
    sys.exit(main())
