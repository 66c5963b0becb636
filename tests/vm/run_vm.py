#!/usr/bin/python3
"""`make test-vm`: the engine's suites inside a virtual machine with a stock Debian kernel.

Three boots: two with a hand-made pure cgroup v2 tree and a delegated cgroup (the suites run here, the attacks in a
machine of their own), one with systemd as pid 1 and a login session. None shares anything with this host but the
processor: a host with hybrid cgroups, root and a kernel of its own thus still tests what an ordinary user of an ordinary
machine gets. A suite keeps about one processor busy, so two machines run at a time.

This process owns QEMU: it copies the serial consoles to the terminal and to a log for each, stops at the time limit, and
leaves nothing behind. A guest says how it went in its last lines (see guest_suite.sh).
"""

import argparse
import contextlib
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

SUITES = {"plain": ["tests/engine", "tests/compat"], "attacks": ["tests/security"], "systemd": []}
# The longest first.
SEATS = ["attacks", "plain", "systemd"]
AT_A_TIME = 2
# What does not depend on the kernel is not worth the minutes of an emulated processor.
DEFAULT_ARGUMENTS = [
    *(f"--ignore=tests/engine/{name}" for name in ("test_expect.py", "test_image.py", "test_policy_bypass.py",
                                                   "test_solve.py")),
    "--ignore=tests/security/test_long_lived.py",
    # Waiting takes its real time in deterministic runs, and an emulated processor is late by more than it lasts.
    "-k", "not (test_deterministic and (numpy or pandas or matplotlib or sklearn or sleeping_threads)) "
          "and not artifacts/ and not output/",
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

    def __init__(self, seat, command, log, quiet=False):
        self.seat = seat
        self.status = None
        self.timed_out = False
        self.seconds = 0.0
        self.legs = []
        self.closing_lines = []
        self._log = log
        self._quiet = quiet
        self._command = command
        self._pending = b""
        self._process = None
        self._begun = 0.0

    def start(self):
        self._begun = time.monotonic()
        # Own session: Ctrl-C reaches this script alone, which then ends QEMU in order.
        self._process = subprocess.Popen(self._command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                         stderr=subprocess.STDOUT, start_new_session=True,
                                         preexec_fn=die_with_parent)
        return self._process.stdout

    def read(self):
        """False at the end of the console."""
        chunk = os.read(self._process.stdout.fileno(), 65536)
        self._log.write(chunk)
        self._log.flush()
        *lines, self._pending = (self._pending + chunk).split(b"\n")
        if not chunk and self._pending:
            lines.append(self._pending)
        for line in lines:
            text = line.decode(errors="replace").strip()
            if not self._quiet:
                print(f"[{self.seat}] {text}", flush=True)
            self._read_line(text)
        return bool(chunk)

    def end(self):
        if self._process.poll() is None:
            self._process.kill()
        self._process.wait()
        self._process.stdout.close()
        self.seconds = time.monotonic() - self._begun

    def _read_line(self, line):
        if match := LEG_LINE.match(line):
            self.legs.append(match[1])
        elif match := EXIT_LINE.match(line):
            self.status = int(match[1])
        elif PYTEST_CLOSING_LINE.match(line):
            self.closing_lines.append(line.strip("= "))


def run_boots(boots, timeout_s):
    """All of them, a few at a time. Whatever is still running at the time limit, or when this is interrupted, ends."""
    deadline = time.monotonic() + timeout_s
    waiting = list(boots)
    with selectors.DefaultSelector() as running:
        try:
            while waiting or running.get_map():
                while waiting and len(running.get_map()) < AT_A_TIME:
                    boot = waiting.pop(0)
                    running.register(boot.start(), selectors.EVENT_READ, boot)
                for key, _ in running.select(min(max(deadline - time.monotonic(), 0), 1.0)):
                    if not key.data.read():
                        running.unregister(key.fileobj)
                        key.data.end()
                if time.monotonic() > deadline:
                    for boot in [key.data for key in running.get_map().values()] + waiting:
                        boot.timed_out = True
                    return
        finally:
            for key in list(running.get_map().values()):
                key.data.end()


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
    probe = Boot("probe", qemu_command("kvm", kernel, initramfs, "probe"), log, quiet=True)
    run_boots([probe], timeout_s=15)
    boots = probe.status == 0
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
    parser.add_argument("--cache", type=pathlib.Path, default=REPO / "build/vm", help="kernel, disks and console logs")
    parser.add_argument("--binaries", type=pathlib.Path, default=REPO / "build/release/bin",
                        help="directory with the glovebox programs")
    parser.add_argument("--timeout", type=float, default=float(os.environ.get("VM_TIMEOUT_S", "2400")),
                        help="seconds for all boots together (VM_TIMEOUT_S)")
    parser.add_argument("--seat", choices=[*SEATS, "all"], default=os.environ.get("VM_SEAT", "all"),
                        help="which boots (VM_SEAT)")
    parser.add_argument("--machine-only", action="store_true",
                        help="test the machine itself, without any glovebox program")
    options = parser.parse_args()
    if options.seat not in (*SEATS, "all"):
        parser.error(f"VM_SEAT is {options.seat!r}; it may be {', '.join(SEATS)} or all")
    return options


def main():
    options = parse_arguments()
    # A terminated run ends like an interrupted one: through the clean-up of run_boots.
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
    with open(cache / "console-probe.log", "wb") as log:
        accelerator = choose_accelerator(kernel, initramfs, log)
    slowness = os.environ.get("VM_SLOWNESS") or (KVM_SLOWNESS if accelerator == "kvm" else TCG_SLOWNESS)
    settings = {"slowness": slowness, "modes": os.environ.get("VM_TEST_MODES", "user"),
                **{f"{seat}_suites": suites[seat] for seat in SEATS},
                "binary": "build/release/bin/glovebox" if binaries else "",
                "pytest_arguments": shlex.split(os.environ.get("VM_PYTEST_ARGS", shlex.join(DEFAULT_ARGUMENTS)))}
    disks = [root, make_image.payload_disk(cache, binaries, settings)]
    say(f"images ready after {time.monotonic() - started:.0f} s; {kernel.release} with {accelerator}, "
        f"time limits times {slowness}")
    with contextlib.ExitStack() as logs:
        boots = []
        for seat in seats_of(options, suites):
            log = logs.enter_context(open(cache / f"console-{seat}.log", "wb"))
            boots.append(Boot(seat, qemu_command(accelerator, kernel, initramfs, seat, disks), log))
        say(f"booting: {', '.join(boot.seat for boot in boots)}, {AT_A_TIME} at a time")
        run_boots(boots, options.timeout)
    return summarise(boots, options.timeout, cache)


def seats_of(options, suites):
    """The machine for attacks has no other purpose."""
    if options.seat == "attacks" and not suites["attacks"]:
        raise ImageError("the machine for attacks has nothing to run: leave out VM_SUITES and --machine-only")
    if options.seat != "all":
        return [options.seat]
    return [seat for seat in SEATS if seat != "attacks" or suites["attacks"]]


def what_to_test(options):
    """The directory of the programs (or None), and the pytest targets of each boot."""
    if options.machine_only:
        return None, {seat: [] for seat in SEATS}
    if not (options.binaries / "glovebox").is_file():
        raise ImageError(f"{options.binaries / 'glovebox'} is missing: build the release preset first")
    suites = {seat: list(targets) for seat, targets in SUITES.items()}
    if "VM_SUITES" in os.environ:
        suites |= {"plain": shlex.split(os.environ["VM_SUITES"]), "attacks": []}
    suites["systemd"] = shlex.split(os.environ.get("VM_SYSTEMD_SUITES", ""))
    absent = [suite for targets in suites.values() for suite in targets if not (REPO / suite.split("::")[0]).exists()]
    if absent:
        raise ImageError(f"VM_SUITES or VM_SYSTEMD_SUITES names what does not exist: {' '.join(absent)}")
    return options.binaries.resolve(), suites


def summarise(boots, timeout_s, logs):
    worst = 0
    say("---- summary ----")
    for boot in boots:
        for leg in boot.legs:
            say(f"{boot.seat}: {leg}")
        for line in boot.closing_lines:
            say(f"{boot.seat}: pytest: {line}")
        if boot.timed_out:
            verdict, status = f"stopped at the time limit of {timeout_s:.0f} s", EXIT_TIMEOUT
        elif boot.status is None:
            verdict, status = "ended without a word", EXIT_OURS
        elif not boot.closing_lines or not all("passed" in line for line in boot.closing_lines):
            # Skipping everything is no success: this machine exists to run what others must skip.
            verdict, status = "has a leg without a passed test", boot.status or EXIT_OURS
        else:
            verdict, status = f"status {boot.status}", boot.status
        say(f"{boot.seat}: {verdict} ({boot.seconds:.0f} s)")
        worst = worst or status
    say(f"consoles: {logs}/console-*.log")
    say("PASSED" if worst == 0 else f"FAILED with status {worst}")
    return worst


if __name__ == "__main__":
    sys.exit(main())
