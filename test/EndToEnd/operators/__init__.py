"""Tables of operator cases, one module per family.

A row is `case(family, name, function, *inputs)`. An input is a description, such as `f("n", 4)`: a
float32 tensor whose first size is n, which is symbolic if the case is exported with dynamic shapes.
A row that cannot be dynamic (a size that the operator specializes, an empty tensor) has
`dynamic=False`, and one that PyTorch's own decomposition gets wrong has `decomposes=False`. Rows run
natively without any fallback. A row that cannot gives the reason: `fallback="..."`. It is compiled
with fallbacks, and must need one.
"""

from operators.table import FAMILIES, Case

from operators import (  # noqa: F401
    aggregating,
    attention,
    complex_numbers,
    convolutions,
    counting,
    creation,
    factorizations,
    fourier,
    indexing,
    inplace,
    losses,
    matmul,
    normalization,
    other_names,
    pointwise,
    rearranging,
    recurrent,
    reductions,
    shapes,
    sorting,
    special,
)

__all__ = ["FAMILIES", "Case"]
