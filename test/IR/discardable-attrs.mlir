// RUN: fx-opt %s -split-input-file -verify-diagnostics

// [D1]
// expected-error @below {{'fx.nonsense' is no attribute of the fx dialect}}
func.func @unknown() attributes {fx.nonsense} {
  return
}

// -----

// [D3]
// expected-error @below {{'fx.arena_bytes': expected an integer, got "many"}}
func.func @kind() attributes {fx.arena_bytes = "many"} {
  return
}

// -----

// [D3]
// expected-error @below {{'fx.layer': expected an integer or a string, got [1]}}
func.func @kinds() attributes {fx.layer = [1]} {
  return
}

// -----

// [D2]
// expected-error @below {{'fx.prepared' does not belong on an operation}}
func.func @place() attributes {fx.prepared = 1 : i64} {
  return
}

// -----

// [D2]
// expected-error @below {{'fx.arena_bytes' does not belong on an argument}}
func.func @argument(%x: tensor<4xf32> {fx.arena_bytes = 4 : i64}) {
  return
}

// -----

// [D2]
// expected-error @below {{'fx.state' does not belong on a result}}
func.func @result(%x: tensor<4xf32>) -> (tensor<4xf32> {fx.state = @w}) {
  return %x : tensor<4xf32>
}
