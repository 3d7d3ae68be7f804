//===- Import.h - .pt2 to the fx dialect ------------------------*- C++ -*-===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FX_IMPORT_IMPORT_H
#define FX_IMPORT_IMPORT_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

#include <string>

namespace fx {

struct ImportOptions {
  /// The model of the archive; may be empty if there is only one.
  std::string model;
  /// The folder that the paths of `#fx.external` are relative to: the one in
  /// which the IR will stand. Empty: they are the archive's path as given.
  std::string irFolder;
};

/// Reads the archive that `torch.export.save` wrote: states, sub-graphs and
/// `fx.graph @main`, verified. Weights are not touched; the module refers to
/// them. Nothing pickled in the archive is ever read.
///
/// On failure one error has been emitted, at an unknown location, whose text
/// is `<path>[:<record or node>]: <what is wrong>`, on one line.
///
/// Discardable attributes keep what has no place in the IR itself, for callers
/// and for export (fx/Export/Export.h). On the module:
///   fx.model            the model's name, unless it is `model`
///   fx.schema_version, fx.torch_version, fx.opset_version, fx.verifiers,
///   fx.namedtuples      as the program has them
///   fx.expressions      sympy's text of each expression, with its example
///                       value (a unit attribute where it has none)
///   fx.unbounded        symbols declared although no range names them
///   fx.sample_inputs, fx.extra_files  where files of the archive lie
/// On a state:
///   fx.fqn              its name, where that is not the symbol
///   fx.parameter        it is a parameter that the graph does not take
///   fx.folder           of the archive, where its kind does not tell
///   fx.pickled          where its pickle lies
///   fx.payload          how the name of an object's file begins
/// On a graph: fx.in_spec, fx.out_spec (pytree specs), fx.module_call_graph,
/// fx.metadata; fx.single_return (it gives one tensor and no tuple); fx.name
/// (of a sub-graph, where its symbol does not end with it).
/// On a node: fx.kinds, fx.arg_names, fx.function, fx.single_return, where
/// torch's serializer would not choose the same (fx/Import/ArgumentKinds.h).
///
/// Loads the fx dialect into the context.
mlir::FailureOr<mlir::OwningOpRef<mlir::ModuleOp>>
importPt2(llvm::StringRef path, mlir::MLIRContext &context,
          const ImportOptions &options = {});

} // namespace fx

#endif // FX_IMPORT_IMPORT_H
