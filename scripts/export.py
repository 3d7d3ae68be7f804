#!/usr/bin/env python3
"""Saves one of the project's models as a `.pt2`, with inputs and the outputs of eager
PyTorch as the files that fx-run reads and writes.

    scripts/export.py resnet50 -o m.pt2 --inputs in --expected out
    fx-run m.pt2 --inputs in --outputs got
"""

import argparse
import pathlib
import sys

root = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(root / "test" / "EndToEnd"))


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("model", nargs="?", help="a name from --list")
    parser.add_argument("--list", action="store_true", help="list the models")
    parser.add_argument("-o", "--output", type=pathlib.Path, metavar="FILE.pt2")
    parser.add_argument("--decomposed", action="store_true", help="after run_decompositions()")
    parser.add_argument(
        "--dynamic", action="store_true", help="with the model's dynamic dimensions"
    )
    parser.add_argument("--inputs", type=pathlib.Path, metavar="DIR")
    parser.add_argument("--expected", type=pathlib.Path, metavar="DIR")
    parser.add_argument(
        "--other",
        type=int,
        metavar="K",
        help="the K-th of the model's further inputs instead of its sample inputs",
    )
    options = parser.parse_args()

    import models

    if options.list:
        print("\n".join(models.names()))
        return
    if not options.model:
        parser.error("no model named; --list lists them")

    import exporting
    import leaves

    spec = models.get(options.model)
    module = spec.build()
    args, kwargs = spec.inputs()
    if options.dynamic and spec.dynamic is None:
        parser.error(f"'{spec.name}' has no dynamic dimensions")
    if options.output:
        program = spec.program(module, options.dynamic, options.decomposed)
        exporting.save(program, options.output)
    if options.other is not None:
        args, kwargs = spec.others()[options.other]
    if options.inputs:
        leaves.save_inputs(options.inputs, args, kwargs)
    if options.expected:
        leaves.save_outputs(options.expected, exporting.eager(module, args, kwargs))


if __name__ == "__main__":
    main()
