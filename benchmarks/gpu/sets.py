"""The cases that a bundle can contain, grouped in sets, and those that each part runs."""

import calibrate
import cases
import data
import nets
import torch

#: The sets. The bundle's file SET.tar.xz contains the artefacts of a set.
SETS = {"calibrate": calibrate.programs(), "kernels": cases.kernels(), "models": nets.nets()}
CASES: dict[str, cases.Case] = {name: case for part in SETS.values() for name, case in part.items()}
#: Artefacts with other tiles than the compiler's choice, with the keys "CASE@TILES".
VARIANTS = {f"{name}@{tiles}": (name, tiles)
            for name, choices in cases.VARIANTS.items() for tiles in choices if tiles}
#: Models for which the compiler considers clusters, which it does not do otherwise.
VARIANTS |= {f"{name}@warpgroup={cases.CLUSTERS[-1]}": (name, f"warpgroup={cases.CLUSTERS[-1]}")
             for name in SETS["models"] if name.endswith("_bf16")}
SETS["variants"] = VARIANTS


def of_key(key: str) -> cases.Case:
    return CASES[key.split("@")[0]]


def make(key: str, small: bool) -> tuple[torch.nn.Module, tuple, dict]:
    """Returns a module with its weights, and its inputs, on the host."""
    case = of_key(key)
    with data.NoInit():
        module = case.build(small).eval().requires_grad_(False)
    data.fill(module.to(case.dtype), case.folds)
    args, kwargs = case.inputs(small)
    return module, args, kwargs


def part_keys(part: str, there: list[str]) -> list[str]:
    """Returns the cases of a part, limited to those that the bundle contains."""
    wanted = {
        "calibrate": SETS["calibrate"], "correct": SETS["kernels"] | SETS["models"],
        "speed": SETS["kernels"], "models": SETS["models"],
        "compile": [*nets.COMPILED, *cases.COMPILED], "profile": cases.PROFILED,
        "variants": [key for name in cases.VARIANTS
                     for key in (name, *(k for k, v in VARIANTS.items() if v[0] == name))],
    }[part]
    return [key for key in wanted if key in there]


PARTS = ("calibrate", "correct", "speed", "models", "compile", "profile", "variants")
