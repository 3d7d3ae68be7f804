//===- ProgramWriter.h - modules to serialized programs ---------*- C++ -*-===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FX_LIB_EXPORT_PROGRAMWRITER_H
#define FX_LIB_EXPORT_PROGRAMWRITER_H

#include "GraphWriter.h"
#include "fx/Export/ArchiveWriter.h"
#include "fx/IR/ExternalData.h"

namespace fx {

/// The inverse of Import's ProgramBuilder: writes one module as a model of an
/// archive. Functions that fail have emitted an error.
class ProgramWriter {
public:
  /// `data` provides the bytes of `#fx.external` attributes.
  ProgramWriter(mlir::ModuleOp module, ArchiveWriter &archive,
                ExternalData &data)
      : module(module), archive(archive), data(data), strings(allocator),
        context(module, strings) {}

  /// Writes the model. `payloads` has the number of payload files of all models
  /// so far, by the prefix of their names.
  mlir::LogicalResult write(llvm::StringMap<unsigned> &payloads);
  /// Returns the model's name.
  llvm::StringRef getModel();

private:
  struct Folder {
    llvm::StringRef path, config, prefix;
  };
  mlir::FailureOr<schema::ExportedProgram> getProgram(GraphOp graph);
  mlir::LogicalResult getModule(GraphOp graph, schema::GraphModule &result);
  mlir::LogicalResult getCalls(GraphWriter &writer, GraphOp graph,
                               schema::GraphModule &result);
  mlir::LogicalResult getCall(GraphWriter &writer, GraphOp graph,
                              mlir::DictionaryAttr call,
                              schema::ModuleCallEntry &entry);
  std::optional<schema::Argument> getDescribed(GraphWriter &writer,
                                               mlir::Attribute described);
  void getHeader(schema::ExportedProgram &program);
  mlir::LogicalResult getRanges(GraphOp graph,
                                schema::ExportedProgram &program);

  mlir::LogicalResult writeStates(GraphOp graph, const Folder &folder,
                                  llvm::StringMap<unsigned> &payloads);
  mlir::LogicalResult writeState(StateOp state, const Folder &folder,
                                 schema::PayloadMeta &meta, bool isNew);
  mlir::LogicalResult add(llvm::StringRef record, llvm::ArrayRef<char> bytes,
                          std::optional<uint32_t> crc = std::nullopt);
  mlir::LogicalResult add(llvm::StringRef record, ExternalAttr bytes);

  mlir::ModuleOp module;
  ArchiveWriter &archive;
  ExternalData &data;
  llvm::BumpPtrAllocator allocator;
  llvm::StringSaver strings;
  ProgramContext context;
};

} // namespace fx

#endif // FX_LIB_EXPORT_PROGRAMWRITER_H
