//===- Import.cpp - .pt2 to the fx dialect --------------------------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The names of the records of an archive are those of
// torch/export/pt2_archive/constants.py.
//
//===----------------------------------------------------------------------===//

#include "fx/Import/Import.h"
#include "Decode.h"
#include "Diagnostics.h"
#include "ProgramBuilder.h"
#include "fx/IR/ExternalPaths.h"
#include "fx/Operators/Dialect.h"
#include "fx/Operators/Verify.h"

#include "mlir/IR/Verifier.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

using namespace mlir;
using namespace fx;
using llvm::Error;
using llvm::Expected;

//===----------------------------------------------------------------------===//
// The archive
//===----------------------------------------------------------------------===//

static Expected<StringRef> readRecord(const Archive &archive, StringRef name) {
  const ArchiveRecord *record = archive.find(name);
  if (!record)
    return archive.error(name, "the archive has no such record");
  // Bounds the time and memory that parsing takes. Graphs of 100,000 nodes are
  // smaller.
  constexpr uint64_t maxSize = 512 << 20;
  if (record->size > maxSize)
    return archive.error(name, "expected at most " + Twine(maxSize) +
                                   " bytes of text, got " +
                                   Twine(record->size));
  return archive.read(*record);
}

/// Adds the path of the archive and the name of the record to an error about
/// the record's text. The error begins with the place in the text.
static Error inRecord(const Archive &archive, StringRef record, Error error) {
  return llvm::createStringError(archive.getPath() + ":" + record +
                                 llvm::toString(std::move(error)));
}

/// Checks the format, the version and the byte order of the archive.
static Error checkFormat(const Archive &archive) {
  if (!archive.find("archive_format")) {
    if (llvm::any_of(archive.getRecords(), [](const ArchiveRecord &record) {
          return isTorchScriptCode(record.name);
        }))
      return archive.error(kTorchScriptText);
    return archive.error(
        archive.find("data.pkl")
            ? "expected an archive of torch.export.save, got one of "
              "torch.save: export the model with torch.export.export"
            : "expected an archive of torch.export.save, found no record "
              "'archive_format' in it");
  }
  Expected<StringRef> format = readRecord(archive, "archive_format");
  if (!format)
    return format.takeError();
  if (*format != "pt2")
    return archive.error("archive_format", "expected 'pt2', got '" +
                                               format->take_front(40) + "'");
  Expected<StringRef> version = readRecord(archive, "archive_version");
  if (!version)
    return version.takeError();
  if (version->trim() != "0")
    return archive.error("archive_version", "expected version 0, got '" +
                                                version->take_front(40) + "'");
  if (!archive.find("byteorder"))
    return Error::success();
  Expected<StringRef> order = readRecord(archive, "byteorder");
  if (!order)
    return order.takeError();
  if (*order != "little")
    return archive.error("byteorder", "expected 'little', got '" +
                                          order->take_front(40) + "'");
  return Error::success();
}

/// Returns the model to import: `wanted`, or the only one if `wanted` is empty.
static Expected<std::string> selectModel(const Archive &archive,
                                         StringRef wanted) {
  SmallVector<StringRef> models;
  llvm::SmallSetVector<StringRef, 4> compiled;
  for (const ArchiveRecord &record : archive.getRecords()) {
    StringRef name = record.name;
    if (name.consume_front("models/") && name.consume_back(".json"))
      models.push_back(name);
    else if (name.consume_front("data/aotinductor/"))
      compiled.insert(name.split('/').first);
  }
  std::string list = "'" + llvm::join(models, "', '") + "'";
  if (models.empty() && !compiled.empty())
    return archive.error("holds models compiled by AOTInductor only ('" +
                         llvm::join(compiled, "', '") +
                         "'), and no graph in models/*.json");
  if (models.empty())
    return archive.error("holds no model: expected a record models/*.json");
  if (!wanted.empty() && !llvm::is_contained(models, wanted))
    return archive.error("has no model '" + wanted + "', only " + list);
  if (wanted.empty() && models.size() > 1)
    return archive.error("holds several models, choose one of " + list +
                         " with --model");
  return (wanted.empty() ? models.front() : wanted).str();
}

static Expected<schema::PayloadConfig>
readConfig(const Archive &archive, const std::string &name,
           llvm::BumpPtrAllocator &strings) {
  if (!archive.find(name))
    return archive.error(
        name, "the archive has no such record: torch 2.8 and later write it, "
              "earlier ones pickle the values; save the program again");
  Expected<StringRef> text = readRecord(archive, name);
  if (!text)
    return text.takeError();
  Expected<schema::PayloadConfig> config = decodePayloadConfig(*text, strings);
  if (!config)
    return inRecord(archive, name, config.takeError());
  return config;
}

/// Returns the archive's path relative to `folder`, or as given if `folder` is
/// empty.
static std::string getExternalPath(StringRef path, StringRef folder) {
  return folder.empty() ? path.str() : getRelativePath(path, folder);
}

//===----------------------------------------------------------------------===//
// The module
//===----------------------------------------------------------------------===//

static Expected<OwningOpRef<ModuleOp>> import(StringRef path, MLIRContext &ctx,
                                              const ImportOptions &options) {
  Expected<std::unique_ptr<Archive>> opened = Archive::open(path);
  if (!opened)
    return opened.takeError();
  const Archive &archive = **opened;
  if (Error e = checkFormat(archive))
    return e;
  Expected<std::string> model = selectModel(archive, options.model);
  if (!model)
    return model.takeError();

  llvm::BumpPtrAllocator strings;
  std::string record = "models/" + *model + ".json";
  Expected<StringRef> text = readRecord(archive, record);
  if (!text)
    return text.takeError();
  Expected<schema::ExportedProgram> program = decodeProgram(*text, strings);
  if (!program)
    return inRecord(archive, record, program.takeError());
  Expected<schema::PayloadConfig> weights = readConfig(
      archive, "data/weights/" + *model + "_weights_config.json", strings);
  if (!weights)
    return weights.takeError();
  Expected<schema::PayloadConfig> constants = readConfig(
      archive, "data/constants/" + *model + "_constants_config.json", strings);
  if (!constants)
    return constants.takeError();

  ErrorCollector errors(&ctx);
  OwningOpRef<ModuleOp> module = ModuleOp::create(UnknownLoc::get(&ctx));
  PayloadSource source{archive, getExternalPath(path, options.irFolder),
                       *model};
  ProgramBuilder builder(*module, *program, source);
  if (failed(builder.buildStates(*weights, "data/weights/")) ||
      failed(builder.buildStates(*constants, "data/constants/")) ||
      failed(builder.build()) || failed(verify(*module)) ||
      failed(verifyResultTypes(*module)))
    return llvm::createStringError(path + ":" + errors.getText());
  return module;
}

FailureOr<OwningOpRef<ModuleOp>> fx::importPt2(StringRef path,
                                               MLIRContext &context,
                                               const ImportOptions &options) {
  loadFXDialect(context);
  Expected<OwningOpRef<ModuleOp>> module = import(path, context, options);
  if (module)
    return std::move(*module);
  emitError(UnknownLoc::get(&context)) << llvm::toString(module.takeError());
  return failure();
}
