"""Reads the corpus.

usage: corpus.py FOLDER

Checks with the installed torch that it reads each archive `NAME.pt2` in FOLDER, and that the program
computes what eager PyTorch did.
"""

import json
import pathlib
import re
import sys
import warnings
import zipfile

import numpy as np

HERE = pathlib.Path(__file__).resolve().parent

#: Relative tolerance by kind and size of the elements; the absolute one is this times the RMS.
TOLERANCE = {"f4": 1e-4, "f2": 4e-3, "V2": 3e-2, "f8": 1e-7}


def load_values(name: str) -> list[tuple[dict, dict]]:
    """Returns the sets of inputs and outputs of a program, by the names of fx-run's files."""
    sets = {}
    with np.load(HERE / "values" / f"{name}.npz") as values:
        for key in values:
            number, _, leaf = key.rpartition(".")
            pair = sets.setdefault(int(number or 0), ({}, {}))
            pair[leaf.startswith("out")][leaf] = values[key]
    return [sets[k] for k in sorted(sets)]


def to_float(array: np.ndarray) -> np.ndarray:
    if array.dtype.kind == "V":  # bfloat16
        bits = np.frombuffer(array.tobytes(), np.uint16).astype(np.uint32) << 16
        return bits.view(np.float32).astype(np.float64).reshape(array.shape)
    return array.astype(np.float64)


def compare(got: dict, expected: dict) -> None:
    """Compares the outputs by name."""
    assert got.keys() == expected.keys(), f"got {sorted(got)}, expected {sorted(expected)}"
    for name, want in expected.items():
        have = got[name]
        assert (have.dtype, have.shape) == (want.dtype, want.shape), (name, have.dtype, have.shape)
        tolerance = TOLERANCE.get(want.dtype.str[1:])
        if tolerance is None:
            np.testing.assert_array_equal(have, want, err_msg=name)
            continue
        have, want = to_float(have), to_float(want)
        rms = np.sqrt(np.mean(want**2)) if want.size else 0.0
        np.testing.assert_allclose(
            have, want, rtol=tolerance, atol=tolerance * rms, err_msg=name
        )


def load_program(path: pathlib.Path) -> dict:
    with zipfile.ZipFile(path) as archive:
        (record,) = [n for n in archive.namelist() if n.split("/", 1)[1] == "models/model.json"]
        return json.loads(archive.read(record))


def get_nodes(path: pathlib.Path) -> str:
    """Returns the nodes and the signature of a program without names of Python's code. Programs
    that agree in this do not differ for a compiler."""
    module = load_program(path)["graph_module"]

    def strip(value):
        if isinstance(value, dict):
            dropped = {"metadata", "module_call_graph", "hint"}
            if "target" in value:
                dropped.add("name")
            return {k: strip(v) for k, v in value.items() if k not in dropped and v is not None}
        if isinstance(value, list):
            return [strip(item) for item in value]
        return value

    return json.dumps(strip(module), sort_keys=True)


def read_records(path: pathlib.Path) -> dict:
    """Returns the records below the root folder; JSON as values."""
    with zipfile.ZipFile(path) as archive:
        records = {name.split("/", 1)[1]: archive.read(name) for name in archive.namelist()}
    return {k: json.loads(v) if k.endswith(".json") else v for k, v in records.items()}


def find_difference(old, new, path: str = "") -> str | None:
    """Returns where a program that was written differs. It may have members that the old version
    does not have, with values that say nothing; and nodes have names, which torch writes since 2.11.
    """
    if isinstance(old, dict) and isinstance(new, dict):
        if lost := old.keys() - new.keys():
            return f"{path}: lost {sorted(lost)}"
        for key, value in new.items():
            if key in old:
                if problem := find_difference(old[key], value, f"{path}.{key}"):
                    return problem
            elif value not in (None, [], {}, False) and not (key == "name" and "target" in old):
                return f"{path}: new {key} = {value!r}"
        return None
    if isinstance(old, list) and isinstance(new, list) and len(old) == len(new):
        for k, pair in enumerate(zip(old, new)):
            if problem := find_difference(*pair, f"{path}[{k}]"):
                return problem
        return None
    return None if old == new else f"{path}: {old!r} became {new!r}"[:300]


def compare_programs(path: pathlib.Path, back: pathlib.Path, graph_only: bool = False) -> None:
    """Compares an archive with what was written after its import."""
    old, new = read_records(path), read_records(back)
    if graph_only:
        old, new = ({k: v for k, v in r.items() if k == "models/model.json"} for r in (old, new))
    for records in (old, new):
        records["models/model.json"].pop("schema_version")
        for own in (".data/serialization_id", ".data/version", "version"):
            records.pop(own, None)
    problem = find_difference(old, new)
    assert problem is None, problem


def check_in_torch(path: pathlib.Path, name: str) -> None:
    """The installed torch reads the archive, and its program computes the expected values."""
    import torch
    from make import to_array
    from programs import PROGRAMS
    from torch.utils import _pytree as pytree

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        program = torch.export.load(path)
        for args, (_, expected) in zip(PROGRAMS[name]().inputs, load_values(name)):
            with torch.no_grad():
                leaves = pytree.tree_leaves(program.module()(*args))
            outputs = {f"out_{k}": to_array(leaf) for k, leaf in enumerate(leaves)}
            compare({k: v for k, v in outputs.items() if v is not None}, expected)


def main() -> int:
    import torch

    failed = 0
    paths = sorted(pathlib.Path(sys.argv[1]).glob("*.pt2"))
    for path in paths:
        try:
            check_in_torch(path, path.stem)
        except Exception as error:  # noqa: BLE001
            text = re.sub(r"\s+", " ", str(error))[:300]
            print(f"{path.stem}: {type(error).__name__}: {text}")
            failed += 1
    print(f"torch {torch.__version__}: {len(paths) - failed} of {len(paths)} archives are right")
    return failed != 0 or not paths


if __name__ == "__main__":
    sys.exit(main())
