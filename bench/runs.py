"""Runs of programs: their times, their memory, and what the kernel did for them."""
import collections
import dataclasses
import os
import re
import shutil
import subprocess
import sys
import tempfile
import threading
import time


@dataclasses.dataclass
class Command:
    """A program to run; before is called ahead of each run and is not measured."""
    argv: list
    env: dict
    cwd: str
    before: callable = lambda: None


Times = collections.namedtuple("Times", "wall cpu")


def start(command, argv=None):
    return subprocess.Popen(argv or command.argv, env=command.env, cwd=command.cwd, stdin=subprocess.DEVNULL,
                            stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)


def run(command):
    """Runs a command once and returns its times in seconds; processor time includes its children's."""
    command.before()
    begun = time.perf_counter()
    process = start(command)
    errors = process.stderr.read()
    _, status, usage = os.wait4(process.pid, 0)
    wall = time.perf_counter() - begun
    process.returncode = os.waitstatus_to_exitcode(status)
    check(command, process.returncode, errors)
    return Times(wall, usage.ru_utime + usage.ru_stime)


def check(command, code, errors):
    if code != 0:
        sys.exit(f"{' '.join(command.argv)}: exit status {code}\n{errors.decode(errors='replace')}")


def peak(command):
    """The peak memory of the process itself in MiB, NaN where /proc does not tell. It is
    read until the process ends: ru_maxrss would include this program's own memory."""
    command.before()
    process = start(command)
    threading.Thread(target=process.stderr.read, daemon=True).start()
    most = float("nan")
    while process.poll() is None:
        try:
            with open(f"/proc/{process.pid}/status") as status:
                found = re.search(r"VmHWM:\s+(\d+) kB", status.read())
        except OSError:
            found = None
        if found:
            most = int(found.group(1)) / 1024
        time.sleep(0.0005)
    return most


def count_calls(command):
    """How often a run calls what is dear: fsync, connect and execve, its children included."""
    strace = shutil.which("strace")
    if not strace:
        return "there is no strace"
    command.before()
    with tempfile.NamedTemporaryFile("r") as report:
        argv = [strace, "-f", "-qq", "-e", "trace=fsync,fdatasync,connect,execve", "-o", report.name, *command.argv]
        process = start(command, argv)
        errors = process.stderr.read()
        check(command, process.wait(), errors)
        text = report.read()
    found = collections.Counter(re.findall(r"\b(fsync|fdatasync|execve)\(.*= 0", text))
    connects = len(re.findall(r"connect\(.*sin6?_port", text))
    syncs = found["fsync"] + found["fdatasync"]
    return f"{syncs} fsync, {connects} connect, {found['execve']} processes"
