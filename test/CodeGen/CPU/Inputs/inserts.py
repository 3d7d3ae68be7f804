"""Prints a function that inserts a column so many times in an argument, or in what it computes."""

import sys

count = int(sys.argv[1])
print("""func.func @main(%x: tensor<?x40xf32>, %y: tensor<?xf32>) -> tensor<?x40xf32> {
  %zero = arith.constant 0 : index
  %n = tensor.dim %y, %zero : tensor<?xf32>""")
if sys.argv[2] == "computed":
    print("  %t0 = linalg.copy ins(%x : tensor<?x40xf32>) outs(%x : tensor<?x40xf32>) "
          "-> tensor<?x40xf32>")
else:
    print("  %t0 = tensor.cast %x : tensor<?x40xf32> to tensor<?x40xf32>")
for i in range(count):
    print(f"  %t{i + 1} = tensor.insert_slice %y into %t{i}[0, {i}] [%n, 1] [1, 1] : "
          "tensor<?xf32> into tensor<?x40xf32>")
print(f"  return %t{count} : tensor<?x40xf32>\n}}")
