"""torch, which only parts of the package need: it is imported when one of them is used."""

from __future__ import annotations

import os
import sys
import warnings
from typing import Any

#: The release of torch whose LibTorch libFXTorch uses: for the interpreter, and for operators
#: without native code.
RELEASE = "2.13"

#: The oldest and the newest release that were tried.
OLDEST, NEWEST = "2.10", "2.15"

#: The version that was checked.
_checked: str | None = None


def loaded() -> Any:
    """Returns torch if the process has imported it, or None. Values of torch can only
    exist if it has."""
    return sys.modules.get("torch")


def _release(version: str) -> tuple[int, ...]:
    """Returns the first two numbers of a version."""
    return tuple(int("".join(filter(str.isdigit, part)) or 0) for part in version.split(".")[:2])


def is_other() -> bool:
    """Returns true if torch is loaded and no libFXTorch can use it. There may be libraries for
    other releases, and $FX_TORCH_LIBRARY names one that is used for any."""
    torch = loaded()
    if torch is None or os.environ.get("FX_TORCH_LIBRARY"):
        return False
    release = ".".join(map(str, _release(torch.__version__)))
    if release == RELEASE:
        return False
    return not os.path.exists(os.path.join(os.path.dirname(__file__), f"libFXTorch-{release}.so"))


def check(version: str) -> None:
    """Warns if a release of torch was not tried, once for each version."""
    global _checked
    if version == _checked:
        return
    _checked = version
    if not _release(OLDEST) <= _release(version) <= _release(NEWEST):
        warnings.warn(
            f"fx_mlir: expected torch {OLDEST} to {NEWEST}, got {version}; some parts may fail. "
            f"`pip install 'torch=={RELEASE}.*'` installs the release that all parts support",
            stacklevel=3,
        )


def require(user: str) -> Any:
    """Imports torch for a part of the package, and returns it. Raises ImportError if it is
    missing."""
    try:
        import torch
    except ModuleNotFoundError as e:
        if e.name != "torch":
            raise
        raise ImportError(
            f"fx_mlir: {user} needs torch {OLDEST} to {NEWEST}, which is not installed; "
            f"`pip install 'torch=={RELEASE}.*'` installs it"
        ) from None
    check(torch.__version__)
    return torch


def load_for_aten() -> str | None:
    """Imports torch before the extension loads libFXTorch, which must use the LibTorch of
    this process. Returns the reason if that is not possible."""
    try:
        torch = require("an operator that ATen runs")
    except Exception as e:  # whatever an import raises: the extension reports it
        return str(e)
    if is_other():
        return (
            f"libFXTorch.so is built for torch {RELEASE}, got {torch.__version__}; "
            f"`pip install 'torch=={RELEASE}.*'` installs it"
        )
    return None
