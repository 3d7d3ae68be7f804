//===- GraphBuilder.h - serialized graphs to fx.graph -----------*- C++ -*-===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FX_LIB_IMPORT_GRAPHBUILDER_H
#define FX_LIB_IMPORT_GRAPHBUILDER_H

#include "LocationBuilder.h"
#include "TypeBuilder.h"
#include "fx/Support/Deadline.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringSet.h"

namespace fx {

/// The state that all graphs of a program share.
struct ProgramState {
  ProgramState(mlir::ModuleOp module, Deadline &deadline,
               llvm::StringRef torchVersion)
      : deadline(deadline), torchVersion(torchVersion), module(module),
        ctx(module.getContext()), types(ctx), locations(ctx), symbols(module) {}

  Deadline &deadline;
  /// The version of torch that wrote the program.
  llvm::StringRef torchVersion;
  mlir::ModuleOp module;
  mlir::MLIRContext *ctx;
  TypeBuilder types;
  LocationBuilder locations;
  /// The states and graphs built so far, by their symbols.
  mlir::SymbolTable symbols;
  /// The states, by their names in the program.
  llvm::StringMap<StateOp> states;
  /// The sub-graphs built so far, by their names in the program.
  llvm::StringMap<llvm::SmallVector<GraphOp, 1>> subgraphs;
  /// The range constraints, in the order of the file.
  llvm::SmallVector<RangeAttr> ranges;
  /// The symbols that a graph declares although they have no range constraint.
  llvm::SmallSetVector<mlir::StringAttr, 4> unbounded;
  unsigned depth = 0;
};

/// Builds one graph. All functions emit an error and fail on bad input.
class GraphBuilder {
public:
  GraphBuilder(ProgramState &program, const schema::Graph &graph)
      : program(program), ctx(program.ctx), graph(graph), b(ctx) {}

  /// Builds the graph as `symbol`. `signature` is null for a sub-graph. The
  /// symbols of a private graph's own sub-graphs begin with `symbol.`.
  mlir::FailureOr<GraphOp> build(llvm::StringRef symbol, bool isPrivate,
                                 const schema::GraphSignature *signature);

private:
  mlir::InFlightDiagnostic error() { return error(where); }
  mlir::InFlightDiagnostic error(llvm::StringRef where);

  // Values.
  mlir::LogicalResult collectTypes();
  mlir::LogicalResult define(llvm::StringRef name, mlir::Value value);
  mlir::Value lookup(llvm::StringRef name);
  mlir::Type getType(llvm::StringRef name);

  // Inputs and outputs.
  mlir::LogicalResult buildInputs(const schema::GraphSignature *signature);
  mlir::LogicalResult buildInput(size_t index, const schema::InputSpec *spec);
  mlir::LogicalResult buildOutputs(const schema::GraphSignature *signature);
  OutputSpecAttr getOutputSpec(const schema::OutputSpec &spec,
                               const schema::Argument &output);

  // Nodes.
  mlir::LogicalResult buildNode(const schema::Node &node);
  /// Returns the tree of a node's results, or null after an error, and appends
  /// the names of the results to `names`.
  mlir::Attribute getOutputTree(const schema::Argument &output,
                                llvm::SmallVectorImpl<llvm::StringRef> &names);
  /// Adds attributes for the properties of the node that cannot be derived from
  /// the operation and its schema.
  void keepDifferences(const schema::Node &node, mlir::Operation *op);
  mlir::LogicalResult checkAgainstSchema(llvm::StringRef target,
                                         const schema::Node &node);

  // Arguments. The functions return null after an error and append the operands
  // to `values`.
  class TreeBuilder;
  mlir::Attribute getTree(const schema::Argument &argument,
                          llvm::SmallVectorImpl<mlir::Value> &values);
  template <typename T, typename Fn>
  mlir::Attribute getList(const std::vector<T> &list, Fn element);
  mlir::Attribute useValue(llvm::StringRef name,
                           llvm::SmallVectorImpl<mlir::Value> &values);
  mlir::Value getSubgraph(const schema::GraphArgument &argument);
  mlir::Value getObject(const schema::CustomObjArgument &argument);
  mlir::Value createGetAttr(llvm::StringRef name, llvm::StringRef symbol,
                            mlir::Type type);

  void declareSymbols(bool isMain);

  ProgramState &program;
  mlir::MLIRContext *ctx;
  const schema::Graph &graph;
  mlir::OpBuilder b;
  GraphOp op;
  std::string prefix; ///< of the sub-graphs' symbols
  std::string where;  ///< the node being built
  llvm::StringMap<mlir::Type> types;
  llvm::StringMap<mlir::Value> values;
  llvm::StringMap<mlir::Value> getAttrs; ///< by symbol
};

/// Returns the dialect's name of a serialized target: `aten.add.Tensor` for
/// `torch.ops.aten.add.Tensor`.
llvm::StringRef getTargetName(llvm::StringRef serialized);

/// Returns true if `name` is a Python identifier that may also contain dots. FX
/// makes no other names. Other code relies on this: it joins names with commas
/// and prints them as SSA names.
bool isNodeName(llvm::StringRef name);

} // namespace fx

#endif // FX_LIB_IMPORT_GRAPHBUILDER_H
