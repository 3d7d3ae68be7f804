// RUN: rm -rf %t && mkdir %t && fx-compile %s -o %t/m.so --report %t/m.json
// RUN: %python %S/Inputs/run_artefact.py %t/m.so
// RUN: FileCheck %s --check-prefix=REPORT --input-file %t/m.json
// RUN: fx-compile %s --emit=header -o - | FileCheck %s --check-prefix=HEADER
// RUN: fx-compile %s --emit=asm -o - | FileCheck %s --check-prefix=ASM
// RUN: fx-compile %s --emit=obj -o %t/m.o && llvm-nm %t/m.o | FileCheck %s --check-prefix=OBJ
// RUN: llvm-readelf -d %t/m.so | FileCheck %s --check-prefix=NEEDED
// RUN: llvm-nm -D --defined-only %t/m.so | FileCheck %s --check-prefix=EXPORTS
// REQUIRES: fx-compile, torch

// The contract of a small model: symbolic sizes, a range and a guard, an int
// input, a state that is read, a state that is mutated, an input that is
// mutated, an operator without native code, a constant and a None among the
// outputs.

// REPORT-DAG: "fallbacks": 1
// REPORT-DAG: "target": "aten.foo.default"
// REPORT-DAG: "reason": "no lowering"
// REPORT-DAG: "unchecked": [
// REPORT-DAG: "not understood"
// HEADER: #define ARTEFACT_N_INPUTS 3
// HEADER: x: float32 [s0, 4]
// HEADER: #define ARTEFACT_INPUT_x 0
// HEADER: y: float32 [s0, 2], written by the model
// ASM: .globl {{.*}}fx_entry
// OBJ: T fx_entry
// NEEDED-NOT: {{NEEDED.*(stdc|gcc|LLVM|omp)}}
// EXPORTS: T fx_model_api
// EXPORTS-NOT: {{[A-Z]}}

#id = affine_map<(d0, d1) -> (d0, d1)>
#row = affine_map<(d0, d1) -> (d1)>
module {
  fx.state @w : !fx.tensor<[4], f32> = dense<[0, 0, 128, 63, 0, 0, 0, 64, 0, 0, 64, 64, 0, 0, 128, 64]> : tensor<16xui8>
  fx.state @seen : !fx.tensor<[], i64> = dense<0> : tensor<8xui8>

  func.func @main(
      %x: tensor<?x4xf32> {fx.name = "x", fx.type = !fx.tensor<[s0, 4], f32>},
      %k: i64 {fx.name = "k", fx.type = !fx.sym_int<s1>},
      %y: tensor<?x2xf32> {fx.name = "y", fx.type = !fx.tensor<[s0, 2], f32>},
      %w: tensor<4xf32> {fx.state = @w, fx.type = !fx.tensor<[4], f32>},
      %seen: tensor<i64> {fx.state = @seen, fx.mutable, fx.type = !fx.tensor<[], i64>})
      -> (tensor<?x4xf32> {fx.name = "sum", fx.type = !fx.tensor<[s0, 4], f32>},
          tensor<i64> {fx.mutates = @seen},
          tensor<?x2xf32> {fx.mutates_input = 2 : i64},
          i64,
          tensor<?x4xf32> {fx.type = !fx.tensor<[s0, 4], f32>})
      attributes {
        fx.symbols = [#fx.range<s0 in [2, 64]>],
        fx.guards = [[#fx.expr<ne(mod(s1, 2), 0)>, "k % 2 != 0"], [unit, "not understood"]],
        fx.inputs = [{argument = 0 : i64, name = "x"}, {name = "n", value = #fx.none},
                     {argument = 1 : i64, name = "k"}, {argument = 2 : i64, name = "y"}],
        fx.outputs = [{result = 0 : i64}, #fx.none, 7 : i64, {result = 3 : i64},
                      {result = 4 : i64}]} {
    %c0 = arith.constant 0 : index
    %one = arith.constant 1 : i64
    %n = tensor.dim %x, %c0 : tensor<?x4xf32>
    %small = arith.constant 1000 : i64
    %ok = arith.cmpi slt, %k, %small : i64
    cf.assert %ok, "k is too large"
    %e = tensor.empty(%n) : tensor<?x4xf32>
    %sum = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x, %w : tensor<?x4xf32>, tensor<4xf32>) outs(%e : tensor<?x4xf32>) {
    ^bb0(%a: f32, %b: f32, %o: f32):
      %s = arith.addf %a, %b : f32
      linalg.yield %s : f32
    } -> tensor<?x4xf32>
    %old = tensor.extract %seen[] : tensor<i64>
    %new = arith.addi %old, %one : i64
    %counted = tensor.from_elements %new : tensor<i64>
    %e2 = tensor.empty(%n) : tensor<?x2xf32>
    %twice = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%y : tensor<?x2xf32>) outs(%e2 : tensor<?x2xf32>) {
    ^bb0(%a: f32, %o: f32):
      %s = arith.addf %a, %a : f32
      linalg.yield %s : f32
    } -> tensor<?x2xf32>
    %r = arith.muli %k, %one : i64
    %f = fx.eager @aten.foo.default(%sum, %k, 0.5) {fx.reason = "no lowering", fx.pure}
      : (tensor<?x4xf32>, i64) -> tensor<?x4xf32>
    return %sum, %counted, %twice, %r, %f
      : tensor<?x4xf32>, tensor<i64>, tensor<?x2xf32>, i64, tensor<?x4xf32>
  }
}
