"""Kernels are compiled in parts, on all CPUs. The number of parts must not change the output."""

import json
import os

import exporting
import harness
import models


def test_cpus_do_not_show(tmp_path):
    spec = models.get("resnet_small")
    model = tmp_path / "m.pt2"
    exporting.save(spec.program(spec.build()), model)
    report = tmp_path / "report.json"
    allowed = os.sched_getaffinity(0)
    artefacts = []
    for cpus in ({min(allowed)}, allowed):
        artefact = tmp_path / "m.so"
        os.sched_setaffinity(0, cpus)
        try:
            result = harness.tool("fx-compile", model, "-o", artefact, "--report", report)
        finally:
            os.sched_setaffinity(0, allowed)
        assert result.returncode == 0, result.stderr
        artefacts.append(artefact.read_bytes())
    assert json.loads(report.read_text())["parts"] > 1
    assert artefacts[0] == artefacts[1]
