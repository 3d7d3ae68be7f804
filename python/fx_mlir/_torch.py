"""torch, which only parts of the package need: it is imported when one of them is used."""

from __future__ import annotations

import sys
import warnings
from typing import Any

#: The release of torch that the extension and the fallback to ATen are built for.
RELEASE = "2.13"

#: The release that was checked.
_checked: str | None = None


def loaded() -> Any:
    """Returns torch if the process has imported it, or None. Values of torch can only
    exist if it has."""
    return sys.modules.get("torch")


def check(version: str) -> None:
    """Warns if the release of torch is not RELEASE, once for each version."""
    global _checked
    if version == _checked:
        return
    _checked = version
    if version.split(".")[:2] != RELEASE.split("."):
        warnings.warn(
            f"fx_mlir: expected torch {RELEASE}, got {version}; operators that ATen runs may fail. "
            f"`pip install 'torch=={RELEASE}.*'` installs the expected release",
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
            f"fx_mlir: {user} needs torch {RELEASE}, which is not installed; "
            f"`pip install 'torch=={RELEASE}.*'` installs it"
        ) from None
    check(torch.__version__)
    return torch


def load_for_aten() -> str | None:
    """Imports torch before the extension loads libFXTorch, which must use the LibTorch of
    this process. Returns the reason if that is not possible."""
    try:
        require("an operator that ATen runs")
    except Exception as e:  # whatever an import raises: the extension reports it
        return str(e)
    return None
