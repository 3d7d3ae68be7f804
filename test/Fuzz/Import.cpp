//===- Import.cpp - fx-import-fuzzer: archives, and round trips ----------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An input is an archive in memory, which is read in pieces. Whatever it holds,
// it is refused in one line that begins with its name, or it is a module that
// verifies, that prints what parses to the same, and that goes back to an
// archive of the same graph. With limits, it is the same module, or refused.
//
//===----------------------------------------------------------------------===//

#include "Fuzz.h"
#include "fx/Export/ArchiveWriter.h"

#include "fx/Export/Export.h"
#include "fx/IR/FXDialect.h"
#include "fx/Import/Archive.h"
#include "fx/Import/Import.h"
#include "fx/Support/UnlinkedFile.h"

#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Parser/Parser.h"

using namespace fx;
using namespace fx::fuzz;
using namespace mlir;

/// The node's location without a name of its own beside its values' names: a
/// node that has none, or that of another one, gets one in a round trip. One
/// without results and name has no name of the function of its only frame,
/// either, which would be taken for its own.
static Location withoutOwnName(Operation *op) {
  MLIRContext *context = op->getContext();
  Location loc = op->getLoc();
  SmallVector<Location> frames = {loc};
  NamedAttrList others;
  if (auto fused = dyn_cast<FusedLoc>(loc)) {
    auto metadata = dyn_cast_if_present<DictionaryAttr>(fused.getMetadata());
    if (!metadata)
      return loc;
    frames = llvm::to_vector(fused.getLocations());
    others = NamedAttrList(metadata);
    others.erase("name");
  }
  if (op->getNumResults() == 0)
    for (Location &frame : frames)
      while (auto name = dyn_cast<NameLoc>(frame))
        frame = name.getChildLoc();
  if (others.empty() && frames.size() == 1)
    return frames.front();
  return FusedLoc::get(frames, others.getDictionary(context), context);
}

/// The graphs as text, without the states: these say where the weights lie.
static std::string getText(ModuleOp original) {
  OwningOpRef<ModuleOp> copy = original.clone();
  ModuleOp module = *copy;
  module.walk([](Operation *op) { op->setLoc(withoutOwnName(op)); });
  std::string text;
  llvm::raw_string_ostream os(text);
  OpPrintingFlags flags;
  flags.enableDebugInfo(true, false).useLocalScope();
  for (GraphOp graph : module.getOps<GraphOp>()) {
    graph->print(os, flags);
    os << "\n";
  }
  return text;
}

static std::string print(ModuleOp module) {
  std::string text;
  llvm::raw_string_ostream os(text);
  OpPrintingFlags flags;
  flags.enableDebugInfo(true, false);
  module->print(os, flags);
  return text;
}

/// The archive in memory, read by pieces whose sizes follow from the data.
static UnlinkedFile readInPieces(StringRef bytes) {
  Random random(bytes.size());
  llvm::Expected<UnlinkedFile> file = UnlinkedFile::createInMemory(
      "fuzz.pt2",
      [&](llvm::MutableArrayRef<char> buffer) -> llvm::Expected<size_t> {
        size_t most = std::min(buffer.size(), 1 + pick(random, 1 << 16));
        StringRef part = bytes.take_front(most);
        llvm::copy(part, buffer.begin());
        bytes = bytes.drop_front(part.size());
        return part.size();
      });
  require(!!file, "no file in memory");
  return std::move(*file);
}

/// Imports again with limits that the archive may exceed.
static void importWithLimits(const UnlinkedFile &file, ModuleOp whole,
                             std::string &errors) {
  ImportOptions options;
  options.limits.nodes = 8;
  options.limits.textBytes = 50000;
  FailureOr<OwningOpRef<ModuleOp>> module =
      importPt2(file.getPath(), *whole.getContext(), options);
  if (failed(module)) {
    requireOneLine(errors);
    require(StringRef(errors).contains("expected at most "),
            "an error that is no limit", errors);
    errors.clear();
    return;
  }
  require(print(**module) == print(whole), "limits change the module");
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  MLIRContext context(MLIRContext::Threading::DISABLED);
  std::string errors;
  ScopedDiagnosticHandler handler(&context, [&](Diagnostic &diagnostic) {
    if (diagnostic.getSeverity() == DiagnosticSeverity::Error)
      errors += (errors.empty() ? "" : "\n") + diagnostic.str();
    return success();
  });
  UnlinkedFile file =
      readInPieces(StringRef(reinterpret_cast<const char *>(data), size));
  FailureOr<OwningOpRef<ModuleOp>> module = importPt2(file.getPath(), context);
  if (failed(module)) {
    requireOneLine(errors);
    require(StringRef(errors).starts_with("fuzz.pt2:"), "no name in an error",
            errors);
    return 0;
  }
  require(errors.empty(), "an error of an import that succeeds", errors);
  require(succeeded(verify(**module)), "an imported module does not verify",
          errors);

  importWithLimits(file, **module, errors);
  std::string text = print(**module);
  OwningOpRef<ModuleOp> parsed =
      parseSourceString<ModuleOp>(text, ParserConfig(&context));
  require(!!parsed, "an imported module does not parse", errors + "\n" + text);
  require(print(*parsed) == text, "parsing changes the text", text);

  std::string archive;
  llvm::raw_string_ostream os(archive);
  if (failed(exportPt2({{**module, ""}}, os))) {
    require(!errors.empty(), "an export fails without an error", text);
    return 0;
  }
  MemoryFile back(archive);
  FailureOr<OwningOpRef<ModuleOp>> again = importPt2(back.getPath(), context);
  require(succeeded(again), "what was exported is not imported",
          errors + "\n" + text);
  require(getText(**again) == getText(**module),
          "a round trip changes the graph",
          getText(**module) + getText(**again));
  return 0;
}

/// Records that the writer adds by itself.
static bool isWritten(StringRef name) {
  return name == "archive_format" || name == "archive_version" ||
         name == ".data/version" || name == "byteorder" ||
         name == ".data/serialization_id";
}

static std::string mutateRecord(StringRef name, StringRef bytes,
                                Random &random) {
  if (!name.ends_with(".json") || pick(random, 8) == 0)
    return mutateBytes(bytes, 64);
  llvm::Expected<llvm::json::Value> document = llvm::json::parse(bytes);
  if (!document) {
    llvm::consumeError(document.takeError());
    return mutateBytes(bytes, 64);
  }
  for (size_t i = 0, count = 1 + pick(random, 3); i < count; ++i)
    mutateJson(*document, random);
  std::string text;
  llvm::raw_string_ostream(text) << *document;
  return text;
}

/// The archive with another content of one record, its sums right; empty where
/// it is none.
static std::string mutateArchive(StringRef bytes, Random &random) {
  MemoryFile file(bytes);
  llvm::Expected<std::unique_ptr<Archive>> archive =
      Archive::open(file.getPath());
  if (!archive) {
    llvm::consumeError(archive.takeError());
    return "";
  }
  ArrayRef<ArchiveRecord> records = (*archive)->getRecords();
  size_t changed = pick(random, records.size());
  for (auto [i, record] : llvm::enumerate(records))
    if (StringRef(record.name).starts_with("models/") && pick(random, 8))
      changed = i;
  std::string result;
  llvm::raw_string_ostream os(result);
  ArchiveWriter writer(os, "archive");
  for (auto [i, record] : llvm::enumerate(records)) {
    llvm::Expected<StringRef> content = (*archive)->read(record);
    if (!content) {
      llvm::consumeError(content.takeError());
      return "";
    }
    if (isWritten(record.name))
      continue;
    std::string other = i == changed
                            ? mutateRecord(record.name, *content, random)
                            : content->str();
    if (llvm::Error e =
            writer.add(record.name, ArrayRef(other.data(), other.size()))) {
      llvm::consumeError(std::move(e));
      return "";
    }
  }
  if (llvm::Error e = writer.finish()) {
    llvm::consumeError(std::move(e));
    return "";
  }
  return result;
}

extern "C" size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size,
                                          size_t maxSize, unsigned seed) {
  Random random(seed);
  if (pick(random, 16)) {
    std::string other =
        mutateArchive(StringRef(reinterpret_cast<char *>(data), size), random);
    if (!other.empty() && other.size() <= maxSize) {
      memcpy(data, other.data(), other.size());
      return other.size();
    }
  }
  return LLVMFuzzerMutate(data, size, maxSize);
}
