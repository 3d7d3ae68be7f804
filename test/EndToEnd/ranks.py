"""Starts the processes of a run with several ranks, with torchrun's environment, over loopback."""

import os
import pathlib
import socket
import subprocess
import sys
import time

import harness

#: Seconds after which a test kills its processes.
DEADLINE = 60


def free_port() -> int:
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


def environment(rank: int, world: int, port: int) -> dict:
    return {
        **os.environ,
        "OMP_NUM_THREADS": "1",
        "MASTER_ADDR": "127.0.0.1",
        "MASTER_PORT": str(port),
        "RANK": str(rank),
        "LOCAL_RANK": str(rank),
        "WORLD_SIZE": str(world),
    }


class Ranks:
    """Processes, one for each command."""

    def __init__(self, port: int | None = None, world: int | None = None):
        self.port = port or free_port()
        self.world = world
        self.processes: list[subprocess.Popen] = []

    def start(self, *commands: list, first: int = 0) -> "Ranks":
        for rank, command in enumerate(commands, first):
            self.processes.append(
                subprocess.Popen(
                    list(map(str, command)),
                    env=environment(rank, self.world or len(commands), self.port),
                    stdin=subprocess.DEVNULL,
                    stdout=subprocess.PIPE,
                    stderr=subprocess.PIPE,
                    text=True,
                )
            )
        return self

    def wait_for_model(self, model: pathlib.Path) -> None:
        """Waits until all have loaded a compiled model, which they do after they have joined."""
        end = time.monotonic() + DEADLINE
        while time.monotonic() < end:
            maps = [pathlib.Path(f"/proc/{p.pid}/maps").read_text() for p in self.processes]
            if all(str(model) in text for text in maps):
                return
            assert all(p.poll() is None for p in self.processes), self.wait()
            time.sleep(0.05)
        raise AssertionError(f"not loaded: {self.wait()}")

    def wait(self) -> list[tuple[int, str, str]]:
        """Returns the status, stdout and stderr of each."""
        end = time.monotonic() + DEADLINE
        try:
            results = []
            for process in self.processes:
                out, err = process.communicate(timeout=max(0.1, end - time.monotonic()))
                results.append((process.returncode, out, err))
            return results
        finally:
            for process in self.processes:
                if process.poll() is None:
                    process.kill()
                    process.communicate()


def fx_run(model: pathlib.Path, *flags) -> list:
    return [harness.BUILD / "bin" / "fx-run", model, *flags]


def run(*commands: list) -> list[str]:
    """Runs one command for each rank. Returns the stdout of each."""
    results = Ranks().start(*commands).wait()
    assert [code for code, _, _ in results] == [0] * len(commands), results
    return [out for _, out, _ in results]


def python(script: str, *args) -> list:
    return [sys.executable, pathlib.Path(__file__).parent / "rank_scripts" / script, *args]
