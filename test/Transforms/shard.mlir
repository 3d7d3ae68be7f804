// RUN: fx-opt %s --fx-shard="rank=1 ranks=2 rules={up:colwise;down:rowwise;fused:colwise [4, 8];embed:rowwise}" --verify-diagnostics | FileCheck %s

// Of the rows of @up and the columns of @down, rank 1 has the second half. The
// bias of @up and the cache follow; the bias of @down is added to the sum.
fx.state @up.weight : !fx.tensor<[4, 2], f32>
fx.state @up.bias : !fx.tensor<[4], f32>
fx.state @down.weight : !fx.tensor<[2, 4], f32>
fx.state @fused.weight : !fx.tensor<[12, 1], f32>
fx.state @embed.weight : !fx.tensor<[2, 4], f32>
fx.state @cache : !fx.tensor<[4], f32>
fx.state @whole : !fx.tensor<[2], f32>

// CHECK: fx.state @up.weight : !fx.tensor<[2, 2], f32>
// CHECK: fx.state @up.bias : !fx.tensor<[2], f32>
// CHECK: fx.state @down.weight : !fx.tensor<[2, 2], f32>
// CHECK: fx.state @fused.weight : !fx.tensor<[6, 1], f32>
// CHECK: fx.state @embed.weight : !fx.tensor<[1, 4], f32>
// CHECK: fx.state @cache : !fx.tensor<[2], f32>
// CHECK: fx.state @whole : !fx.tensor<[2], f32>

// CHECK-LABEL: fx.graph @main
// CHECK: %up = call_function @aten.linear.default(%x, %p_up, %p_bias) : (!fx.tensor<[3, 2], f32>, !fx.tensor<[2, 2], f32>, !fx.tensor<[2], f32>) -> !fx.tensor<[3, 2], f32>
// CHECK-NEXT: %[[P:.*]] = call_function @aten.linear.default(%up, %p_down)
// CHECK-NEXT: %[[R:.*]] = call_function @_c10d_functional.all_reduce.default(%[[P]], "sum", "0")
// CHECK-NEXT: %[[W:.*]] = call_function @_c10d_functional.wait_tensor.default(%[[R]])
// CHECK-NEXT: %down = call_function @aten.add.Tensor(%[[W]], %p_whole)
// CHECK: %add = call_function @aten.add.Tensor(%b_cache, %{{.*}}) : (!fx.tensor<[2], f32>, !fx.tensor<[2], f32>) -> !fx.tensor<[2], f32>

// The sections of the fused weight.
// CHECK: %fused = call_function @aten.linear.default(%y, %p_fused) : {{.*}} -> !fx.tensor<[3, 6], f32>
// CHECK: %[[A:.*]] = call_function @aten.slice.Tensor(%fused, 1, 0, 2)
// CHECK: %[[B:.*]] = call_function @aten.slice.Tensor(%fused, 1, 2, 6)
// CHECK: all_gather_into_tensor.default
fx.graph @main attributes {functional} {
  %p_up = placeholder "p_up" parameter @up.weight : !fx.tensor<[4, 2], f32>
  %p_bias = placeholder "p_bias" parameter @up.bias : !fx.tensor<[4], f32>
  %p_down = placeholder "p_down" parameter @down.weight : !fx.tensor<[2, 4], f32>
  %p_fused = placeholder "p_fused" parameter @fused.weight : !fx.tensor<[12, 1], f32>
  %p_embed = placeholder "p_embed" parameter @embed.weight : !fx.tensor<[2, 4], f32>
  %b_cache = placeholder "b_cache" buffer @cache : !fx.tensor<[4], f32>
  %p_whole = placeholder "p_whole" parameter @whole : !fx.tensor<[2], f32>
  %x = placeholder "x" : !fx.tensor<[3, 2], f32>
  %y = placeholder "y" : !fx.tensor<[3, 1], f32>
  %i = placeholder "i" : !fx.tensor<[5], i64>
  %up = call_function @aten.linear.default(%x, %p_up, %p_bias) : (!fx.tensor<[3, 2], f32>, !fx.tensor<[4, 2], f32>, !fx.tensor<[4], f32>) -> !fx.tensor<[3, 4], f32>
  %down = call_function @aten.linear.default(%up, %p_down, %p_whole) : (!fx.tensor<[3, 4], f32>, !fx.tensor<[2, 4], f32>, !fx.tensor<[2], f32>) -> !fx.tensor<[3, 2], f32>
  %first = call_function @aten.select.int(%up, 0, 0) : (!fx.tensor<[3, 4], f32>) -> !fx.tensor<[4], f32>
  %add = call_function @aten.add.Tensor(%b_cache, %first) : (!fx.tensor<[4], f32>, !fx.tensor<[4], f32>) -> !fx.tensor<[4], f32>
  %fused = call_function @aten.linear.default(%y, %p_fused) : (!fx.tensor<[3, 1], f32>, !fx.tensor<[12, 1], f32>) -> !fx.tensor<[3, 12], f32>
  %a, %b = call_function @aten.split_with_sizes.default(%fused, [4, 8], 1) outs [[#fx.operand, #fx.operand]] : (!fx.tensor<[3, 12], f32>) -> (!fx.tensor<[3, 4], f32>, !fx.tensor<[3, 8], f32>)
  %e = call_function @aten.embedding.default(%p_embed, %i) : (!fx.tensor<[2, 4], f32>, !fx.tensor<[5], i64>) -> !fx.tensor<[5, 4], f32>
  output(%add, %down, %a, %e) signature [#fx.output_spec<buffer_mutation, "cache">, #fx.output_spec<user_output>, #fx.output_spec<user_output>, #fx.output_spec<user_output>] : (!fx.tensor<[4], f32>, !fx.tensor<[3, 2], f32>, !fx.tensor<[3, 4], f32>, !fx.tensor<[5, 4], f32>)
}
