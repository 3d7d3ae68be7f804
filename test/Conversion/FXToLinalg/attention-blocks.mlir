// RUN: fx-opt %s --convert-fx-to-linalg --canonicalize --cse --split-input-file | FileCheck %s

// The scores of eight heads take 32 MiB: four blocks of queries. The first
// block of a causal attention reads only a quarter of the keys and values. The
// second block counts its rows from its own first row.
// CHECK-LABEL: func.func @main
// CHECK-SAME: %[[Q:.*]]: tensor<1x8x1024x16xf32>{{.*}}, %[[K:.*]]: tensor<1x8x1024x16xf32>{{.*}}, %[[V:.*]]: tensor<1x8x1024x16xf32>
// CHECK-DAG: %[[FIRST:.*]] = arith.constant 256 : index
// CHECK: tensor.extract_slice %[[Q]][0, 0, 0, 0] [1, 8, 256, 16]
// CHECK: tensor.extract_slice %[[K]][0, 0, 0, 0] [1, 8, 256, 16]
// CHECK: tensor.extract_slice %[[V]][0, 0, 0, 0] [1, 8, 256, 16]
// CHECK: linalg.generic {{.*}} outs(%{{.*}} : tensor<1x8x256x256xf32>)
// CHECK: tensor.extract_slice %[[Q]][0, 0, 256, 0] [1, 8, 256, 16]
// CHECK: tensor.extract_slice %[[K]][0, 0, 0, 0] [1, 8, 512, 16]
// CHECK: linalg.generic {{.*}} outs(%{{.*}} : tensor<1x8x256x512xf32>)
// CHECK: %[[ROW:.*]] = linalg.index 2
// CHECK: arith.addi %[[ROW]], %[[FIRST]]
// CHECK: tensor.extract_slice %[[Q]][0, 0, 768, 0]
// CHECK-COUNT-4: tensor.insert_slice
// CHECK-NOT: tensor<1x8x1024x1024xf32>
fx.graph @main attributes {functional} {
  %q = placeholder "q" : !fx.tensor<[1, 8, 1024, 16], f32>
  %k = placeholder "k" : !fx.tensor<[1, 8, 1024, 16], f32>
  %v = placeholder "v" : !fx.tensor<[1, 8, 1024, 16], f32>
  %y = call_function @aten.scaled_dot_product_attention.default(%q, %k, %v, None, 0.0, true) : (!fx.tensor<[1, 8, 1024, 16], f32>, !fx.tensor<[1, 8, 1024, 16], f32>, !fx.tensor<[1, 8, 1024, 16], f32>) -> !fx.tensor<[1, 8, 1024, 16], f32>
  output(%y) : (!fx.tensor<[1, 8, 1024, 16], f32>)
}

// -----

// There are at most sixteen blocks, since each block has its own number of keys
// and so its own kernels. With 32 heads the size of the scores alone would ask
// for blocks of 32 rows.
// CHECK-LABEL: func.func @main
// CHECK: linalg.generic {{.*}} outs(%{{.*}} : tensor<1x32x128x128xf32>)
// CHECK: linalg.generic {{.*}} outs(%{{.*}} : tensor<1x32x128x256xf32>)
// CHECK-COUNT-16: tensor.insert_slice
fx.graph @main attributes {functional} {
  %q = placeholder "q" : !fx.tensor<[1, 32, 2048, 16], f32>
  %y = call_function @aten.scaled_dot_product_attention.default(%q, %q, %q, None, 0.0, true) : (!fx.tensor<[1, 32, 2048, 16], f32>, !fx.tensor<[1, 32, 2048, 16], f32>, !fx.tensor<[1, 32, 2048, 16], f32>) -> !fx.tensor<[1, 32, 2048, 16], f32>
  output(%y) : (!fx.tensor<[1, 32, 2048, 16], f32>)
}
