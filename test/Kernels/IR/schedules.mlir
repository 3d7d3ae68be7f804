// RUN: fx-opt %s --split-input-file --verify-diagnostics | FileCheck %s

// CHECK: fx_kernel.schedule = #fx_kernel.contraction<rows = 8, vectors = 2>
// CHECK: fx_kernel.schedule = #fx_kernel.contraction<rows = 4, vectors = 1, row_block = 64, rows_first = true, prefetch = 2>
// CHECK: fx_kernel.schedule = #fx_kernel.contraction<rows = 32, vectors = 2, tiles = true>
// CHECK: fx_kernel.schedule = #fx_kernel.winograd<tile = 4, block = 24, groups = 1, rows = 6, vectors = 2>
// CHECK: fx_kernel.schedule = #fx_kernel.rows
// CHECK: fx_kernel.schedule = #fx_kernel.rows}
// CHECK: fx_kernel.schedule = #fx_kernel.rows<unroll = 8>, fx_kernel.tuned
// CHECK: fx_kernel.schedule = #fx_kernel.window<unroll = 2>
// CHECK: fx_kernel.tiles = [#fx_kernel.matmul<m = 64, n = 64, k = 16, thread_m = 4, thread_n = 4>, #fx_kernel.warpgroup<columns = 0, stages = 0>, #fx_kernel.warpgroup<columns = 64, stages = 4, parts = 3, warpgroups = 1>]
// CHECK: fx_kernel.problem = #fx_kernel.problem<m = 128, n = 256, k = -1>
func.func private @defaults() attributes {fx_kernel.schedule = #fx_kernel.contraction<rows = 8, vectors = 2>}
func.func private @all() attributes {fx_kernel.schedule = #fx_kernel.contraction<rows = 4, vectors = 1, row_block = 64, rows_first = true, prefetch = 2>}
func.func private @matrix_tiles() attributes {fx_kernel.schedule = #fx_kernel.contraction<rows = 32, vectors = 2, tiles = true>}
func.func private @winograd() attributes {fx_kernel.schedule = #fx_kernel.winograd<tile = 4, block = 24, groups = 1, rows = 6, vectors = 2>}
func.func private @rows() attributes {fx_kernel.schedule = #fx_kernel.rows}
func.func private @zero() attributes {fx_kernel.schedule = #fx_kernel.rows<unroll = 0>}
func.func private @unrolled() attributes {fx_kernel.schedule = #fx_kernel.rows<unroll = 8>, fx_kernel.tuned}
func.func private @window() attributes {fx_kernel.schedule = #fx_kernel.window<unroll = 2>}
func.func private @tiles() attributes {fx_kernel.tiles = [#fx_kernel.matmul<m = 64, n = 64, k = 16, thread_m = 4, thread_n = 4>, #fx_kernel.warpgroup<columns = 0, stages = 0>, #fx_kernel.warpgroup<columns = 64, stages = 4, parts = 3, warpgroups = 1>]}
func.func private @problem() attributes {fx_kernel.problem = #fx_kernel.problem<m = 128, n = 256, k = -1>}

// -----

// expected-error @below {{fx_kernel.schedule: expected a schedule of a kernel, got "rows"}}
func.func private @text() attributes {fx_kernel.schedule = "rows"}

// -----

// expected-error @below {{fx_kernel.problem: expected #fx_kernel.problem, got #fx_kernel.rows}}
func.func private @problem() attributes {fx_kernel.problem = #fx_kernel.rows}

// -----

// expected-error @below {{fx_kernel.tiles: expected an array of schedules, got [1]}}
func.func private @tiles() attributes {fx_kernel.tiles = [1]}

// -----

// expected-error @below {{unknown attribute 'fx_kernel.shcedule' of the dialect fx_kernel}}
func.func private @unknown() attributes {fx_kernel.shcedule = #fx_kernel.rows}

// -----

// expected-error @below {{rows: expected 1 to 64, got 0}}
func.func private @none() attributes {fx_kernel.schedule = #fx_kernel.contraction<rows = 0, vectors = 2>}

// -----

// expected-error @below {{expected rows * vectors up to 64, got 66}}
func.func private @many() attributes {fx_kernel.schedule = #fx_kernel.contraction<rows = 33, vectors = 2>}

// -----

// expected-error @below {{terms: expected 0 for tiles, got 256}}
func.func private @parts_of_tiles() attributes {fx_kernel.schedule = #fx_kernel.contraction<rows = 32, vectors = 2, tiles = true, terms = 256>}

// -----

// expected-error @below {{terms: expected 0 to 9223372036854775807, got -1}}
func.func private @terms() attributes {fx_kernel.schedule = #fx_kernel.contraction<rows = 8, vectors = 2, terms = -1>}

// -----

// expected-error @below {{stages: expected 0 to 4096, got -1}}
func.func private @stages() attributes {fx_kernel.schedule = #fx_kernel.warpgroup<columns = 64, stages = -1>}

// -----

// expected-error @below {{unknown struct parameter name: lines}}
func.func private @name() attributes {fx_kernel.schedule = #fx_kernel.contraction<lines = 1>}

// -----

// expected-error @below {{unroll: expected 0 to 64, got -1}}
func.func private @negative() attributes {fx_kernel.schedule = #fx_kernel.window<unroll = -1>}

// -----

// expected-error @below {{fx_kernel.tuned: expected a unit attribute, got 1 : i64}}
func.func private @tuned() attributes {fx_kernel.tuned = 1}

// -----

// expected-error @below {{fx_kernel.variants: expected an array of symbols, got [1]}}
func.func private @variants() attributes {fx_kernel.variants = [1]}

// -----

// expected-error @below {{tile: expected 2 or 4, got 3}}
func.func private @winograd() attributes {fx_kernel.schedule = #fx_kernel.winograd<tile = 3, block = 24, groups = 1, rows = 6, vectors = 2>}
