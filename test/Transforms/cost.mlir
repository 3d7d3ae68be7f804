// RUN: fx-opt %s -fx-cost -o /dev/null | FileCheck %s --match-full-lines --strict-whitespace
// RUN: fx-opt %s -fx-cost='sizes=s0=16 peak=1 bandwidth=1' -o /dev/null | FileCheck %s --check-prefix=SIZES
// RUN: fx-opt %s -fx-cost='format=json output=%t.json' -o /dev/null
// RUN: %python -c "import json, sys; d = json.load(open(sys.argv[1])); print(d['total'], d['nodes'][0]['module'], [m['name'] for m in d['modules']])" %t.json | FileCheck %s --check-prefix=JSON

//      CHECK:node    target                  contractions            flops                   bytes  params  flops/byte    us
// CHECK-NEXT:linear  aten.linear.default            64*s0            68*s0             48*s0 + 144      36           -     -
// CHECK-NEXT:relu    aten.relu.default                  0             4*s0                   32*s0       0           -     -
// CHECK-NEXT:t       aten.t.default                     0                0                       0       0           -  0.00
// CHECK-NEXT:sm      aten.softmax.int                   0            20*s0                   32*s0       0           -     -
// CHECK-NEXT:mm      aten.mm.default              8*s0*s0          8*s0*s0         4*s0*s0 + 32*s0       0           -     -
// CHECK-NEXT:module
// CHECK-NEXT:enc                                    64*s0            68*s0             48*s0 + 144      36           -     -
// CHECK-NEXT:enc.fc                                 64*s0            68*s0             48*s0 + 144      36           -     -
// CHECK-NEXT:total                        8*s0*s0 + 64*s0  8*s0*s0 + 92*s0  4*s0*s0 + 144*s0 + 144      36           -     -
// SIZES: linear {{.*}} 1024 1088 912 36 1.19 1.09
// SIZES: relu {{.*}} 0 64 512 0 0.12 0.51
// SIZES: total 3072 3520 3472 36 1.01 4.16
// JSON: 'flops': '8*s0*s0 + 92*s0', 'bytes': '4*s0*s0 + 144*s0 + 144', 'parameters': 36, 'seconds': None} enc.fc ['enc', 'enc.fc']
fx.state @w : !fx.tensor<[4, 8], f32>
fx.state @b : !fx.tensor<[4], f32>
#stack = loc(fused<{nn_module_stack = "a,,M;b,enc,M;c,enc.fc,Linear"}>["linear"])
fx.graph @main symbols [s0 in [2, 64]] attributes {functional} {
  %w = placeholder "w" parameter @w : !fx.tensor<[4, 8], f32>
  %b = placeholder "b" parameter @b : !fx.tensor<[4], f32>
  %x = placeholder "x" : !fx.tensor<[s0, 8], f32>
  %linear = call_function @aten.linear.default(%x, %w, %b) : (!fx.tensor<[s0, 8], f32>, !fx.tensor<[4, 8], f32>, !fx.tensor<[4], f32>) -> !fx.tensor<[s0, 4], f32> loc(#stack)
  %relu = call_function @aten.relu.default(%linear) : (!fx.tensor<[s0, 4], f32>) -> !fx.tensor<[s0, 4], f32>
  %t = call_function @aten.t.default(%relu) : (!fx.tensor<[s0, 4], f32>) -> !fx.tensor<[4, s0], f32>
  %sm = call_function @aten.softmax.int(%t, 0) : (!fx.tensor<[4, s0], f32>) -> !fx.tensor<[4, s0], f32>
  %mm = call_function @aten.mm.default(%relu, %sm) : (!fx.tensor<[s0, 4], f32>, !fx.tensor<[4, s0], f32>) -> !fx.tensor<[s0, s0], f32>
  output(%mm) : (!fx.tensor<[s0, s0], f32>)
}
