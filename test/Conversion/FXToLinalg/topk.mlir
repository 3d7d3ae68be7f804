// RUN: fx-opt %s --convert-fx-to-linalg --canonicalize --cse | FileCheck %s --implicit-check-not=fx.eager

// For long rows, only the candidates are sorted: the elements whose highest
// bits are not above those of the last selected element.

// CHECK-LABEL: func.func @main
fx.graph @main attributes {functional} {
  %x = placeholder "x" : !fx.tensor<[3, 8000], f32>
  // CHECK-DAG: %[[K:.*]] = arith.constant 50 : index
  // CHECK-DAG: %[[SHIFT:.*]] = arith.constant 21 : i32
  // Counts the values of the highest 11 bits.
  // CHECK: scf.for {{.*}} -> (tensor<2048xindex>)
  // CHECK: scf.for {{.*}} -> (tensor<2048xindex>)
  // CHECK: arith.shrui %{{.*}}, %[[SHIFT]] : i32
  // Finds the bucket of the 50th element.
  // CHECK: scf.for {{.*}} -> (index, index)
  // CHECK: arith.cmpi ult, %{{.*}}, %[[K]]
  // Moves all elements up to that bucket to the front.
  // CHECK: %[[CHOSEN:.*]]:3 = scf.for {{.*}} -> (tensor<8000xi32>, tensor<8000xi64>, index)
  // CHECK: arith.cmpi ule
  // Sorts them by their four bytes.
  // CHECK: scf.for %{{.*}} = %{{.*}} to %[[CHOSEN]]#2 {{.*}} -> (tensor<256xindex>)
  // CHECK-COUNT-4: scf.for %{{.*}} = %{{.*}} to %[[CHOSEN]]#2 {{.*}} -> (tensor<8000xi32>, tensor<8000xi64>, tensor<256xindex>)
  // CHECK: tensor.extract_slice %{{.*}}[0] [50] [1]
  %a, %b = call_function @aten.topk.default(%x, 50) : (!fx.tensor<[3, 8000], f32>) -> (!fx.tensor<[3, 50], f32>, !fx.tensor<[3, 50], i64>)
  output(%a, %b) : (!fx.tensor<[3, 50], f32>, !fx.tensor<[3, 50], i64>)
}
