"""Runs the tools on exported programs and compares with eager PyTorch."""

import os
import pathlib
import subprocess

import exporting
import fork_server
import leaves
import torch
from torch.utils import _pytree as pytree

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
BUILD = pathlib.Path(os.environ.get("FX_BUILD_DIR", ROOT / "build"))

#: The ways in which fx-run runs a model, by the names in test identifiers.
MODES = {
    "interpret": ["--interpret"],
    "compiled": [],  # falls back to ATen where it must
    "native": ["--no-fallback"],
}

#: Relative tolerance by dtype. The absolute tolerance is this times the RMS of the expected values.
TOLERANCE = {
    torch.float64: 1e-7,
    torch.complex128: 1e-7,
    torch.float32: 1e-4,
    torch.complex64: 1e-4,
    torch.float16: 4e-3,
    torch.bfloat16: 3e-2,
    torch.complex32: 4e-3,
}


class ToolError(AssertionError):
    """A tool ended with another status than expected. The text is its stderr."""


#: Limits memory so that a tool that runs away fails only its test. A preexec_fn would be slower:
#: each process would be forked from this one, with a copy of the page tables of a gigabyte.
LIMITS = [] if os.environ.get("ASAN_OPTIONS") else ["prlimit", f"--as={16 << 30}:", "--core=0"]


def tool(name: str, *args, timeout: int = 300) -> subprocess.CompletedProcess:
    """Runs a tool. The caller checks the status."""
    return subprocess.run(
        [*LIMITS, str(BUILD / "bin" / name), *map(str, args)],
        capture_output=True,
        text=True,
        errors="replace",
        timeout=timeout,
        stdin=subprocess.DEVNULL,
        env={"OMP_NUM_THREADS": "1", **os.environ},
    )


#: fx-compile's message for a model that can only be interpreted as a whole.
REFUSAL = "has no native code"


def compiled(model: pathlib.Path, mode: str, runs: int = 1, *flags: str) -> pathlib.Path:
    """Returns the model to give to fx-run for `runs` runs of `model` in `mode`: the model itself,
    or the shared object of fx-compile with `flags`. With the shared object many runs compile once, and the
    interpreter does not hide a failure of the compiler."""
    if mode == "interpret" or (mode == "native" and runs == 1):
        return model
    artefact = model.with_suffix(f".{mode}.so")
    result = tool("fx-compile", model, "-o", artefact, *MODES[mode], *flags)
    if result.returncode == 0:
        return artefact
    if mode == "compiled" and result.returncode == 1 and REFUSAL in result.stderr:
        return model
    raise ToolError(f"fx-compile ended with {result.returncode}: {result.stderr.strip()}")


def _fx_run(model: pathlib.Path, *flags) -> subprocess.CompletedProcess:
    """Runs fx-run as `tool` does. A run that may use ATen is a fork of a process that has loaded
    LibTorch; a run that must not is a fork of one that has not."""
    arguments = [str(model), *map(str, flags)]
    native = ".native" in model.suffixes or "--no-fallback" in arguments
    library = None if native else BUILD / "lib" / "libFXTorch.so"
    if server := fork_server.server(BUILD / "bin" / "fx-run", library):
        return server.run(arguments, timeout=300)
    return tool("fx-run", *arguments)


def run(model: pathlib.Path, inputs, folder: pathlib.Path, expected, *flags) -> list:
    """Runs fx-run on `inputs`, an (args, kwargs) pair, and returns the flat list of its outputs."""
    args, kwargs = inputs
    leaves.save_inputs(folder / "in", args, kwargs)
    result = _fx_run(model, "--inputs", folder / "in", "--outputs", folder / "out", *flags)
    if result.returncode:
        raise ToolError(f"fx-run {' '.join(map(str, flags))}: {result.stderr.strip()}")
    return leaves.load_outputs(folder / "out", expected)


def _errors(got: torch.Tensor, want: torch.Tensor, tolerance: float) -> torch.Tensor:
    """Returns each element's error divided by the tolerance; infinite if one value is NaN or
    infinite and the other is not the same."""
    kind = torch.complex128 if want.is_complex() else torch.float64
    got, want = got.to(kind), want.to(kind)
    finite = want[torch.isfinite(want)].abs()
    rms = finite.pow(2).mean().sqrt().item() if finite.numel() else 0.0
    errors = (got - want).abs() / (tolerance * (rms + want.abs()))
    same = (got == want) | (got.isnan() & want.isnan())
    errors = torch.where(want.isfinite() & ~errors.isnan(), errors, torch.inf)
    return torch.where(same, 0.0, errors)


def difference(got, want) -> str | None:
    """Returns the difference of two output leaves as text, or None if they are equal within the
    tolerance of their dtype."""
    if not isinstance(want, torch.Tensor):
        if isinstance(want, float):
            got, want = torch.tensor(float(got)).double(), torch.tensor(want).double()
        else:
            return None if got == want else f"got {got!r}, expected {want!r}"
    want = want.detach()
    if got.dtype != want.dtype:
        return f"got {got.dtype}, expected {want.dtype}"
    if got.shape != want.shape:
        return f"got shape {tuple(got.shape)}, expected {tuple(want.shape)}"
    tolerance = TOLERANCE.get(want.dtype)
    if tolerance is None:
        if want.dtype.is_floating_point:
            got, want = got.float(), want.float()
        wrong = ~((got == want) | ((got != got) & (want != want)))
    else:
        wrong = _errors(got, want, tolerance) > 1
    if not wrong.any():
        return None
    where = tuple(wrong.nonzero()[0].tolist())
    count = int(wrong.sum())
    return (
        f"{count} of {want.numel()} elements differ, the first at {where}: "
        f"got {got[where].item()}, expected {want[where].item()}"
    )


def largest_error(got: list, expected) -> float:
    """Returns the largest error of any output, divided by the tolerance."""
    return max(
        (
            _errors(g, w.detach(), TOLERANCE[w.dtype]).max().item()
            for g, w in zip(got, pytree.tree_leaves(expected))
            if isinstance(w, torch.Tensor) and w.dtype in TOLERANCE and w.numel()
        ),
        default=0.0,
    )


def compare(got: list, expected) -> None:
    flat = pytree.tree_leaves(expected)
    assert len(got) == len(flat), f"got {len(got)} outputs, expected {len(flat)}"
    problems = [
        f"output {k}: {problem}"
        for k, (g, w) in enumerate(zip(got, flat))
        if (problem := difference(g, w))
    ]
    assert not problems, "\n".join(problems)


def check(
    module: torch.nn.Module,
    args: tuple,
    kwargs: dict | None = None,
    *,
    folder: pathlib.Path,
    modes: list[str],
    dynamic=None,
    decomposed: bool = False,
    strict: bool = False,
    others: list[tuple[tuple, dict]] = (),
    program: torch.export.ExportedProgram | None = None,
) -> float:
    """Exports the module, runs it in each mode on the sample inputs and the others, and compares.
    Returns the largest error, divided by the tolerance."""
    if program is None:
        program = exporting.export(
            module, args, kwargs, dynamic=dynamic, decomposed=decomposed, strict=strict
        )
    model = folder / "m.pt2"
    exporting.save(program, model)
    runs = [(args, kwargs or {}), *others]
    expected = [exporting.eager(module, *inputs) for inputs in runs]
    worst = 0.0
    for mode in modes:
        target = compiled(model, mode, len(runs))
        flags = MODES[mode] if target == model else []
        for k, inputs in enumerate(runs):
            got = run(target, inputs, folder / f"{mode}_{k}", expected[k], *flags)
            try:
                compare(got, expected[k])
            except AssertionError as error:
                raise AssertionError(f"{mode}, input set {k}: {error}") from None
            worst = max(worst, largest_error(got, expected[k]))
    return worst
