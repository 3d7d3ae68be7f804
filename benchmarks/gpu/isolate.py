"""Runs a task in a process of its own, which may crash, hang, or corrupt its CUDA context.

A task reports results step by step with `emit(key=value, ...)`. All results before the end of the
process are kept, even if it crashes. Processes are forked, with torch imported but no GPU in use.
If fork does not work on a machine, or for processes under a tool, a new process is started instead
(`run.py --task`).
"""

import json
import os
import pathlib
import select
import signal
import subprocess
import sys
import tempfile
import time
import traceback

#: The bytes of a process's output that are kept, and the seconds to wait for its end.
TAIL, GRACE = 3000, 10


def perform(work, task: dict, fd: int) -> int:
    """Runs `work(task, emit)` and returns the exit status for the process."""
    for key, value in task.get("env", {}).items():
        os.environ[key] = value

    def emit(**found):
        line = json.dumps(found, default=str).encode() + b"\n"
        while line:
            line = line[os.write(fd, line):]

    try:
        work(task, emit)
        emit(is_done=True)
        return 0
    except BaseException as e:  # SystemExit and KeyboardInterrupt are reported, too
        frames = [f"{pathlib.Path(f.filename).name}:{f.lineno}"
                  for f in traceback.extract_tb(e.__traceback__)]
        emit(status="failed", error=f"{type(e).__name__}: {e}"[:4000], at=frames[-6:])
        return 1


def _fork(work, task: dict, fd: int, output) -> int:
    sys.stdout.flush()
    sys.stderr.flush()
    child = os.fork()
    if child:
        return child
    status = 1
    try:
        os.setsid()
        os.dup2(output.fileno(), 1)
        os.dup2(output.fileno(), 2)
        status = perform(work, task, fd)
    finally:
        os._exit(status)


def _start(task: dict, fd: int, output, prefix: list[str]) -> int:
    main = pathlib.Path(__file__).resolve().with_name("run.py")
    task = {**task, "fd": fd}
    command = [*prefix, sys.executable, str(main), "--task", json.dumps(task)]
    process = subprocess.Popen(command, stdout=output, stderr=output, pass_fds=[fd],
                               start_new_session=True)
    process.returncode = 0  # `_end` waits for the process, not Popen
    return process.pid


def _end(child: int) -> int | None:
    """Waits GRACE seconds for a process to end. Returns its status, or None if it still runs."""
    deadline = time.monotonic() + GRACE
    while time.monotonic() < deadline:
        pid, status = os.waitpid(child, os.WNOHANG)
        if pid:
            return status
        time.sleep(0.02)
    return None


def _kill(child: int) -> None:
    try:
        os.killpg(child, signal.SIGKILL)
    except ProcessLookupError:
        pass


def call(work, task: dict, timeout: float, prefix=(), forks: bool = True) -> dict:
    """Runs a task and returns its results. `status` is the one that the task reports, or else ok,
    failed, crashed or timeout."""
    begin, found, rest = time.monotonic(), {}, b""
    read, write = os.pipe()
    with tempfile.TemporaryFile() as output:
        if forks and not prefix:
            child = _fork(work, task, write, output)
        else:
            child = _start(task, write, output, list(prefix))
        os.close(write)
        is_late, status = False, None
        while True:
            left = begin + timeout - time.monotonic()
            if left <= 0:
                is_late = True
                break
            if select.select([read], [], [], min(left, 0.5))[0]:
                data = os.read(read, 1 << 16)
                *lines, rest = (rest + data).split(b"\n")
                for line in lines:
                    found |= json.loads(line)
                if not data:
                    break
            elif status is None:
                # A child of the process may keep the pipe open after its end.
                pid, ended = os.waitpid(child, os.WNOHANG)
                status = ended if pid else None
            else:
                break
        os.close(read)
        if is_late:
            _kill(child)
        if status is None:
            status = _end(child)
        if status is None:
            _kill(child)
            status = _end(child)
        _kill(child)  # kill the children of the process
        is_done = found.pop("is_done", False)
        if is_late:
            found["status"] = "timeout"
            found["error"] = f"no end after {timeout:.0f} s, in the stage '{found.get('stage')}'"
        elif status is None:
            found["status"], found["error"] = "timeout", "the process could not be killed"
        elif os.WIFSIGNALED(status):
            name = signal.Signals(os.WTERMSIG(status)).name
            found["status"] = "crashed"
            found["error"] = f"ended by {name} in the stage '{found.get('stage')}'"
        elif not is_done and found.get("status") != "failed":
            found["status"] = "crashed"
            found["error"] = (f"ended with status {os.WEXITSTATUS(status)} in the stage "
                              f"'{found.get('stage')}'")
        found.setdefault("status", "ok")
        if found["status"] != "ok":
            size = output.seek(0, os.SEEK_END)
            output.seek(max(0, size - TAIL))
            found["output"] = output.read().decode(errors="replace")
    found["seconds"] = round(time.monotonic() - begin, 2)
    return found
