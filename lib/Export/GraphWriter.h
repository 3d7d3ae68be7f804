//===- GraphWriter.h - fx.graph to serialized graphs ------------*- C++ -*-===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FX_LIB_EXPORT_GRAPHWRITER_H
#define FX_LIB_EXPORT_GRAPHWRITER_H

#include "GraphNames.h"
#include "TypeWriter.h"
#include "mlir/IR/SymbolTable.h"

namespace fx {
struct ArgumentSchema;

/// The state that all graphs of a program share.
struct ProgramContext {
  ProgramContext(mlir::ModuleOp module, llvm::StringSaver &strings)
      : symbols(module), strings(strings), types(module, strings) {}

  /// Returns the name of a state in the program.
  static llvm::StringRef getName(StateOp state);

  mlir::SymbolTable symbols;
  llvm::StringSaver &strings;
  TypeWriter types;
  unsigned depth = 0;
};

/// The inverse of Import's GraphBuilder. Functions return nullopt or false
/// after an error, which names the node.
class GraphWriter {
public:
  GraphWriter(ProgramContext &program, GraphOp graph)
      : program(program), graph(graph), names(graph, program.strings) {}

  std::optional<schema::Graph> write();
  /// Returns the signature of the main graph. `write` must have succeeded.
  std::optional<schema::GraphSignature> writeSignature();

  /// Writes a tree as an argument. Removes the operands of its leaves from the
  /// front of `operands`. The argument has the kind that `kind` names, or else
  /// the one that torch's serializer would choose.
  std::optional<schema::Argument> getArgument(mlir::Attribute tree,
                                              mlir::ValueRange &operands,
                                              const ArgumentSchema *schema,
                                              llvm::StringRef kind = "");

private:
  class ArgumentWriter;

  mlir::InFlightDiagnostic error();
  bool addValue(mlir::Value value);
  bool addInput(PlaceholderOp op);
  bool addNode(NodeOpInterface op);
  bool addInputs(NodeOpInterface op, schema::Node &node);
  bool addOutputs(NodeOpInterface op, schema::Node &node);
  void addMetadata(mlir::Operation *op, schema::Node &node);
  bool addOutput(OutputOp op);

  schema::Argument getValue(mlir::Value value, schema::Argument::Kind kind);
  std::optional<schema::Argument> getSubgraph(mlir::Value value);
  std::optional<schema::InputSpec> getSpec(PlaceholderOp op,
                                           const schema::Argument &input);
  llvm::StringRef getStateName(llvm::StringRef symbol);

  ProgramContext &program;
  GraphOp graph;
  GraphNames names;
  schema::Graph result;
  mlir::Operation *current = nullptr; ///< the operation that errors name
};

} // namespace fx

#endif // FX_LIB_EXPORT_GRAPHWRITER_H
