"""With export_caches, torch.export returns and saves what it does without."""

import re
import zipfile

import export_caches
import exporting
import models
import pytest
import torch


@pytest.fixture
def plain():
    """PyTorch alone."""
    export_caches.uninstall()
    yield
    export_caches.install()


def _archive(path) -> dict:
    """Returns the files of an archive. The archive's identifier and the addresses of graphs differ
    between any two exports."""
    with zipfile.ZipFile(path) as archive:
        files = {name: archive.read(name) for name in archive.namelist()}
    return {
        name: re.sub(rb'\\"graph_id\\": \d+', b"", data)
        for name, data in files.items()
        if not name.endswith("serialization_id")
    }


def _saved(folder, dynamic):
    """Returns the archives of an exported program, of a decomposed one, and of one that is loaded."""
    spec = models.get("mlp")
    program = spec.program(spec.build(), dynamic, False)
    archives = []
    for name in ("exported", "decomposed", "loaded"):
        if name == "decomposed":
            program = program.run_decompositions()
        if name == "loaded":
            program = torch.export.load(folder / "m.pt2")
        exporting.save(program, folder / "m.pt2")
        archives.append(_archive(folder / "m.pt2"))
    return archives


@pytest.mark.parametrize("dynamic", [False, True], ids=["static", "dynamic"])
def test_archives_are_the_same(dynamic, tmp_path):
    cached = _saved(tmp_path, dynamic)
    export_caches.uninstall()
    try:
        plain = _saved(tmp_path, dynamic)
    finally:
        export_caches.install()
    assert cached == plain
    assert all(any(name.endswith("model.json") for name in archive) for archive in cached)


def test_operators_that_can_be_kept(plain):
    """With operators that were registered after the first call."""
    from torch._export import utils

    assert export_caches._cia_operators() == utils._collect_all_valid_cia_ops()
    with torch.library._scoped_library("test_export_caches", "DEF") as library:
        library.define("twice(Tensor x) -> Tensor")
        library.impl("twice", lambda x: x * 2, "CompositeImplicitAutograd")
        found = export_caches._cia_operators()
        assert torch.ops.test_export_caches.twice.default in found
        assert found == utils._collect_all_valid_cia_ops()


def test_every_function_is_replaced():
    """A release of PyTorch with other functions would make the tests slow without a word."""
    assert None not in export_caches.ORIGINAL
    for (where, name), replacement in zip(export_caches.REPLACED, export_caches.REPLACEMENTS):
        assert getattr(where, name) is replacement
