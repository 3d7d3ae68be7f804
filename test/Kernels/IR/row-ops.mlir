// RUN: fx-opt %s | fx-opt | FileCheck %s

// CHECK-LABEL: func.func @sort
// CHECK: fx_kernel.sort %{{.+}} outs(%{{.+}}, %{{.+}} : tensor<?x5xf32>, tensor<?x5xi64>) {descending} : tensor<?x100xf32>
func.func @sort(%x: tensor<?x100xf32>, %e: tensor<?x5xf32>, %f: tensor<?x5xi64>) -> (tensor<?x5xf32>, tensor<?x5xi64>) {
  %v, %i = fx_kernel.sort %x outs(%e, %f : tensor<?x5xf32>, tensor<?x5xi64>) {descending} : tensor<?x100xf32>
  return %v, %i : tensor<?x5xf32>, tensor<?x5xi64>
}

// CHECK-LABEL: func.func @scan
// CHECK: fx_kernel.scan ins(%{{.+}} : tensor<1x8x4xf32>) start(%{{.+}} : f64) outs(%{{.+}} : tensor<1x8x4xf32>) {
// CHECK: fx_kernel.yield %{{.+}}, %{{.+}} : f32, f64
// CHECK: } -> tensor<1x8x4xf32>
func.func @scan(%x: tensor<1x8x4xf32>, %e: tensor<1x8x4xf32>, %zero: f64) -> tensor<1x8x4xf32> {
  %y = fx_kernel.scan ins(%x : tensor<1x8x4xf32>) start(%zero : f64) outs(%e : tensor<1x8x4xf32>) {
  ^bb0(%i: index, %a: f32, %sum: f64):
    %wide = arith.extf %a : f32 to f64
    %next = arith.addf %sum, %wide : f64
    %out = arith.truncf %next : f64 to f32
    fx_kernel.yield %out, %next : f32, f64
  } -> tensor<1x8x4xf32>
  return %y : tensor<1x8x4xf32>
}
