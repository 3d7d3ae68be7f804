module attributes {fx_kernel.tuning_version = 1 : i64} {
  fx_kernel.tuned_schedule "SIGNATURE" on "here" features "ab" threads 1 uses #fx_kernel.rows<unroll = 8> for (tensor<4x96xf32>, tensor<4xf32>) -> tensor<4xf32>
  fx_kernel.tuned_schedule "SIGNATURE" on "here" features "ab" threads 2 uses #fx_kernel.rows<unroll = 3> for (tensor<4x96xf32>, tensor<4xf32>) -> tensor<4xf32>
  fx_kernel.tuned_schedule "SIGNATURE" on "here" features "ab" threads 3 uses #fx_kernel.window<unroll = 2> for (tensor<4x96xf32>, tensor<4xf32>) -> tensor<4xf32>
}
