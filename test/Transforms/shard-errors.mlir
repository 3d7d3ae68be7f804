// RUN: fx-opt %s --split-input-file --verify-diagnostics --fx-shard="ranks=3 rules={*.weight:colwise}"

fx.state @a.weight : !fx.tensor<[4, 2], f32>
fx.graph @main attributes {functional} {
  // expected-error@+1 {{plan '*.weight:colwise': 'a.weight': expected a size of dimension 0 that 3 ranks divide, got 4}}
  %w = placeholder "w" parameter @a.weight : !fx.tensor<[4, 2], f32>
  %x = placeholder "x" : !fx.tensor<[3, 2], f32>
  %y = call_function @aten.linear.default(%x, %w) : (!fx.tensor<[3, 2], f32>, !fx.tensor<[4, 2], f32>) -> !fx.tensor<[3, 4], f32>
  output(%y) : (!fx.tensor<[3, 4], f32>)
}

// -----

fx.state @a.weight : !fx.tensor<[3, 2], f32>
fx.graph @main attributes {functional} {
  // expected-error@+1 {{plan '*.weight:colwise': expected the weight of a linear, embedding, convolution or other matmul, got 'a.weight'}}
  %w = placeholder "w" parameter @a.weight : !fx.tensor<[3, 2], f32>
  %y = call_function @aten.relu.default(%w) : (!fx.tensor<[3, 2], f32>) -> !fx.tensor<[3, 2], f32>
  output(%y) : (!fx.tensor<[3, 2], f32>)
}

// -----

// expected-error@+1 {{plan '*.weight:colwise': expected the path of a module with a weight, of a parameter, buffer or input, got one that the model does not have}}
fx.graph @main attributes {functional} {
  output()
}

// -----

fx.state @a.weight : !fx.tensor<[3, 2], f32>
fx.graph @main attributes {functional} {
  %w = placeholder "w" parameter @a.weight : !fx.tensor<[3, 2], f32>
  %x = placeholder "x" : !fx.tensor<[3, 2], f32>
  %y = call_function @aten.linear.default(%x, %w) : (!fx.tensor<[3, 2], f32>, !fx.tensor<[3, 2], f32>) -> !fx.tensor<[3, 3], f32>
  // expected-remark@+1 {{no rule divides this node: aten.linalg_inv.default gets 'y', which is Shard(1), as a whole}}
  %z = call_function @aten.linalg_inv.default(%y) : (!fx.tensor<[3, 3], f32>) -> !fx.tensor<[3, 3], f32>
  output(%z) : (!fx.tensor<[3, 3], f32>)
}
