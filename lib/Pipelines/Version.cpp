//===- Version.cpp - a model for one CPU ----------------------------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Version.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include "llvm/Support/Path.h"

using namespace mlir;
using namespace fx;

Version::Version(ModelVersion &given, const CompileOptions &options)
    : options(options), given(given), preparation(std::move(given.prepare)) {
  unit.module = *given.module;
  unit.cpu = given.cpu;
  unit.entry += given.cpu.suffix;
  unit.configurePasses = options.configurePasses;
}

llvm::Error Version::describe(ErrorCatcher &errors) {
  if (!preparation) {
    llvm::Expected<OwningOpRef<ModuleOp>> split = splitPrepare(unit.module);
    if (!split)
      return split.takeError();
    preparation = std::move(*split);
  }
  if (llvm::Error e = unit.describe(errors))
    return e;
  bool isOnly = options.methods.empty();
  unit.description.name =
      llvm::sys::path::stem(isOnly ? options.input : options.output).str();
  unit.description.method = given.method;
  if (isLinked(options.emit))
    markPrepared();
  return llvm::Error::success();
}

void Version::keepStates(ModuleOp states) {
  SymbolTable symbols(states);
  for (StateOp state : unit.module.getOps<StateOp>())
    if (!symbols.lookup(state.getSymName()))
      states.getBody()->push_back(state->clone());
}

/// Marks the arguments of @main's description whose states @prepare reads.
void Version::markPrepared() {
  if (!preparation)
    return;
  auto main = preparation->lookupSymbol<func::FuncOp>("main");
  for (unsigned i = 0; i < main.getNumArguments(); ++i)
    if (auto name = main.getArgAttrOfType<StringAttr>(i, "fx.name"))
      for (cpu::FunctionArgDescription &arg : unit.description.args)
        if (arg.state == name.getValue()) {
          arg.isPrepared = true;
          arg.isUsed |= options.keepsWeights();
        }
}

/// Makes @prepare part of the artefact, so that the artefact can run it on
/// other weights.
llvm::Error Version::keepPrepare(ErrorCatcher &errors) {
  kept = preparation->clone();
  keptUnit.module = *kept;
  keptUnit.cpu = unit.cpu;
  keptUnit.cpu.optLevel = 1;
  keptUnit.entry = "fx_prepare" + unit.cpu.suffix;
  if (llvm::Error e = keptUnit.describe(errors))
    return e;
  cpu::ModelDescription &model = unit.description;
  model.keepsPrepare = true;
  for (const cpu::ValueDescription &input : keptUnit.description.inputs) {
    if (input.isMutated) {
      model.preparedSizes.emplace_back();
      for (ExprAttr size : input.sizes)
        model.preparedSizes.back().push_back(*size.getInteger());
      model.preparedDtypes.push_back(input.dtype);
      continue;
    }
    for (auto [i, arg] : llvm::enumerate(model.args))
      if (arg.state == input.name)
        model.prepareArgs.push_back(i);
  }
  if (llvm::Error e = keptUnit.bufferize(errors))
    return e;
  model.tiles.int8 |= keptUnit.description.tiles.int8;
  model.tiles.bf16 |= keptUnit.description.tiles.bf16;
  model.tiles.f16 |= keptUnit.description.tiles.f16;
  return llvm::Error::success();
}

llvm::Error
Version::bufferize(ErrorCatcher &errors,
                   const std::function<llvm::Error(ModuleOp)> &after) {
  if (llvm::Error e = unit.bufferize(errors))
    return e;
  if (after)
    if (llvm::Error e = after(unit.module))
      return e;
  if (!preparation || !isLinked(options.emit))
    return llvm::Error::success();
  if (options.keepsWeights())
    if (llvm::Error e = keepPrepare(errors))
      return e;
  std::string error;
  FailureOr<cpu::CPUOptions> host = cpu::getCPUOptions("", error);
  if (failed(host))
    return llvm::createStringError(error);
  // @prepare runs once. At a higher level, LLVM takes longer to schedule its
  // long basic blocks than it takes to run.
  host->optLevel = 1;
  prepareUnit.module = *preparation;
  prepareUnit.cpu = *host;
  if (llvm::Error e = prepareUnit.describe(errors))
    return e;
  prepareUnit.description.name = "prepare";
  return prepareUnit.bufferize(errors);
}

llvm::SmallVector<CodeUnit *> Version::getUnits(bool splits) {
  llvm::SmallVector<CodeUnit *> units = {&unit};
  if (splits)
    unit.split();
  parts = unit.parts.size();
  if (preparation) {
    prepareUnit.split();
    units.push_back(&prepareUnit);
  }
  if (kept)
    units.push_back(&keptUnit);
  return units;
}

void Version::joinParts() {
  for (CodePart &part : keptUnit.parts)
    unit.parts.push_back(std::move(part));
  keptUnit.parts.clear();
}

void Version::note(CompileReport &report) const {
  report.cpu = unit.cpu.name;
  report.operators = given.operators;
  report.kernels = given.kernels;
  report.inSpec = given.inSpec;
  report.outSpec = given.outSpec;
  report.constants = given.constants;
  report.textOutputs = given.textOutputs;
  report.unchecked = unit.description.unchecked;
  report.fallbacks = unit.description.fallbacks.size();
  report.arenaBytes = unit.description.arenaBytes;
  report.weightBytes = unit.description.weightBytes;
  report.parts = parts;
  report.method = given.method;
}
