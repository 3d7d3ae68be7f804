"""A backend of `transformers.exporters`: exported models of transformers run as native code.

    import fx_mlir.transformers
    from transformers.exporters import AutoHfExporter, ExportedModel

    config = fx_mlir.transformers.FXConfig(dynamic=True)
    exported = AutoHfExporter.from_config(config).export(model, inputs, config)
    exported(**inputs)                      # what the model returns
    exported.save_pretrained("folder")      # model.so, with its metadata
    ExportedModel.from_pretrained("folder")

The import of this module registers the format "fx_mlir". `export_for_generation` of the exporter
makes one program for each stage; `fx_mlir.export_for_generation` makes one model with all stages,
whose caches stay inside, and which `python -m fx_mlir.generate` runs.
"""

from __future__ import annotations

import os
from collections.abc import MutableMapping
from dataclasses import dataclass
from typing import Any

import torch
from transformers.exporters.auto import register_backend
from transformers.exporters.configs import DynamoConfig
from transformers.exporters.exporter_dynamo import DynamoExporter
from transformers.exporters.metadata import ExportMetadata, load_treespec
from transformers.exporters.runners.base import ModelRunner

import fx_mlir

#: The name of the format in `transformers.exporters`.
FORMAT = "fx_mlir"


@dataclass
class FXConfig(DynamoConfig):
    """The options of `DynamoConfig`, and those of `fx_mlir.compile`."""

    export_format: Any = FORMAT

    precision: str = "f32"
    cpu: str = ""
    opt_level: int = 3
    no_fallback: bool = False


class FXExporter(DynamoExporter):
    """Exports a model by torch.export and compiles the program. A program is a `CompiledModel`."""

    export_format: Any = FORMAT
    config_class = FXConfig
    program_suffix = ".so"

    def export_program(
        self, model: Any, sample_inputs: MutableMapping[str, Any], config: Any
    ) -> tuple[fx_mlir.CompiledModel, ExportMetadata]:
        program, metadata = super().export_program(model, sample_inputs, config)
        compiled = fx_mlir.compile(
            program,
            precision=config.precision,
            cpu=config.cpu,
            opt_level=config.opt_level,
            no_fallback=config.no_fallback,
        )
        return compiled, metadata

    @classmethod
    def save_program(cls, program: fx_mlir.CompiledModel, path: str | os.PathLike) -> None:
        program.save(path)

    @classmethod
    def load_program(cls, path: str | os.PathLike) -> fx_mlir.CompiledModel:
        return fx_mlir.load(path)


class FXRunner(ModelRunner):
    """Runs a compiled program on the tensors of the caller. Caches that the program writes, which
    are inputs of a static export, are written in place."""

    def __init__(
        self, program: fx_mlir.CompiledModel, metadata: ExportMetadata, threads: int
    ) -> None:
        super().__init__(metadata)
        self.program = program
        self.program.threads = threads
        self.in_spec = load_treespec(metadata.in_spec or "")
        self.names = self.in_spec.children()[1].context

    @property
    def device(self) -> torch.device:
        return torch.device("cpu")

    @classmethod
    def from_program(
        cls, program: fx_mlir.CompiledModel, metadata: ExportMetadata, device=None, threads: int = 1
    ) -> FXRunner:
        if device is not None and torch.device(device).type != "cpu":
            raise fx_mlir.Error(f"device: expected the CPU, got '{device}'")
        return cls(program, metadata, threads)

    def __call__(self, share_inputs: bool = True, share_outputs: bool = False, **kwargs) -> Any:
        kwargs = {**self.metadata.in_constants, **kwargs}
        missing = [name for name in self.names if name not in kwargs]
        if missing:
            raise fx_mlir.Error(f"expected the inputs {', '.join(self.names)}, got no {missing[0]}")
        ordered = {name: kwargs[name] for name in self.names}
        leaves, spec = torch.utils._pytree.tree_flatten(((), ordered))
        if spec != self.in_spec:
            want, got = (" ".join(str(s).split()) for s in (self.in_spec, spec))
            raise fx_mlir.Error(f"expected inputs of the form {want}, got {got}")
        return self.unflatten(self.program.call_flat(leaves))


register_backend(FXExporter, FXRunner)
