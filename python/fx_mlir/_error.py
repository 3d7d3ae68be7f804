"""The exception that fx-mlir raises, and its warning."""


class Error(RuntimeError):
    """An error of the importer, the compiler or a compiled model.

    `message` says what is wrong. `node` is the name of the node of the graph ("" if
    unknown). `file` and `line` are the innermost line of the user's Python source
    that created the node ("" and 0 if unknown).
    """

    def __init__(self, message: str, node: str = "", file: str = "", line: int = 0) -> None:
        super().__init__(message, node, file, line)
        self.message = message
        self.node = node
        self.file = file
        self.line = line

    def __str__(self) -> str:
        place = f"{self.file}:{self.line}: " if self.file else ""
        # Most messages contain the name of the node.
        node = f"in node '{self.node}': " if self.node and self.node not in self.message else ""
        return place + node + self.message


class FallbackWarning(UserWarning):
    """ATen runs operators of a compiled model. `no_fallback=True` makes this an error."""
