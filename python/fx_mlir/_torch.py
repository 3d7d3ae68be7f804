"""Checks the installed torch before anything is loaded that needs it."""

from __future__ import annotations

import warnings

#: The release of torch that the extension and the fallback to ATen are built for.
RELEASE = "2.13"


def check(version: str | None = None) -> None:
    """Raises ImportError if torch is missing. Warns if its release is not RELEASE."""
    if version is None:
        try:
            import torch
        except ModuleNotFoundError as e:
            if e.name != "torch":
                raise
            raise ImportError(
                f"fx_mlir: expected torch {RELEASE}, got none; `pip install 'torch=={RELEASE}.*'` installs it"
            ) from None
        version = torch.__version__
    if version.split(".")[:2] != RELEASE.split("."):
        warnings.warn(
            f"fx_mlir: expected torch {RELEASE}, got {version}; operators that ATen runs may fail. "
            f"`pip install 'torch=={RELEASE}.*'` installs the expected release",
            stacklevel=3,
        )
