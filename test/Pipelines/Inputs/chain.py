"""A graph of 200 products, each with a matrix of its own."""

matrix = "!fx.tensor<[16, 16], f32>"
lines = [f'%x0 = placeholder "x" : {matrix}']
lines += [f'%w{i} = placeholder "w{i}" : {matrix}' for i in range(200)]
for i in range(200):
    lines.append(f"%x{i + 1} = call_function @aten.mm.default(%x{i}, %w{i}) : ({matrix}, {matrix}) -> {matrix}")
print("fx.graph @main {", *lines, f"output(%x200) : ({matrix})", "}", sep="\n")
