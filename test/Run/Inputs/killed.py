"""Kills a command with SIGKILL at different times; its TMPDIR must stay empty.

usage: killed.py TMPDIR COMMAND...
"""

import os
import pathlib
import subprocess
import sys
import time

folder, command = pathlib.Path(sys.argv[1]), sys.argv[2:]
killed = 0
for delay in (0.02, 0.05, 0.1, 0.2, 0.4, 0.8, 1.5):
    process = subprocess.Popen(command, env=os.environ | {"TMPDIR": str(folder)}, stdout=subprocess.DEVNULL)
    time.sleep(delay)
    killed += process.poll() is None
    process.kill()
    process.wait()
left = sorted(p.name for p in folder.iterdir())
if left or killed < 4:
    sys.exit(f"killed {killed} times, left {left}")
