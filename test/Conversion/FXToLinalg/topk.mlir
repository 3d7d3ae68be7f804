// RUN: fx-opt %s --convert-fx-to-linalg --canonicalize --cse | FileCheck %s --implicit-check-not=fx.eager

// Of long rows those are sorted whose highest bits are not above those of the
// last that is wanted.

// CHECK-LABEL: func.func @main
fx.graph @main attributes {functional} {
  %x = placeholder "x" : !fx.tensor<[3, 8000], f32>
  // CHECK-DAG: %[[K:.*]] = arith.constant 50 : index
  // CHECK-DAG: %[[SHIFT:.*]] = arith.constant 21 : i32
  // The highest 11 bits are counted,
  // CHECK: scf.for {{.*}} -> (tensor<2048xindex>)
  // CHECK: scf.for {{.*}} -> (tensor<2048xindex>)
  // CHECK: arith.shrui %{{.*}}, %[[SHIFT]] : i32
  // up to the 50th,
  // CHECK: scf.for {{.*}} -> (index, index)
  // CHECK: arith.cmpi ult, %{{.*}}, %[[K]]
  // what is not above it is moved to the front,
  // CHECK: %[[CHOSEN:.*]]:3 = scf.for {{.*}} -> (tensor<8000xi32>, tensor<8000xi64>, index)
  // CHECK: arith.cmpi ule
  // and sorted by its four bytes.
  // CHECK: scf.for %{{.*}} = %{{.*}} to %[[CHOSEN]]#2 {{.*}} -> (tensor<256xindex>)
  // CHECK-COUNT-4: scf.for %{{.*}} = %{{.*}} to %[[CHOSEN]]#2 {{.*}} -> (tensor<8000xi32>, tensor<8000xi64>, tensor<256xindex>)
  // CHECK: tensor.extract_slice %{{.*}}[0] [50] [1]
  %a, %b = call_function @aten.topk.default(%x, 50) : (!fx.tensor<[3, 8000], f32>) -> (!fx.tensor<[3, 50], f32>, !fx.tensor<[3, 50], i64>)
  output(%a, %b) : (!fx.tensor<[3, 50], f32>, !fx.tensor<[3, 50], i64>)
}
