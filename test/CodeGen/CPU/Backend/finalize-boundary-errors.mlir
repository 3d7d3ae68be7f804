// RUN: fx-opt %s --fx-cpu-finalize-boundary --split-input-file --verify-diagnostics

// expected-error @+1 {{result 0 of @main writes to @t, which is no argument}}
func.func @main(%s: tensor<4xf32> {fx.state = @s}) -> (tensor<4xf32> {fx.mutates = @t}) {
  return %s : tensor<4xf32>
}

// -----

// expected-error @+1 {{result 0 of @main writes to argument 7, but there are 1}}
func.func @main(%s: tensor<4xf32>) -> (tensor<4xf32> {fx.mutates_input = 7 : i64}) {
  return %s : tensor<4xf32>
}

// -----

// expected-error @+1 {{argument 0 of @main: expected a ranked tensor or a scalar, got 'memref<4xf32>'}}
func.func @main(%s: memref<4xf32>) {
  return
}
