//===- Export.cpp - the fx dialect to .pt2 --------------------------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fx/Export/Export.h"
#include "ProgramWriter.h"

using namespace mlir;
using namespace fx;

/// Writes the extra files of a module, except those that are in `written`. The
/// models of an archive share these files.
static LogicalResult writeExtraFiles(const ExportModel &model,
                                     ArchiveWriter &archive,
                                     llvm::StringSet<> &written) {
  ModuleOp module = model.module;
  auto files = module->getAttrOfType<DictionaryAttr>("fx.extra_files");
  if (!files)
    return success();
  ExternalData data(model.irFolder);
  for (NamedAttribute file : files) {
    StringRef name = file.getName();
    auto external = dyn_cast<ExternalAttr>(file.getValue());
    if (!external)
      return emitError(module.getLoc())
             << "expected #fx.external for the file '" << name << "', got "
             << file.getValue();
    if (!written.insert(name).second)
      continue;
    llvm::Expected<ArrayRef<char>> bytes = data.get(external);
    llvm::Error error = bytes ? archive.add(("extra/" + name).str(), *bytes,
                                            external.getCrc32())
                              : bytes.takeError();
    if (error)
      return emitError(module.getLoc()) << llvm::toString(std::move(error));
  }
  return success();
}

LogicalResult fx::exportPt2(ArrayRef<ExportModel> models, raw_ostream &os,
                            StringRef root) {
  ArchiveWriter archive(os, root);
  llvm::StringMap<unsigned> payloads;
  llvm::StringSet<> names, extra;
  for (const ExportModel &model : models) {
    ExternalData data(model.irFolder);
    ProgramWriter writer(model.module, archive, data);
    if (!names.insert(writer.getModel()).second)
      return emitError(ModuleOp(model.module).getLoc())
             << "two models are called '" << writer.getModel()
             << "': expected different names in their 'fx.model'";
    if (failed(writer.write(payloads)))
      return failure();
  }
  for (const ExportModel &model : models)
    if (failed(writeExtraFiles(model, archive, extra)))
      return failure();
  if (llvm::Error e = archive.finish())
    return emitError(ModuleOp(models.front().module).getLoc())
           << llvm::toString(std::move(e));
  return success();
}
