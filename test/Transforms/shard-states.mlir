// RUN: fx-opt %s --fx-shard="rank=1 ranks=2 rules={a:shard 0;b:shard 1;c:shard 0 [4, 2];d:shard 1;e:shard 0;f:shard 0}" | FileCheck %s

// The bytes of rank 1: rows, columns, sections, and rows of a transposed view
// and of a view with an offset. Views of the same bytes still share them.
fx.state @a : !fx.tensor<[4, 2], i8> = dense<[0, 1, 2, 3, 4, 5, 6, 7]> : tensor<8xui8>
fx.state @b : !fx.tensor<[2, 4], i8> = dense<[0, 1, 2, 3, 4, 5, 6, 7]> : tensor<8xui8>
fx.state @c : !fx.tensor<[6], i8> = dense<[0, 1, 2, 3, 4, 5]> : tensor<6xui8>
fx.state @d : !fx.tensor<[2, 4], i8, #fx.meta<strides = [1, 2]>> = dense<[0, 1, 2, 3, 4, 5, 6, 7]> : tensor<8xui8>
fx.state @e : !fx.tensor<[2], i16, #fx.meta<offset = 1>> = dense<[0, 1, 2, 3, 4, 5, 6, 7]> : tensor<8xui8>
fx.state @f : !fx.tensor<[4, 2], i8> = dense<[0, 1, 2, 3, 4, 5, 6, 7]> : tensor<8xui8>

// CHECK: fx.state @a : !fx.tensor<[2, 2], i8> = dense_resource<a> : tensor<4xui8>
// CHECK: fx.state @b : !fx.tensor<[2, 2], i8> = dense_resource<b> : tensor<4xui8>
// CHECK: fx.state @c : !fx.tensor<[3], i8> = dense_resource<c> : tensor<3xui8>
// CHECK: fx.state @d : !fx.tensor<[2, 2], i8> = dense_resource<d> : tensor<4xui8>
// CHECK: fx.state @e : !fx.tensor<[1], i16> = dense_resource<e> : tensor<2xui8>
// CHECK: fx.state @f : !fx.tensor<[2, 2], i8> = dense_resource<a> : tensor<4xui8>
// CHECK: a: "0x1000000004050607"
// CHECK: b: "0x1000000002030607"
// CHECK: c: "0x10000000020305"
// CHECK: d: "0x1000000004060507"
// CHECK: e: "0x100000000405"
fx.graph @main attributes {functional} {
  %a = placeholder "a" parameter @a : !fx.tensor<[4, 2], i8>
  %b = placeholder "b" parameter @b : !fx.tensor<[2, 4], i8>
  %c = placeholder "c" parameter @c : !fx.tensor<[6], i8>
  %d = placeholder "d" parameter @d : !fx.tensor<[2, 4], i8, #fx.meta<strides = [1, 2]>>
  %e = placeholder "e" parameter @e : !fx.tensor<[2], i16, #fx.meta<offset = 1>>
  %f = placeholder "f" parameter @f : !fx.tensor<[4, 2], i8>
  output()
}
