//===- Import.h - .pt2 to the fx dialect ------------------------*- C++ -*-===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FX_IMPORT_IMPORT_H
#define FX_IMPORT_IMPORT_H

#include "fx/Import/Limits.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

#include <string>

namespace fx {

struct ImportOptions {
  /// The name of the model; may be empty if the archive has only one.
  std::string model;
  /// The folder of the IR file, to which the paths of `#fx.external` are
  /// relative. Empty: the paths are the path of the archive as given.
  std::string irFolder;
  ImportLimits limits;
};

/// Imports an archive of `torch.export.save`: its states, its sub-graphs and
/// `fx.graph @main`. The module is verified. Weights are not read; the module
/// refers to them. Pickled data of the archive is never read.
///
/// An archive in memory is a file of `UnlinkedFile::createInMemory`, which must
/// live as long as the module's states are read.
///
/// On failure emits one error at an unknown location, with the text
/// `<path>[:<record or node>]: <what is wrong>` on one line.
///
/// Discardable attributes keep properties of the program that the IR cannot
/// represent, for callers and for export (fx/Export/Export.h). On the module:
///   fx.model            the name of the model, unless it is `model`
///   fx.schema_version, fx.torch_version, fx.opset_version, fx.verifiers,
///   fx.namedtuples      the fields of the program with these names
///   fx.expressions      sympy's text of each expression, with its example
///                       value (a unit attribute if it has none)
///   fx.unbounded        declared symbols without a range constraint
///   fx.sample_inputs, fx.extra_files  the locations of files of the archive
/// On a state:
///   fx.fqn              its name, if it differs from the symbol
///   fx.parameter        it is a parameter that no placeholder takes
///   fx.folder           its folder in the archive, if it does not follow from
///                       its kind
///   fx.pickled          the location of its pickle
///   fx.payload          the prefix of the name of an object's file
///   fx.inner_of, fx.inner_name  the state of the tensor subclass that has this
///                       tensor, and its attribute
///   fx.reason           why the tensors of a tensor subclass are not read
/// On a graph: fx.in_spec, fx.out_spec (pytree specs), fx.module_call_graph,
/// fx.metadata; fx.single_return (it returns one tensor and no tuple); fx.name
/// (the name of a sub-graph, if its symbol does not end with it).
/// On a node: fx.kinds, fx.arg_names, fx.function, fx.single_return, if they
/// differ from the choice of torch's serializer (fx/Import/ArgumentKinds.h).
///
/// Loads the fx dialect into the context.
mlir::FailureOr<mlir::OwningOpRef<mlir::ModuleOp>>
importPt2(llvm::StringRef path, mlir::MLIRContext &context,
          const ImportOptions &options = {});

} // namespace fx

#endif // FX_IMPORT_IMPORT_H
