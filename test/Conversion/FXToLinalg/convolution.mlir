// RUN: fx-opt %s --convert-fx-to-linalg --canonicalize --cse | FileCheck %s

// CHECK-LABEL: func.func @main
fx.graph @main symbols [s0 in [2, 16]] attributes {functional} {
  %x = placeholder "x" : !fx.tensor<[s0, 4, 9, 9], f32>
  %w = placeholder "w" : !fx.tensor<[8, 4, 3, 3], f32>
  %d = placeholder "d" : !fx.tensor<[4, 1, 3, 3], f32>
  %g = placeholder "g" : !fx.tensor<[8, 2, 3, 3], f32>
  %b = placeholder "b" : !fx.tensor<[8], f32>
  %v = placeholder "v" : !fx.tensor<[8], f32>
  // Padding, the convolution, the bias.
  // CHECK: tensor.pad {{.*}} low[0, 0, 1, 1] high[0, 0, 1, 1]
  // CHECK: %[[CONV:.*]] = linalg.conv_2d_nchw_fchw {dilations = dense<1> : tensor<2xi64>, strides = dense<2> : tensor<2xi64>}
  // CHECK: linalg.generic {{.*}}iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%[[CONV]], %{{.*}} : tensor<?x8x5x5xf32>, tensor<8xf32>)
  %c = call_function @aten.conv2d.default(%x, %w, %b, [2, 2], [1, 1]) : (!fx.tensor<[s0, 4, 9, 9], f32>, !fx.tensor<[8, 4, 3, 3], f32>, !fx.tensor<[8], f32>) -> !fx.tensor<[s0, 8, 5, 5], f32>
  // The batch norm's scale and shift are computed as vectors; one op then
  // applies both to the image.
  // CHECK: linalg.generic {{.*}} ins(%{{.*}}, %{{.*}} : tensor<8xf32>, tensor<8xf32>)
  // CHECK: linalg.generic {{.*}}tensor<?x8x5x5xf32>, tensor<8xf32>, tensor<8xf32>)
  %n = call_function @aten.batch_norm.default(%c, %b, %b, %v, %v, false, 0.1, 1.0e-05, true) : (!fx.tensor<[s0, 8, 5, 5], f32>, !fx.tensor<[8], f32>, !fx.tensor<[8], f32>, !fx.tensor<[8], f32>, !fx.tensor<[8], f32>) -> !fx.tensor<[s0, 8, 5, 5], f32>
  // CHECK: linalg.pooling_nchw_max
  %m = call_function @aten.max_pool2d.default(%n, [3, 3], [2, 2], [1, 1]) : (!fx.tensor<[s0, 8, 5, 5], f32>) -> !fx.tensor<[s0, 8, 3, 3], f32>
  // CHECK: linalg.generic {{.*}}iterator_types = ["parallel", "parallel", "reduction", "reduction"]
  %a = call_function @aten.adaptive_avg_pool2d.default(%m, [1, 1]) : (!fx.tensor<[s0, 8, 3, 3], f32>) -> !fx.tensor<[s0, 8, 1, 1], f32>
  // CHECK: linalg.depthwise_conv_2d_nchw_chw
  %dw = call_function @aten.conv2d.default(%x, %d, None, [1, 1], [0, 0], [1, 1], 4) : (!fx.tensor<[s0, 4, 9, 9], f32>, !fx.tensor<[4, 1, 3, 3], f32>) -> !fx.tensor<[s0, 4, 7, 7], f32>
  // Groups are a dimension of the generic's iteration space: n, g, f, h, w | c,
  // kh, kw.
  // CHECK: linalg.generic {{.*}}iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel", "reduction", "reduction", "reduction"]
  %gc = call_function @aten.convolution.default(%x, %g, %b, [1, 1], [0, 0], [1, 1], false, [0, 0], 2) : (!fx.tensor<[s0, 4, 9, 9], f32>, !fx.tensor<[8, 2, 3, 3], f32>, !fx.tensor<[8], f32>) -> !fx.tensor<[s0, 8, 7, 7], f32>
  // A node whose recorded sizes the operator cannot give is not lowered.
  // CHECK: fx.eager @aten.conv2d.default{{.*}}fx.reason = "the result's sizes are not what the operator gives"
  %bad = call_function @aten.conv2d.default(%x, %w, %b) : (!fx.tensor<[s0, 4, 9, 9], f32>, !fx.tensor<[8, 4, 3, 3], f32>, !fx.tensor<[8], f32>) -> !fx.tensor<[s0, 8, 6, 7], f32>
  output(%a, %dw, %gc, %bad) : (!fx.tensor<[s0, 8, 1, 1], f32>, !fx.tensor<[s0, 4, 7, 7], f32>, !fx.tensor<[s0, 8, 7, 7], f32>, !fx.tensor<[s0, 8, 6, 7], f32>)
}
