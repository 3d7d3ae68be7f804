"""Writes the seeds of the fuzzers: programs of the lit tests, small exported archives, and
files of weights.

usage: seeds.py import|compile|weights FOLDER
"""

import pathlib
import re
import subprocess
import sys

TEST = pathlib.Path(__file__).resolve().parent.parent
#: The largest size of an input in bytes. Larger ones are slow, and most of their mutations do not
#: matter.
LARGEST = {"import": 200_000, "compile": 4_000, "weights": 20_000}
#: The forms to which programs are compiled, as Compile.cpp reads them.
FORMS = ["ll", "so", "ptx", "hsaco", "spirv"]
MODELS = "mlp cond bert_small llama_small_decode resnet_small".split()


def exports(folder: pathlib.Path) -> None:
    """Writes archives of the importer's own tests, of torch's examples and of models."""
    inputs = TEST / "Import" / "Inputs"
    cases = "Tied Guards StrictGuards Names Mutation Branches Loop Custom DataDependent".split()
    subprocess.run([sys.executable, inputs / "export.py", folder, *cases], check=True)
    subprocess.run([sys.executable, inputs / "db.py", folder, "0", "1"], check=True)
    for model in MODELS:
        script = TEST.parent / "scripts" / "export.py"
        output = folder / f"{model}.pt2"
        subprocess.run([sys.executable, script, model, "-o", output], check=True)


def programs(folder: pathlib.Path) -> None:
    """Writes every graph of the lit tests, without comments, for each form."""
    for path in sorted(TEST.rglob("*.mlir")):
        for k, part in enumerate(re.split(r"^// -----.*$", path.read_text(), flags=re.M)):
            lines = [line for line in part.splitlines() if not line.lstrip().startswith("//")]
            if "fx.graph" in part:
                text = "\n".join(lines).strip() + "\n"
                for form in FORMS:
                    name = f"{path.parent.name}-{path.stem}-{k}.{form}.mlir"
                    (folder / name).write_text(f"// emit: {form}\n{text}")


def pickles(folder: pathlib.Path) -> None:
    """Writes the pickles of torchao's weights, and one of a dict of tensors."""
    import io
    import tarfile
    import zipfile

    import torch

    def write(name: str, data: bytes) -> None:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            (pickle,) = [n for n in archive.namelist() if n.endswith("/data.pkl")]
            (folder / f"{name}.pkl").write_bytes(archive.read(pickle))

    with tarfile.open(TEST / "EndToEnd" / "torchao" / "archives.tar.xz") as tar:
        for member in tar.getmembers():
            if not member.name.endswith(".pt2"):
                continue
            with zipfile.ZipFile(io.BytesIO(tar.extractfile(member).read())) as archive:
                for name in archive.namelist():
                    data = archive.read(name)
                    if "/data/weights/weight_" in name and data.startswith(b"PK"):
                        write(f"{member.name}-{name[-1]}", data)
    buffer = io.BytesIO()
    torch.save({"a": torch.zeros(2, 3), "b": torch.nn.Parameter(torch.ones(4))}, buffer)
    write("dict", buffer.getvalue())


def weights(folder: pathlib.Path) -> None:
    """Writes the wrong files of the tests, and files of each format."""
    sys.path.insert(0, str(TEST / "Python"))
    import numpy as np
    import weight_files
    from safetensors.numpy import save_file

    for name, (data, _) in weight_files.MALFORMED.items():
        (folder / name).write_bytes(data)
    arrays = {"a": np.arange(6.0).reshape(2, 3), "b": np.zeros(5, np.float16)}
    save_file(arrays, folder / "good.safetensors", metadata={"format": "pt"})
    arrays = dict(arrays, a=arrays["a"].astype(np.float32))
    for name, kind in weight_files.QUANTIZED.items():
        arrays[name] = (weight_files.random_blocks(kind, 2, 256), kind)
    pickles(folder)
    weight_files.write_gguf(folder / "good.gguf", arrays, head_count=4, token_list=["a", "bc"])


def main() -> None:
    kind, folder = sys.argv[1], pathlib.Path(sys.argv[2])
    folder.mkdir(parents=True, exist_ok=True)
    {"import": exports, "compile": programs, "weights": weights}[kind](folder)
    for path in folder.iterdir():
        if path.stat().st_size > LARGEST[kind]:
            path.unlink()


if __name__ == "__main__":
    main()
