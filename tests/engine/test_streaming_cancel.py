"""Output arrives while the program runs; a run can be stopped at any moment (C5, C6); nothing survives its starter."""

from __future__ import annotations

import fcntl
import os
import signal
import subprocess
import termios
import time

import pytest

from support.command_line import Ended, cell_groups, gone_within, processes_with
from support.glovebox_runner import slowness

# Says that it runs, then stays.
WAITING = "import time\nprint('running', flush=True)\ntime.sleep(600)\nprint('never')"
LONG = ("--timeout", "300s")
SOON_S = 5.0


def finish(process: subprocess.Popen, already: bytes = b"") -> Ended:
    started = time.monotonic()
    out, err = process.communicate(timeout=SOON_S * slowness())
    return Ended(process.returncode, already + (out or b""), err, time.monotonic() - started)


def start_waiting(glovebox, token, *arguments, **options):
    """A run whose program has started, and the line that it printed. With --json nothing shows before the end, so there
    the program says it by naming itself."""
    if "--json" not in arguments:
        process = glovebox.start("run", "-c", WAITING, *LONG, *arguments, "--", token, **options)
        return process, process.stdout.readline()
    renamed = token[::-1]
    code = f"import os, sys\nprint('running', flush=True)\nos.execv('/usr/bin/sleep', ['{renamed}', '600'])"
    process = glovebox.start("run", "-c", code, *LONG, *arguments, "--", token, **options)
    deadline = time.monotonic() + SOON_S * slowness()
    while processes_with(renamed + "\x00" + "600") == []:
        assert time.monotonic() < deadline, "the program did not start"
        time.sleep(0.005)
    return process, b""


def test_output_appears_while_the_program_runs(glovebox):
    pause = 0.25 * slowness()
    code = f"import sys, time\nfor word in ('one', 'two'):\n    print(word, flush=True)\n    time.sleep({pause})"
    process = glovebox.start("run", "-c", code)
    first = process.stdout.readline()
    first_at = time.monotonic()
    second = process.stdout.readline()
    second_at = time.monotonic()
    ended = finish(process)
    assert (first, second, ended.status) == (b"one\n", b"two\n", 0)
    assert second_at - first_at > pause * 0.5, "the first line did not wait for the second"
    assert ended.elapsed_s > pause * 0.5, "the second did not wait for the end"


def test_both_streams_are_live(glovebox):
    code = "import sys, time\nprint('early', file=sys.stderr, flush=True)\ntime.sleep(600)"
    process = glovebox.start("run", "-c", code, *LONG)
    assert process.stderr.readline() == b"early\n"
    assert process.poll() is None
    process.terminate()
    finish(process)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP], ids=lambda number: number.name)
def test_a_signal_cancels_the_run(glovebox, token, number):
    process, first = start_waiting(glovebox, token, start_new_session=True)
    os.killpg(process.pid, number)
    ended = finish(process, first)
    assert (ended.status, ended.out) == (130, "running\n"), ended
    assert "cancelled" in ended.err
    assert gone_within(token, 0.1)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGHUP], ids=lambda number: number.name)
def test_a_signal_that_was_ignored_stays_ignored(glovebox, number):
    """As nohup, or a shell that starts something in the background, wants it."""
    code = f"import time\nprint('running', flush=True)\ntime.sleep({0.3 * slowness()})\nprint('done')"
    process = glovebox.start("run", "-c", code, preexec_fn=lambda: signal.signal(number, signal.SIG_IGN))
    first = process.stdout.readline()
    process.send_signal(number)
    ended = finish(process, first)
    assert (ended.status, ended.out) == (0, "running\ndone\n"), ended


def test_a_cancelled_result_keeps_the_output_so_far(glovebox, token):
    process, _ = start_waiting(glovebox, token, "--json")
    process.send_signal(signal.SIGINT)
    result = finish(process).result
    assert (result["outcome"], result["success"], result["stdout"]) == ("cancelled", False, "running\n")
    assert (result["error"]["code"], result["exit_code"]) == ("cancelled", None)
    assert gone_within(token, 0.1)


def test_control_c_in_a_terminal(glovebox, token):
    """The key goes to the foreground group of the terminal; the cell is not in it and is killed by its supervisor."""
    controller, terminal = os.openpty()
    attributes = termios.tcgetattr(terminal)
    attributes[1] &= ~termios.OPOST
    attributes[3] &= ~termios.ECHO
    termios.tcsetattr(terminal, termios.TCSANOW, attributes)

    def own_the_terminal():
        fcntl.ioctl(0, termios.TIOCSCTTY, 0)

    process = glovebox.start(
        "run",
        "-c",
        WAITING,
        *LONG,
        "--",
        token,
        stdin=terminal,
        stdout=terminal,
        start_new_session=True,
        preexec_fn=own_the_terminal,
    )
    os.close(terminal)
    shown = os.read(controller, 100)
    assert shown == b"running\n"
    os.write(controller, b"\x03")
    ended = finish(process)
    os.close(controller)
    assert ended.status == 130, ended
    assert "cancelled" in ended.err
    assert gone_within(token, 0.1)


def test_a_terminal_gets_no_control_sequences(glovebox):
    controller, terminal = os.openpty()
    process = glovebox.start("run", "-c", r"print('a\x1b]0;title\x07\x1b[2Jb')", stdout=terminal)
    os.close(terminal)
    ended = finish(process)
    shown = os.read(controller, 1000)
    os.close(controller)
    assert (ended.status, shown) == (0, b"ab\r\n")


def test_a_reader_that_goes_away_ends_the_run(glovebox, token):
    code = "import time\nwhile True:\n    print('line', flush=True)\n    time.sleep(0.01)"
    process = glovebox.start("run", "-c", code, *LONG, "--", token)
    assert process.stdout.readline() == b"line\n"
    process.stdout.close()
    process.stdout = None
    ended = finish(process)
    assert ended.status == 130, ended
    assert gone_within(token, 0.1)


def test_a_second_signal_ends_the_command_at_once(glovebox, token):
    process, _ = start_waiting(glovebox, token)
    process.send_signal(signal.SIGINT)
    process.send_signal(signal.SIGTERM)
    ended = finish(process)
    assert ended.status in (130, -signal.SIGTERM), ended
    assert gone_within(token, 1.0)


def test_killing_the_command_kills_the_cell_and_the_next_run_sweeps_its_groups(glovebox, mode, token):
    code = """
import os, signal, time
for _ in range(4):
    if os.fork() == 0:
        os.setsid()
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        time.sleep(600)
time.sleep(0.1)
print('running', flush=True)
time.sleep(600)
"""
    process = glovebox.start("run", "-c", code, *LONG, "--", token)
    assert process.stdout.readline() == b"running\n"
    assert len(processes_with(token)) >= 5
    process.kill()
    assert process.wait(timeout=SOON_S) == -signal.SIGKILL
    process.stdout.close()
    process.stderr.close()
    assert gone_within(token, 1.0), "the launcher and the cell die with the command"
    mine = f"glovebox.{process.pid}."
    deadline = time.monotonic() + SOON_S * slowness()
    while True:  # the kernel lets go of a group some moments after its last process
        assert glovebox("run", "-c", "1").status == 0
        left = [group for group in cell_groups(mode) if mine in group]
        if not left or time.monotonic() > deadline:
            break
    assert left == []


def test_cancelling_before_the_program_starts(glovebox, token):
    """At any moment: no window in which a signal is lost or leaves something behind."""
    for delay in (0.0, 0.002, 0.004, 0.008, 0.016):
        process = glovebox.start("run", "-c", WAITING, *LONG, "--", token)
        time.sleep(delay * slowness())
        process.send_signal(signal.SIGTERM)
        ended = finish(process)
        assert ended.status in (130, -signal.SIGTERM), ended
    assert gone_within(token, 1.0)
