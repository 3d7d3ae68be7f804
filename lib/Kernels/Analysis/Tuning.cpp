//===- Tuning.cpp - schedules from measurements ---------------------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fx/Kernels/Tuning.h"
#include "fx/Support/OutputFile.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/Parser/Parser.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/SHA256.h"
#include "llvm/Support/SourceMgr.h"

using namespace mlir;
using namespace fx::kernel;

/// Returns the first `bytes` bytes of the SHA-256 hash of `text`.
static std::string hash(StringRef text, size_t bytes) {
  auto digest = llvm::SHA256::hash(llvm::arrayRefFromStringRef(text));
  return llvm::toHex(ArrayRef<uint8_t>(digest).take_front(bytes),
                     /*LowerCase=*/true);
}

TuningTarget TuningTarget::get(StringRef cpu, StringRef features,
                               int64_t threads) {
  // The order in which the system reports features is not fixed.
  SmallVector<StringRef> list;
  features.split(list, ',');
  llvm::sort(list);
  return {cpu.str(), hash(llvm::join(list, ","), 4), threads};
}

std::string fx::kernel::getSignature(func::FuncOp kernel) {
  OwningOpRef<func::FuncOp> clone = kernel.clone();
  clone->walk([](Operation *op) {
    op->setDiscardableAttrs(ArrayRef<NamedAttribute>());
  });
  clone->setSymName("kernel");
  clone->removeArgAttrsAttr();
  clone->removeResAttrsAttr();
  std::string text;
  llvm::raw_string_ostream os(text);
  // Generic form: it does not change with the assembly formats of ops.
  (*clone)->print(os, OpPrintingFlags().useLocalScope().printGenericOpForm());
  return hash(text, 16);
}

//===----------------------------------------------------------------------===//
// The file
//===----------------------------------------------------------------------===//

static std::string getKey(StringRef signature, const TuningTarget &target) {
  return (signature + "|" + target.cpu + "|" + target.features + "|" +
          Twine(target.threads))
      .str();
}

static std::string getKey(TunedScheduleOp op) {
  return getKey(op.getSignature(), {op.getCpu().str(), op.getFeatures().str(),
                                    static_cast<int64_t>(op.getThreads())});
}

TuningFile::TuningFile(OwningOpRef<ModuleOp> given) : module(std::move(given)) {
  for (auto op :
       llvm::make_early_inc_range(module->getOps<TunedScheduleOp>())) {
    TunedScheduleOp &entry = entries[getKey(op)];
    if (entry)
      entry.erase();
    entry = op;
  }
}

TuningFile::TuningFile(MLIRContext &context)
    : TuningFile(
          OwningOpRef<ModuleOp>(ModuleOp::create(UnknownLoc::get(&context)))) {
  Builder b(&context);
  (*module)->setAttr(kTuningVersionAttr, b.getI64IntegerAttr(kTuningVersion));
}

/// Returns "path:line:column: " of the source text; "path: " if the location
/// has no line.
static std::string getPrefix(StringRef path, Location loc) {
  auto line = loc->findInstanceOf<FileLineColLoc>();
  if (!line)
    return (path + ": ").str();
  return (path + ":" + Twine(line.getLine()) + ":" + Twine(line.getColumn()) +
          ": ")
      .str();
}

/// Returns the first op of `module` that is no entry; null if all are entries.
static Operation *findOther(ModuleOp module) {
  for (Operation &op : *module.getBody())
    if (!isa<TunedScheduleOp>(op))
      return &op;
  return nullptr;
}

llvm::Expected<TuningFile> TuningFile::read(StringRef path,
                                            MLIRContext &context) {
  auto fail = [&](const Twine &text) {
    std::string line = text.str();
    std::replace(line.begin(), line.end(), '\n', ' ');
    return llvm::createStringError(line);
  };
  auto buffer = llvm::MemoryBuffer::getFile(path, /*IsText=*/true);
  if (!buffer)
    return fail(path + ": cannot open: " + buffer.getError().message());
  context.getOrLoadDialect<FXKernelDialect>();
  std::string text;
  ScopedDiagnosticHandler handler(&context, [&](Diagnostic &diagnostic) {
    if (diagnostic.getSeverity() == DiagnosticSeverity::Error && text.empty())
      text = getPrefix(path, diagnostic.getLocation()) + diagnostic.str();
    return success();
  });
  llvm::SourceMgr sources;
  sources.AddNewSourceBuffer(std::move(*buffer), llvm::SMLoc());
  OwningOpRef<ModuleOp> module =
      parseSourceFile<ModuleOp>(sources, ParserConfig(&context));
  if (!module)
    return fail(text.empty() ? path + ": cannot be parsed" : Twine(text));
  if (!(*module)->hasAttr(kTuningVersionAttr))
    return fail(path + ": expected a tuning file: a module with the attribute "
                       "'fx_kernel.tuning_version'");
  if (Operation *other = findOther(*module))
    return fail(getPrefix(path, other->getLoc()) +
                "expected 'fx_kernel.tuned_schedule', got '" +
                other->getName().getStringRef() + "'");
  return TuningFile(std::move(module));
}

TunedScheduleOp TuningFile::lookup(StringRef signature,
                                   const TuningTarget &target) {
  return entries.lookup(getKey(signature, target));
}

void TuningFile::remove(StringRef signature, const TuningTarget &target) {
  auto it = entries.find(getKey(signature, target));
  if (it == entries.end())
    return;
  it->second.erase();
  entries.erase(it);
}

void TuningFile::add(StringRef signature, const TuningTarget &target,
                     ScheduleAttrInterface schedule, FunctionType kernel) {
  remove(signature, target);
  OpBuilder b = OpBuilder::atBlockEnd(module->getBody());
  auto op = TunedScheduleOp::create(b, b.getUnknownLoc(), signature, target.cpu,
                                    target.features, target.threads, schedule,
                                    kernel);
  entries[getKey(op)] = op;
}

llvm::Error TuningFile::write(StringRef path) {
  return writeOutputFile(path, [&](llvm::raw_ostream &os) {
    os << "// Schedules that fx-compile --tune measured.\n";
    module->print(os);
    os << "\n";
    return llvm::Error::success();
  });
}
