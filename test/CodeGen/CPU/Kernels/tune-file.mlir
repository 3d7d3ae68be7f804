// The file has an entry for a signature, which a remark tells.
// RUN: fx-opt %s --fx-cpu-select-schedules="lanes=8 report" -o /dev/null 2> %t.remarks
// RUN: FileCheck %s --check-prefix=REMARK < %t.remarks
// RUN: sed -n "s/.*'kernel_0' has signature \([0-9a-f]*\) .*/s,SIGNATURE,\1,/p" %t.remarks > %t.sed
// RUN: sed -f %t.sed %S/Inputs/tuned.mlir > %t.tuned.mlir

// RUN: fx-opt %s --fx-cpu-select-schedules="lanes=8 tune-file=%t.tuned.mlir cpu=here features=ab" | FileCheck %s --check-prefixes=CHECK,TUNED
// RUN: fx-opt %s --fx-cpu-select-schedules="lanes=8 tune-file=%t.tuned.mlir cpu=there features=ab" | FileCheck %s --check-prefixes=CHECK,DEFAULT
// RUN: fx-opt %s --fx-cpu-select-schedules="lanes=8 tune-file=%t.tuned.mlir cpu=here features=cd" | FileCheck %s --check-prefixes=CHECK,DEFAULT
// RUN: fx-opt %s --fx-cpu-select-schedules="lanes=8 tune-file=%t.tuned.mlir cpu=here features=ab threads=0" | FileCheck %s --check-prefixes=CHECK,DEFAULT

// The default stays if the class does not list the schedule, or if the schedule
// is one of another class.
// RUN: fx-opt %s --fx-cpu-select-schedules="lanes=8 tune-file=%t.tuned.mlir cpu=here features=ab threads=2" 2> %t.warnings | FileCheck %s --check-prefixes=CHECK,DEFAULT
// RUN: FileCheck %s --check-prefix=UNLISTED < %t.warnings
// RUN: fx-opt %s --fx-cpu-select-schedules="lanes=8 tune-file=%t.tuned.mlir cpu=here features=ab threads=3" 2> %t.warnings | FileCheck %s --check-prefixes=CHECK,DEFAULT
// RUN: FileCheck %s --check-prefix=CLASS < %t.warnings
// UNLISTED: tuned.mlir:3:3: warning: expected a schedule of the class 'rows' that it lists for the kernel 'kernel_0', got #fx_kernel.rows<unroll = 3>
// CLASS: tuned.mlir:4:3: warning: expected a schedule of the class 'rows' that it lists for the kernel 'kernel_0', got #fx_kernel.window<unroll = 2>

// Candidates, for tests.
// RUN: fx-opt %s --fx-cpu-select-schedules="lanes=8 candidate=1" | FileCheck %s --check-prefix=FIRST
// RUN: fx-opt %s --fx-cpu-select-schedules="lanes=8 candidate=5" | FileCheck %s --check-prefix=SECOND
// FIRST: fx_kernel.schedule = #fx_kernel.rows<unroll = 2>
// SECOND: fx_kernel.schedule = #fx_kernel.rows<unroll = 8>

// REMARK: 'kernel_0' has signature [[SIGNATURE:[0-9a-f]+]] and schedules #fx_kernel.rows, #fx_kernel.rows<unroll = 2>, #fx_kernel.rows<unroll = 8>, #fx_kernel.rows<unroll = 1>
// REMARK: 'other_name' has signature [[SIGNATURE]] and
// REMARK-NOT: [[SIGNATURE]]
// REMARK: 'other_size' has signature

// CHECK-LABEL: @kernel_0
// TUNED-SAME: fx_kernel.tuned
// TUNED: fx_kernel.schedule = #fx_kernel.rows<unroll = 8>
// DEFAULT-NOT: fx_kernel.tuned
// DEFAULT: fx_kernel.schedule = #fx_kernel.rows{{[^<]}}
func.func private @kernel_0(%x: tensor<4x96xf32>, %out: tensor<4xf32>) -> tensor<4xf32> attributes {fx.kernel} {
  %zero = arith.constant 0.0 : f32
  %f = linalg.fill ins(%zero : f32) outs(%out : tensor<4xf32>) -> tensor<4xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(m, n) -> (m, n)>, affine_map<(m, n) -> (m)>], iterator_types = ["parallel", "reduction"]} ins(%x : tensor<4x96xf32>) outs(%f : tensor<4xf32>) {
  ^bb0(%p: f32, %o: f32):
    %0 = arith.addf %o, %p : f32
    linalg.yield %0 : f32
  } -> tensor<4xf32>
  return %r : tensor<4xf32>
}

// CHECK-LABEL: @other_name
// TUNED-SAME: fx_kernel.tuned
func.func private @other_name(%in: tensor<4x96xf32> {fx.name = "in"}, %dest: tensor<4xf32>) -> tensor<4xf32> attributes {fx.kernel, fx.flops = 384 : i64} {
  %none = arith.constant 0.0 : f32
  %start = linalg.fill ins(%none : f32) outs(%dest : tensor<4xf32>) -> tensor<4xf32>
  %sum = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>], iterator_types = ["parallel", "reduction"]} ins(%in : tensor<4x96xf32>) outs(%start : tensor<4xf32>) {
  ^bb0(%a: f32, %b: f32):
    %add = arith.addf %b, %a : f32
    linalg.yield %add : f32
  } -> tensor<4xf32>
  return %sum : tensor<4xf32>
}

// CHECK-LABEL: @other_size
// CHECK-NOT: fx_kernel.tuned
// CHECK: fx_kernel.schedule = #fx_kernel.rows{{[^<]}}
func.func private @other_size(%x: tensor<4x97xf32>, %out: tensor<4xf32>) -> tensor<4xf32> attributes {fx.kernel} {
  %zero = arith.constant 0.0 : f32
  %f = linalg.fill ins(%zero : f32) outs(%out : tensor<4xf32>) -> tensor<4xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(m, n) -> (m, n)>, affine_map<(m, n) -> (m)>], iterator_types = ["parallel", "reduction"]} ins(%x : tensor<4x97xf32>) outs(%f : tensor<4xf32>) {
  ^bb0(%p: f32, %o: f32):
    %0 = arith.addf %o, %p : f32
    linalg.yield %0 : f32
  } -> tensor<4xf32>
  return %r : tensor<4xf32>
}
