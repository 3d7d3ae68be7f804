//===- Codegen.cpp - from scheduled tensors to a file ---------------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Codegen.h"
#include "CodeUnit.h"
#include "DeviceCode.h"
#include "fx/Runtime/Loader.h"
#include "fx/Support/OutputFile.h"
#include "fx/Support/UnlinkedFile.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace fx;

//===----------------------------------------------------------------------===//
// Helpers
//===----------------------------------------------------------------------===//

llvm::Expected<OwningOpRef<ModuleOp>> fx::splitPrepare(ModuleOp module) {
  auto prepare = module.lookupSymbol<func::FuncOp>("prepare");
  if (!prepare || !module.lookupSymbol<func::FuncOp>("main"))
    return OwningOpRef<ModuleOp>();
  OwningOpRef<ModuleOp> split = module.clone();
  split->lookupSymbol<func::FuncOp>("main").erase();
  auto main = split->lookupSymbol<func::FuncOp>("prepare");
  main.setName("main");
  main.setPublic();
  Builder b(main.getContext());
  for (unsigned i = 0; i < main.getNumArguments(); ++i)
    if (auto state = main.getArgAttrOfType<FlatSymbolRefAttr>(i, "fx.state")) {
      main.setArgAttr(i, "fx.name",
                      StringAttr::get(main.getContext(), state.getValue()));
      main.removeArgAttr(i, b.getStringAttr("fx.state"));
    }
  for (unsigned r = 0; r < main.getNumResults(); ++r) {
    unsigned arg = main.getNumArguments();
    auto name =
        b.getNamedAttr("fx.name", b.getStringAttr("prepared " + Twine(r)));
    if (failed(main.insertArgument(arg, main.getResultTypes()[r],
                                   b.getDictionaryAttr(name), main.getLoc())))
      return llvm::createStringError("cannot add an argument to @prepare");
    main.setResultAttr(r, "fx.mutates_input", b.getI64IntegerAttr(arg));
  }
  prepare.erase();
  return split;
}

//===----------------------------------------------------------------------===//
// @prepare
//===----------------------------------------------------------------------===//

/// Links the compiled @prepare, `unit`, and runs it on the states. Writes its
/// results to their places in the data segment of `model`.
static llvm::Error runPrepare(CodeUnit &unit, cpu::StateReader &states,
                              const cpu::ModelDescription &model,
                              cpu::WeightSegment &segment) {
  llvm::Expected<UnlinkedFile> file = UnlinkedFile::create();
  if (!file)
    return file.takeError();
  if (llvm::Error e = unit.link(file->getPath()))
    return e;
  llvm::Expected<std::unique_ptr<CompiledModel>> compiled =
      CompiledModel::load(file->getPath(), {});
  if (!compiled)
    return compiled.takeError();
  llvm::DenseMap<int64_t, char *> places;
  for (const cpu::FunctionArgDescription &arg : model.args)
    if (arg.prepared >= 0 && arg.bytes > 0)
      places[arg.prepared] = segment.data() + arg.offset;
  // The inputs are the states, followed by one destination for each result.
  // Results that @main does not read go to scratch memory.
  std::deque<cpu::StateView> views;
  std::deque<std::vector<char>> unread;
  int64_t result = 0;
  for (const cpu::ValueDescription &input : unit.description.inputs) {
    cpu::StateView view;
    if (input.isMutated) {
      view.dtype = input.dtype;
      int64_t bytes = (input.dtype.bits + 7) / 8;
      for (ExprAttr size : input.sizes) {
        view.sizes.push_back(*size.getInteger());
        bytes *= view.sizes.back();
      }
      view.data = places.lookup(result++);
      if (!view.data)
        view.data = unread.emplace_back(std::max<int64_t>(bytes, 1)).data();
      view.strides.assign(view.sizes.size(), 1);
      for (unsigned d = view.sizes.size(); d-- > 1;)
        view.strides[d - 1] = view.strides[d] * view.sizes[d];
    } else {
      llvm::Expected<cpu::StateView> read = states.read(input.name);
      if (!read)
        return read.takeError();
      view = std::move(*read);
    }
    views.push_back(std::move(view));
  }
  std::deque<DLTensor> tensors;
  std::vector<const DLTensor *> inputs;
  for (cpu::StateView &view : views) {
    tensors.push_back({const_cast<char *>(view.data),
                       {kDLCPU, 0},
                       int32_t(view.sizes.size()),
                       {view.dtype.code, view.dtype.bits, 1},
                       view.sizes.data(),
                       view.strides.data(),
                       0});
    inputs.push_back(&tensors.back());
  }
  ModelOutputs none;
  return (*compiled)->run(inputs, none, /*threads=*/0);
}

//===----------------------------------------------------------------------===//
// Generator
//===----------------------------------------------------------------------===//

namespace {
class Generator {
public:
  Generator(ModuleOp module, const CompileOptions &options,
            const cpu::CPUOptions &cpu, const fx::gpu::Target *gpu,
            OwningOpRef<ModuleOp> prepare, std::optional<AotiParts> package,
            ErrorCatcher &errors, PhaseRunner &phases, CompileReport &report,
            std::function<llvm::Error(ModuleOp)> afterBufferize)
      : module(module), options(options), gpu(gpu), errors(errors),
        phases(phases), report(report), prepare(std::move(prepare)),
        package(std::move(package)), afterBufferize(std::move(afterBufferize)),
        cache(options.cacheFolder) {
    unit.module = module;
    unit.cpu = cpu;
    unit.configurePasses = options.configurePasses;
  }
  llvm::Error run(llvm::StringRef path);

private:
  void markPrepared();
  void keepStates();
  llvm::Error placeStates();
  llvm::Error keepPrepare();
  llvm::Error bufferize();
  void noteWork();
  llvm::Error emitText(llvm::StringRef path);
  llvm::Error emitSharedObject(llvm::StringRef path);
  llvm::Error emitPackage(llvm::StringRef path);

  ModuleOp module;
  const CompileOptions &options;
  const fx::gpu::Target *gpu;
  ErrorCatcher &errors;
  PhaseRunner &phases;
  CompileReport &report;
  OwningOpRef<ModuleOp> prepare;
  std::optional<AotiParts> package;
  std::function<llvm::Error(ModuleOp)> afterBufferize;
  CodeUnit unit, prepareUnit;
  /// @prepare as part of the artefact, compiled for the artefact's CPU.
  CodeUnit keptUnit;
  OwningOpRef<ModuleOp> stateModule, kept;
  std::unique_ptr<cpu::StateReader> states;
  CodeSeconds seconds;
  ObjectCache cache;
};
} // namespace

/// Marks the arguments of @main's description whose states @prepare reads.
void Generator::markPrepared() {
  if (!prepare)
    return;
  auto main = prepare->lookupSymbol<func::FuncOp>("main");
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
llvm::Error Generator::keepPrepare() {
  kept = prepare->clone();
  keptUnit.module = *kept;
  keptUnit.cpu = unit.cpu;
  keptUnit.cpu.optLevel = 1;
  keptUnit.entry = "fx_prepare";
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

/// Copies the states, which lowering removes from the module, and starts to
/// check their bytes.
void Generator::keepStates() {
  stateModule = ModuleOp::create(module.getLoc());
  for (StateOp state : module.getOps<StateOp>())
    stateModule->getBody()->push_back(state->clone());
  states = std::make_unique<cpu::StateReader>(*stateModule);
  states->readAhead();
  markPrepared();
}

/// Places the weights in the data segment.
llvm::Error Generator::placeStates() {
  if (llvm::Error e = phases.run("weights", 0.35, [&] {
        return cpu::placeWeights(unit.description, *states);
      }))
    return e;
  report.weightBytes = unit.description.weightBytes;
  return llvm::Error::success();
}

/// Bufferizes @main and, if the artefact needs its results, @prepare.
llvm::Error Generator::bufferize() {
  if (llvm::Error e = unit.bufferize(errors))
    return e;
  if (afterBufferize)
    if (llvm::Error e = afterBufferize(module))
      return e;
  report.arenaBytes = unit.description.arenaBytes;
  if (!prepare || !isLinked(options.emit))
    return llvm::Error::success();
  if (options.keepsWeights())
    if (llvm::Error e = keepPrepare())
      return e;
  std::string error;
  FailureOr<cpu::CPUOptions> host = cpu::getCPUOptions("", error);
  if (failed(host))
    return llvm::createStringError(error);
  // @prepare runs once. At a higher level, LLVM takes longer to schedule its
  // long basic blocks than it takes to run.
  host->optLevel = 1;
  prepareUnit.module = *prepare;
  prepareUnit.cpu = *host;
  if (llvm::Error e = prepareUnit.describe(errors))
    return e;
  prepareUnit.description.name = "prepare";
  return prepareUnit.bufferize(errors);
}

void Generator::noteWork() {
  report.work = {{"lower", seconds.lower},
                 {"optimize", seconds.optimize},
                 {"emit", seconds.emit}};
  report.cache = {cache.getFolder().str(), cache.getHits(), cache.getMisses(),
                  cache.getProblem()};
}

llvm::Error Generator::emitText(llvm::StringRef path) {
  llvm::LLVMContext context;
  std::unique_ptr<llvm::Module> code;
  if (llvm::Error e = phases.run("code", 0.4, [&]() -> llvm::Error {
        auto compiled = compileToLLVMIR(module, context, unit, seconds);
        if (!compiled)
          return errors.take(llvm::toString(compiled.takeError()));
        code = std::move(*compiled);
        return llvm::Error::success();
      }))
    return e;
  if (options.emit == EmitKind::LLVM)
    return writeInPlace(path, [&](llvm::raw_ostream &os) {
      code->print(os, nullptr);
      return llvm::Error::success();
    });
  return phases.run("emit", 0.8, [&]() -> llvm::Error {
    bool isText = options.emit == EmitKind::Assembly;
    llvm::Expected<std::string> emitted =
        cpu::emitCode(*code, unit.cpu,
                      isText ? cpu::CodeKind::Assembly : cpu::CodeKind::Object);
    if (!emitted)
      return emitted.takeError();
    return writeInPlace(path, [&](llvm::raw_ostream &os) {
      os << *emitted;
      return llvm::Error::success();
    });
  });
}

llvm::Error Generator::emitSharedObject(llvm::StringRef path) {
  if (llvm::Error e = placeStates())
    return e;
  SmallVector<CodeUnit *> units = {&unit};
  // Host code that only launches kernels is too small to split.
  if (!gpu)
    unit.split();
  report.parts = unit.parts.size();
  if (prepare) {
    prepareUnit.split();
    units.push_back(&prepareUnit);
  }
  if (kept)
    units.push_back(&keptUnit);
  auto onKernel = [&](int64_t kernels) {
    // Rounding must not lead beyond the beginning of "link".
    phases.finishKernel(kernels, 0.29 / kernels);
  };
  if (llvm::Error e = phases.run("code", 0.4, [&] {
        return compileParts(units, cache, errors, seconds, onKernel);
      }))
    return e;
  for (CodePart &part : keptUnit.parts)
    unit.parts.push_back(std::move(part));
  noteWork();
  // Leave out the times and the hits so that the same model always gives the
  // same bytes.
  llvm::json::Object about = report.toJSON();
  for (llvm::StringRef entry :
       {"compile_seconds", "phases", "code_work", "cache"})
    about.erase(entry);
  unit.description.report =
      llvm::formatv("{0}", llvm::json::Value(std::move(about)));
  if (llvm::Error e = phases.run("link", 0.7, [&] { return unit.link(path); }))
    return e;
  uint64_t bytes = unit.description.weightBytes;
  if (bytes == 0)
    return llvm::Error::success();
  llvm::Expected<cpu::WeightSegment> segment = cpu::appendSegment(path, bytes);
  if (!segment)
    return segment.takeError();
  if (prepare)
    if (llvm::Error e = phases.run("prepare", 0.75, [&] {
          return runPrepare(prepareUnit, *states, unit.description, *segment);
        }))
      return e;
  return phases.run("write", 0.95, [&] {
    return cpu::writeStates(*segment, unit.description, *states);
  });
}

llvm::Error Generator::emitPackage(llvm::StringRef path) {
  llvm::Expected<UnlinkedFile> file = UnlinkedFile::create();
  if (!file)
    return file.takeError();
  if (llvm::Error e = emitSharedObject(file->getPath()))
    return e;
  return writeAotiPackage(*package, file->getPath(), path);
}

llvm::Error Generator::run(llvm::StringRef path) {
  if (!prepare) {
    llvm::Expected<OwningOpRef<ModuleOp>> split = splitPrepare(module);
    if (!split)
      return split.takeError();
    prepare = std::move(*split);
  }
  if (llvm::Error e = unit.describe(errors))
    return e;
  unit.description.name = llvm::sys::path::stem(options.input).str();
  report.unchecked = unit.description.unchecked;
  report.fallbacks = unit.description.fallbacks.size();
  if (package)
    unit.description.callSpec = package->callSpec;
  if (options.emit == EmitKind::Header)
    return writeInPlace(path, [&](llvm::raw_ostream &os) {
      os << getModelHeader(unit.description, unit.description.name);
      return llvm::Error::success();
    });
  if (isLinked(options.emit))
    keepStates();
  if (llvm::Error e =
          phases.run("bufferize", 0.25, [&] { return bufferize(); }))
    return e;
  if (options.emit == EmitKind::MemRef)
    return writeInPlace(path, [&](llvm::raw_ostream &os) {
      module.print(os);
      return llvm::Error::success();
    });
  if (gpu)
    if (llvm::Error e = phases.run("kernels", 0.35, [&] {
          return compileKernels(module, options, *gpu, unit.description,
                                report.deviceKernels, cache, errors);
        }))
      return e;
  llvm::Error result = options.emit == EmitKind::SharedObject
                           ? emitSharedObject(path)
                       : options.emit == EmitKind::AOTI ? emitPackage(path)
                                                        : emitText(path);
  noteWork();
  return result;
}

llvm::Error fx::generateCode(
    ModuleOp module, const CompileOptions &options, const cpu::CPUOptions &cpu,
    const fx::gpu::Target *gpu, OwningOpRef<ModuleOp> prepare,
    std::optional<AotiParts> package, llvm::StringRef path,
    ErrorCatcher &errors, PhaseRunner &phases, CompileReport &report,
    std::function<llvm::Error(ModuleOp)> afterBufferize) {
  return Generator(module, options, cpu, gpu, std::move(prepare),
                   std::move(package), errors, phases, report,
                   std::move(afterBufferize))
      .run(path);
}
