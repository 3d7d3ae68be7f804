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
#include "TorchFile.h"
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

namespace {
/// What an import has used of its limits.
struct Budget {
  explicit Budget(const ImportLimits &limits)
      : limits(limits), deadline(limits.seconds) {}

  const ImportLimits &limits;
  Deadline deadline;
  uint64_t textBytes = 0;
};
} // namespace

static Expected<StringRef> readRecord(const Archive &archive, StringRef name,
                                      Budget &budget) {
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
  budget.textBytes += record->size;
  if (uint64_t limit = budget.limits.textBytes;
      limit && budget.textBytes > limit)
    return archive.error(name, "expected at most " + Twine(limit) +
                                   " bytes of text, got " +
                                   Twine(budget.textBytes));
  return archive.read(*record);
}

/// Adds the path of the archive and the name of the record to an error about
/// the record's text. The error begins with the place in the text.
static Error inRecord(const Archive &archive, StringRef record, Error error) {
  return llvm::createStringError(archive.getPath() + ":" + record +
                                 llvm::toString(std::move(error)));
}

/// Fails unless the record is absent or says that numbers are little endian.
static Error checkByteOrder(const Archive &archive, StringRef record,
                            Budget &budget) {
  if (!archive.find(record))
    return Error::success();
  Expected<StringRef> order = readRecord(archive, record, budget);
  if (!order)
    return order.takeError();
  if (*order != "little")
    return archive.error(record, "expected 'little', got '" +
                                     order->take_front(40) + "'");
  return Error::success();
}

/// Checks the format, the version and the byte order of the archive.
static Error checkFormat(const Archive &archive, Budget &budget) {
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
  Expected<StringRef> format = readRecord(archive, "archive_format", budget);
  if (!format)
    return format.takeError();
  if (*format != "pt2")
    return archive.error("archive_format", "expected 'pt2', got '" +
                                               format->take_front(40) + "'");
  Expected<StringRef> version = readRecord(archive, "archive_version", budget);
  if (!version)
    return version.takeError();
  if (version->trim() != "0")
    return archive.error("archive_version", "expected version 0, got '" +
                                                version->take_front(40) + "'");
  return checkByteOrder(archive, "byteorder", budget);
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

/// Reads the file of torch.save in the record `record`, and decodes its pickle
/// by `decode`.
template <typename Decode>
static auto readPickle(Archive &archive, const std::string &record,
                       Budget &budget, Decode decode)
    -> decltype(decode(StringRef())) {
  if (Error e = archive.openNested(record))
    return e;
  if (Error e = checkByteOrder(archive, record + "/byteorder", budget))
    return e;
  std::string pickle = record + "/data.pkl";
  Expected<StringRef> text = readRecord(archive, pickle, budget);
  if (!text)
    return text.takeError();
  auto decoded = decode(*text);
  if (!decoded)
    return inRecord(archive, pickle, decoded.takeError());
  return decoded;
}

/// Reads the description of the weights or the constants of a model. The
/// configuration is `<model><suffix>` in `folder`.
static Expected<schema::PayloadConfig>
readConfig(Archive &archive, StringRef folder, StringRef model,
           StringRef suffix, llvm::BumpPtrAllocator &strings, Budget &budget) {
  std::string name = (folder + model + suffix).str(),
              file = (model + ".pt").str();
  // As torch does, prefer the older file.
  if (archive.find((folder + file).str()))
    return readPickle(
        archive, (folder + file).str(), budget,
        [&](StringRef text) { return decodeTorchFile(text, file, strings); });
  Expected<StringRef> text = readRecord(archive, name, budget);
  if (!text)
    return text.takeError();
  Expected<schema::PayloadConfig> config =
      decodePayloadConfig(*text, strings, &budget.deadline);
  if (!config)
    return inRecord(archive, name, config.takeError());
  return config;
}

/// Reads the tensor subclasses among the weights or constants. One that cannot
/// be read is an error only where its tensors are used, so that a program with
/// classes of others can be read and written.
static void readSubclasses(Archive &archive, StringRef folder,
                           const schema::PayloadConfig &config,
                           llvm::StringMap<Subclass> &subclasses,
                           llvm::BumpPtrAllocator &strings, Budget &budget) {
  for (const auto &[name, meta] : config.config) {
    std::string record = (folder + meta.path_name).str();
    if (!meta.use_pickle || !meta.tensor_meta || !archive.find(record) ||
        subclasses.contains(record))
      continue;
    Expected<SubclassFile> read =
        readPickle(archive, record, budget, [&](StringRef text) {
          return decodeSubclassFile(text, meta.path_name, strings);
        });
    Subclass &subclass = subclasses[record];
    if (read)
      subclass.file = std::move(*read);
    else
      subclass.problem = llvm::toString(read.takeError());
  }
}

/// Returns the archive's path relative to `folder`, or as given if `folder` is
/// empty.
static std::string getExternalPath(StringRef path, StringRef folder) {
  return folder.empty() ? path.str() : getRelativePath(path, folder);
}

//===----------------------------------------------------------------------===//
// The module
//===----------------------------------------------------------------------===//

static Expected<schema::ExportedProgram>
readProgram(const Archive &archive, const std::string &record,
            llvm::BumpPtrAllocator &strings, Budget &budget) {
  Expected<StringRef> text = readRecord(archive, record, budget);
  if (!text)
    return text.takeError();
  uint64_t numNodes = 0;
  Expected<schema::ExportedProgram> program =
      decodeProgram(*text, strings, numNodes, &budget.deadline);
  if (!program)
    return inRecord(archive, record, program.takeError());
  if (uint64_t limit = budget.limits.nodes; limit && numNodes > limit)
    return archive.error(record, "expected at most " + Twine(limit) +
                                     " nodes, got " + Twine(numNodes));
  return program;
}

static Expected<OwningOpRef<ModuleOp>> import(StringRef path, MLIRContext &ctx,
                                              const ImportOptions &options) {
  Budget budget(options.limits);
  Expected<std::unique_ptr<Archive>> opened = Archive::open(path);
  if (!opened)
    return opened.takeError();
  Archive &archive = **opened;
  if (Error e = checkFormat(archive, budget))
    return e;
  Expected<std::string> model = selectModel(archive, options.model);
  if (!model)
    return model.takeError();

  llvm::BumpPtrAllocator strings;
  Expected<schema::ExportedProgram> program =
      readProgram(archive, "models/" + *model + ".json", strings, budget);
  if (!program)
    return program.takeError();
  Expected<schema::PayloadConfig> weights =
      readConfig(archive, "data/weights/", *model, "_weights_config.json",
                 strings, budget);
  if (!weights)
    return weights.takeError();
  Expected<schema::PayloadConfig> constants =
      readConfig(archive, "data/constants/", *model, "_constants_config.json",
                 strings, budget);
  if (!constants)
    return constants.takeError();

  ErrorCollector errors(&ctx);
  OwningOpRef<ModuleOp> module = ModuleOp::create(UnknownLoc::get(&ctx));
  PayloadSource source{
      archive, getExternalPath(path, options.irFolder), *model, {}};
  readSubclasses(archive, "data/weights/", *weights, source.subclasses, strings,
                 budget);
  readSubclasses(archive, "data/constants/", *constants, source.subclasses,
                 strings, budget);
  ProgramBuilder builder(*module, *program, source, budget.deadline);
  if (failed(builder.buildStates(*weights, "data/weights/")) ||
      failed(builder.buildStates(*constants, "data/constants/")) ||
      failed(builder.build()) || failed(verify(*module)) ||
      failed(verifyResultTypes(*module)))
    return llvm::createStringError(archive.getPath() + ":" + errors.getText());
  if (budget.deadline.hasPassed())
    return archive.error(budget.deadline.getMessage());
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
