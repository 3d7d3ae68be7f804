"""Packs the artefacts of a bundle. The code of all artefacts is compressed together. Weights, which
are repetitive and shared between artefacts, are stored once each."""

import hashlib
import lzma
import pathlib
import tarfile

#: The maximum size of a bundle in bytes.
LIMIT = 16 << 20
_CODE = [{"id": lzma.FILTER_LZMA2, "preset": 6, "dict_size": 1 << 26}]
_WEIGHTS = [{"id": lzma.FILTER_LZMA2, "preset": 1, "dict_size": 1 << 26}]


def split(artefact: pathlib.Path, weight_bytes: int, folder: pathlib.Path) -> str | None:
    """Moves the weights, which are the end of the file, from an artefact to a compressed file.
    Returns the name of that file, or None if there are no weights."""
    if not weight_bytes:
        return None
    code_bytes = artefact.stat().st_size - weight_bytes
    digest = hashlib.sha256()
    with open(artefact, "r+b") as file:
        file.seek(code_bytes)
        while chunk := file.read(1 << 24):
            digest.update(chunk)
        name = digest.hexdigest()[:16]
        kept = folder / "weights" / f"{name}.xz"
        if not kept.exists():
            kept.parent.mkdir(exist_ok=True)
            file.seek(code_bytes)
            with lzma.open(kept, "wb", filters=_WEIGHTS) as packed:
                while chunk := file.read(1 << 24):
                    packed.write(chunk)
        file.truncate(code_bytes)
    return name


def join(artefact: pathlib.Path, weights: str | None, folder: pathlib.Path) -> None:
    """Appends the weights to an artefact again: the inverse of `split`."""
    if weights is None:
        return
    with open(artefact, "ab") as file, lzma.open(folder / "weights" / f"{weights}.xz") as packed:
        while chunk := packed.read(1 << 24):
            file.write(chunk)


def store(files: dict[str, pathlib.Path], archive: pathlib.Path) -> None:
    """Writes an archive of files. Compression removes duplicates; times are left out, so that the
    archive is reproducible."""
    with lzma.open(archive, "wb", filters=_CODE) as packed, \
            tarfile.open(fileobj=packed, mode="w") as tar:
        for name, path in files.items():
            info = tarfile.TarInfo(name)
            info.size = path.stat().st_size
            with open(path, "rb") as file:
                tar.addfile(info, file)


def extract(archive: pathlib.Path, folder: pathlib.Path) -> None:
    with tarfile.open(archive) as tar:
        # Python before 3.11.4 has no filters. The archive is our own.
        filters = {"filter": "data"} if hasattr(tarfile, "data_filter") else {}
        tar.extractall(folder, **filters)


def sizes(folder: pathlib.Path) -> dict[str, int]:
    """Returns the bytes of each file, the largest first."""
    found = {str(f.relative_to(folder)): f.stat().st_size for f in folder.rglob("*") if f.is_file()}
    return dict(sorted(found.items(), key=lambda item: -item[1]))
