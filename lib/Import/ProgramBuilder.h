//===- ProgramBuilder.h - serialized programs to modules --------*- C++ -*-===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FX_LIB_IMPORT_PROGRAMBUILDER_H
#define FX_LIB_IMPORT_PROGRAMBUILDER_H

#include "GraphBuilder.h"
#include "TorchFile.h"
#include "fx/Import/Archive.h"

namespace fx {

/// The tensors of a tensor subclass, or why they cannot be read.
struct Subclass {
  SubclassFile file;
  std::string problem;
};

/// The source of the states' bytes.
struct PayloadSource {
  const Archive &archive;
  /// The archive's path in `#fx.external` attributes.
  std::string externalPath;
  /// The model's name in the archive.
  std::string model;
  /// The tensor subclasses, by the records of their pickles.
  llvm::StringMap<Subclass> subclasses;
};

/// Fills an empty module with the program's states and graphs.
class ProgramBuilder {
public:
  ProgramBuilder(mlir::ModuleOp module, const schema::ExportedProgram &program,
                 const PayloadSource &source, Deadline &deadline);

  /// Builds the states of a weights or constants configuration, whose files lie
  /// in `folder` of the archive.
  mlir::LogicalResult buildStates(const schema::PayloadConfig &config,
                                  llvm::StringRef folder);
  /// Builds everything else. The states must have been built.
  mlir::LogicalResult build();

private:
  mlir::LogicalResult buildState(llvm::StringRef name,
                                 const schema::PayloadMeta &meta,
                                 llvm::StringRef folder);
  /// Builds the states of the tensors of a tensor subclass, whose own state is
  /// `outer`.
  mlir::LogicalResult buildInner(StateOp outer, llvm::StringRef name,
                                 const Subclass &subclass,
                                 llvm::StringRef folder);
  mlir::LogicalResult checkStorage(llvm::StringRef name, FakeTensorType type,
                                   const ArchiveRecord &record);
  mlir::LogicalResult buildRanges();
  void buildGuards(GraphOp graph);
  void attachPrograms(GraphOp graph);
  mlir::Attribute getCallGraph();
  mlir::Attribute describe(const schema::Argument &argument);
  mlir::Attribute getExternal(const ArchiveRecord &record);
  void attachFiles();
  void markFunctional();

  ProgramState state;
  mlir::MLIRContext *ctx;
  const schema::ExportedProgram &program;
  const PayloadSource &source;
  mlir::OpBuilder b;
  /// The input specs of the states that the graph takes, by the states' names.
  llvm::StringMap<const schema::InputSpec *> specs;
  llvm::StringMap<llvm::StringRef> objectClasses;
};

} // namespace fx

#endif // FX_LIB_IMPORT_PROGRAMBUILDER_H
