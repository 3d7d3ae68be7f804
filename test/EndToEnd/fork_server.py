"""Runs a tool many times without loading LibTorch each time.

Loading LibTorch takes half a second, and running a small program with it a hundredth. So the tool
is started once with LibTorch, and each run is a fork of that process before its main function
(fork_server.c): it has memory, options and crashes of its own, as a process that was just started.
"""

import atexit
import functools
import os
import pathlib
import resource
import selectors
import shutil
import struct
import subprocess
import tempfile


def _environment() -> dict[str, str]:
    """Returns the environment of a tool. pytest changes its own variable in each test."""
    found = {"OMP_NUM_THREADS": "1", **os.environ}
    found.pop("PYTEST_CURRENT_TEST", None)
    return found


class Server:
    def __init__(self, tool: pathlib.Path, libraries: list[pathlib.Path], preload: pathlib.Path):
        self.tool = str(tool)
        self.environment = _environment()
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="fork-server-"))
        self.process = subprocess.Popen(
            [self.tool],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            bufsize=0,
            env={
                **self.environment,
                "LD_PRELOAD": str(preload),
                "FX_FORK_SERVER": ":".join(map(str, libraries)),
            },
            start_new_session=True,
        )
        for kind, limit in ((resource.RLIMIT_AS, 16 << 30), (resource.RLIMIT_CORE, 0)):
            hard = resource.prlimit(self.process.pid, kind)[1]
            resource.prlimit(self.process.pid, kind, (limit, hard))

    def fits(self) -> bool:
        """Returns True if a process that is started now would see the same environment."""
        return self.process.poll() is None and self.environment == _environment()

    def run(self, arguments: list[str], timeout: float) -> subprocess.CompletedProcess:
        """As `subprocess.run`, with output as text."""
        out, err = self.folder / "out", self.folder / "err"
        command = [self.tool, *arguments]
        strings = [str(out), str(err), os.getcwd(), *command]
        data = b"".join(os.fsencode(s) + b"\0" for s in strings)
        self.process.stdin.write(struct.pack("I", len(data)) + data)
        with selectors.DefaultSelector() as selector:
            selector.register(self.process.stdout, selectors.EVENT_READ)
            if not selector.select(timeout):
                self.close()
                raise subprocess.TimeoutExpired(command, timeout)
        reply = self.process.stdout.read(4)
        if len(reply) < 4:
            raise RuntimeError(f"the fork server of {self.tool} ended with {self.process.wait()}")
        status = os.waitstatus_to_exitcode(struct.unpack("i", reply)[0])
        texts = [path.read_text(errors="replace") for path in (out, err)]
        return subprocess.CompletedProcess(command, status, *texts)

    def close(self) -> None:
        if self.process.poll() is None:
            os.killpg(self.process.pid, 9)  # the run, too
            self.process.wait()
        self.process.stdin.close()
        self.process.stdout.close()
        shutil.rmtree(self.folder, ignore_errors=True)


@functools.cache
def _preload() -> pathlib.Path | None:
    """Compiles the library once for all servers of a process."""
    compiler = shutil.which("cc") or shutil.which("clang-22")
    if not compiler:
        return None
    folder = tempfile.TemporaryDirectory(prefix="fork-server-")
    atexit.register(folder.cleanup)
    library = pathlib.Path(folder.name) / "fork_server.so"
    source = pathlib.Path(__file__).with_name("fork_server.c")
    subprocess.run([compiler, "-shared", "-fPIC", "-O1", source, "-o", library], check=True)
    return library


_servers: dict[tuple[pathlib.Path, pathlib.Path | None], Server] = {}


def server(tool: pathlib.Path, library: pathlib.Path | None) -> Server | None:
    """Returns the server of a tool that has loaded `library`; None where there is none: in builds
    with sanitizers, or if the environment has changed since the server was started."""
    if os.environ.get("ASAN_OPTIONS") or (library and not library.exists()) or not _preload():
        return None
    found = _servers.get((tool, library))
    if not found or found.process.poll() is not None:
        found = _servers[tool, library] = Server(tool, [library] if library else [], _preload())
        atexit.register(found.close)
    return found if found.fits() else None
