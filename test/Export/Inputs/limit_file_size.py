"""Runs a program whose files may have at most so many bytes: a write beyond fails as
on a full disk."""

import os
import resource
import signal
import sys

signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGXFSZ})
size = int(sys.argv[1])
resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))
os.execvp(sys.argv[2], sys.argv[2:])
