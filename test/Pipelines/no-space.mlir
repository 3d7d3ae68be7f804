// RUN: rm -rf %t && mkdir %t
// RUN: not sh -c 'trap "" XFSZ && ulimit -f 2048 && fx-compile %s -o %t/m.so' 2>&1 | FileCheck %s
// RUN: ls -A %t | count 0
// REQUIRES: fx-compile

// The code fits in the maximum file size, the weights do not.
// CHECK: error: {{.*}}no-space.mlir: {{.*}}m.so{{.*}}: cannot write: File too large
// CHECK-NOT: {{.}}

module {
  fx.state @w : !fx.tensor<[1048576], f32> = dense<7> : tensor<4194304xui8>

  func.func @main(
      %x: tensor<1048576xf32> {fx.name = "x"},
      %w: tensor<1048576xf32> {fx.state = @w})
      -> tensor<1048576xf32>
      attributes {fx.outputs = [{result = 0 : i64}]} {
    %e = tensor.empty() : tensor<1048576xf32>
    %sum = linalg.add ins(%x, %w : tensor<1048576xf32>, tensor<1048576xf32>)
      outs(%e : tensor<1048576xf32>) -> tensor<1048576xf32>
    return %sum : tensor<1048576xf32>
  }
}
