//===- Codegen.cpp - from scheduled tensors to a file ---------------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Codegen.h"
#include "DeviceCode.h"
#include "Version.h"
#include "fx/Support/OutputFile.h"
#include "fx/Support/UnlinkedFile.h"

#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Support/xxhash.h"

using namespace mlir;
using namespace fx;

//===----------------------------------------------------------------------===//
// Weights
//===----------------------------------------------------------------------===//

namespace {
/// The results of @prepare of all versions of a model. Equal results, which
/// have the same layout, are kept once.
class PreparedWeights {
public:
  /// Runs @prepare of `version`. Returns the numbers of its distinct results.
  llvm::Expected<llvm::SmallVector<int64_t>> add(Version &version,
                                                 cpu::StateReader &states);
  const std::vector<char> &operator[](int64_t number) const {
    return values[number];
  }

private:
  std::deque<std::vector<char>> values;
  llvm::DenseMap<uint64_t, llvm::SmallVector<int64_t, 1>> byHash;
};
} // namespace

llvm::Expected<llvm::SmallVector<int64_t>>
PreparedWeights::add(Version &version, cpu::StateReader &states) {
  std::deque<std::vector<char>> made;
  if (llvm::Error e =
          version.prepare(states, [&](int64_t, int64_t bytes) -> char * {
            return made.emplace_back(std::max<int64_t>(bytes, 1)).data();
          }))
    return std::move(e);
  llvm::SmallVector<int64_t> numbers;
  for (std::vector<char> &value : made) {
    auto &equal =
        byHash[llvm::xxh3_64bits(llvm::StringRef(value.data(), value.size()))];
    auto *found = llvm::find_if(
        equal, [&](int64_t number) { return values[number] == value; });
    if (found != equal.end()) {
      numbers.push_back(*found);
      continue;
    }
    equal.push_back(values.size());
    numbers.push_back(values.size());
    values.push_back(std::move(value));
  }
  return numbers;
}

//===----------------------------------------------------------------------===//
// Generator
//===----------------------------------------------------------------------===//

namespace {
class Generator {
public:
  Generator(llvm::MutableArrayRef<ModelVersion> given,
            const CompileOptions &options, const fx::gpu::Target *gpu,
            std::optional<AotiParts> package, ErrorCatcher &errors,
            PhaseRunner &phases, CompileReport &report,
            std::function<llvm::Error(ModuleOp)> afterBufferize)
      : options(options), gpu(gpu), errors(errors), phases(phases),
        report(report), package(std::move(package)),
        afterBufferize(std::move(afterBufferize)), cache(options.cacheFolder) {
    for (ModelVersion &version : given)
      versions.emplace_back(version, options);
    methods = std::max<size_t>(options.methods.size(), 1);
    states.resize(methods);
  }
  llvm::Error run(llvm::StringRef path);

private:
  /// Calls `fn` for each version, up to the first error.
  llvm::Error forEach(llvm::function_ref<llvm::Error(Version &)> fn) {
    for (Version &version : versions)
      if (llvm::Error e = fn(version))
        return e;
    return llvm::Error::success();
  }
  llvm::Error describe();
  llvm::Error numberStates();
  llvm::Error checkSharedStates();
  void keepStates();
  /// Returns the values of the states of version `i` of `versions`.
  cpu::StateReader &getStates(size_t i) { return *states[i % methods].reader; }
  llvm::Error placeWeights();
  llvm::Error prepareAll();
  llvm::Error bufferize();
  void note();
  llvm::Error emitText(llvm::StringRef path);
  llvm::Error link(llvm::StringRef path);
  llvm::Error writeWeights(llvm::StringRef path);
  llvm::Error emitSharedObject(llvm::StringRef path);
  llvm::Error emitPackage(llvm::StringRef path);

  const CompileOptions &options;
  const fx::gpu::Target *gpu;
  ErrorCatcher &errors;
  PhaseRunner &phases;
  CompileReport &report;
  std::optional<AotiParts> package;
  std::function<llvm::Error(ModuleOp)> afterBufferize;
  /// The methods of the first version, then those of the second one.
  std::deque<Version> versions;
  size_t methods = 1;
  /// The states of a method, which are the same in all versions.
  struct MethodStates {
    OwningOpRef<ModuleOp> module;
    std::unique_ptr<cpu::StateReader> reader;
  };
  std::vector<MethodStates> states;
  /// If there are several versions: their results of @prepare, and for each
  /// version the number of each result.
  PreparedWeights prepared;
  std::vector<llvm::SmallVector<int64_t>> numbers;
  CodeSeconds seconds;
  ObjectCache cache;
};
} // namespace

llvm::Error Generator::describe() {
  if (llvm::Error e =
          forEach([&](Version &version) { return version.describe(errors); }))
    return e;
  // The loaders of packages call all versions in the same way.
  if (package)
    versions.front().unit.description.callSpec = package->callSpec;
  return numberStates();
}

/// Gives the mutable states of all methods of each version one numbering.
llvm::Error Generator::numberStates() {
  for (size_t first = 0; first < versions.size(); first += methods) {
    llvm::SmallVector<cpu::ModelDescription *> all;
    for (size_t m = 0; m < methods; ++m)
      all.push_back(&versions[first + m].unit.description);
    if (llvm::Error e = cpu::numberStates(all))
      return e;
  }
  return llvm::Error::success();
}

/// Copies the states, which lowering removes from the modules, and starts to
/// check their bytes. Constants of different methods may have equal names.
void Generator::keepStates() {
  for (auto [i, version] : llvm::enumerate(versions)) {
    OwningOpRef<ModuleOp> &module = states[i % methods].module;
    if (!module)
      module = ModuleOp::create(version.unit.module.getLoc());
    version.keepStates(*module);
  }
  for (MethodStates &method : states) {
    method.reader = std::make_unique<cpu::StateReader>(*method.module);
    method.reader->readAhead();
  }
}

/// Places the weights of all versions in the data segment.
llvm::Error Generator::placeWeights() {
  cpu::WeightPlaces places(/*comparesBytes=*/methods > 1);
  for (auto [i, version] : llvm::enumerate(versions))
    if (llvm::Error e =
            places.add(version.unit.description, getStates(i),
                       numbers.empty() ? ArrayRef<int64_t>() : numbers[i]))
      return e;
  if (llvm::Error e = checkSharedStates())
    return e;
  for (Version &version : versions)
    version.unit.description.weightBytes = places.getBytes();
  return llvm::Error::success();
}

/// Checks that a state that methods share has one initial value: equal values
/// have one place.
llvm::Error Generator::checkSharedStates() {
  struct Known {
    int64_t offset;
    llvm::StringRef method;
  };
  for (size_t first = 0; first < versions.size(); first += methods) {
    llvm::StringMap<Known> known;
    for (size_t m = 0; m < methods; ++m) {
      const cpu::ModelDescription &method =
          versions[first + m].unit.description;
      for (const cpu::FunctionArgDescription &arg : method.args) {
        if (arg.kind != cpu::FunctionArgDescription::Mutable || !arg.bytes)
          continue;
        auto [it, isNew] =
            known.try_emplace(arg.state, Known{arg.offset, method.method});
        if (it->second.offset != arg.offset)
          return llvm::createStringError(
              "state '" + arg.state +
              "': expected one initial value, got different ones in the "
              "methods '" +
              it->second.method + "' and '" + method.method + "'");
      }
    }
  }
  return llvm::Error::success();
}

/// Runs @prepare of all versions, to find out which results they share, and
/// places the weights again.
llvm::Error Generator::prepareAll() {
  for (auto [i, version] : llvm::enumerate(versions)) {
    auto added = prepared.add(version, getStates(i));
    if (!added)
      return added.takeError();
    numbers.push_back(std::move(*added));
  }
  return placeWeights();
}

llvm::Error Generator::bufferize() {
  return forEach([&](Version &version) {
    return version.bufferize(errors, afterBufferize);
  });
}

/// Writes the report of the first version, which lists the others.
void Generator::note() {
  report.work = {{"lower", seconds.lower},
                 {"optimize", seconds.optimize},
                 {"emit", seconds.emit}};
  report.cache = {cache.getFolder().str(), cache.getHits(), cache.getMisses(),
                  cache.getProblem()};
  report.versions.clear();
  for (size_t i = 0; i < versions.size(); i += methods)
    report.versions.push_back(versions[i].unit.cpu.name);
  versions.front().note(report);
  report.methods.clear();
  for (size_t m = 0; methods > 1 && m < methods; ++m)
    versions[m].note(report.methods.emplace_back());
}

llvm::Error Generator::emitText(llvm::StringRef path) {
  CodeUnit &unit = versions.front().unit;
  llvm::LLVMContext context;
  std::unique_ptr<llvm::Module> code;
  if (llvm::Error e = phases.run("code", 0.4, [&]() -> llvm::Error {
        auto compiled =
            compileToLLVMIR(unit.module, context, unit, unit.cpu, seconds);
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

llvm::Error Generator::link(llvm::StringRef path) {
  SmallVector<CodeUnit *> units;
  for (Version &version : versions) {
    version.joinParts();
    // Leave out the times and the hits so that the same model always gives the
    // same bytes.
    CompileReport own = report;
    own.methods.clear();
    version.note(own);
    llvm::json::Object about = own.toJSON();
    for (llvm::StringRef entry :
         {"compile_seconds", "phases", "code_work", "cache"})
      about.erase(entry);
    version.unit.description.report =
        llvm::formatv("{0}", llvm::json::Value(std::move(about)));
    units.push_back(&version.unit);
  }
  return linkUnits(units, methods, path);
}

/// Writes the data segment of the file.
llvm::Error Generator::writeWeights(llvm::StringRef path) {
  uint64_t bytes = versions.front().unit.description.weightBytes;
  if (bytes == 0)
    return llvm::Error::success();
  llvm::Expected<cpu::WeightSegment> segment = cpu::appendSegment(path, bytes);
  if (!segment)
    return segment.takeError();
  // Results of @prepare that @main does not read have no place.
  auto getPlaces = [&](Version &version) {
    llvm::DenseMap<int64_t, char *> places;
    for (const cpu::FunctionArgDescription &arg : version.unit.description.args)
      if (arg.prepared >= 0 && arg.bytes > 0)
        places[arg.prepared] = segment->data() + arg.offset;
    return places;
  };
  if (numbers.empty()) {
    auto places = getPlaces(versions.front());
    if (llvm::Error e = phases.run("prepare", 0.75, [&] {
          return versions.front().prepare(
              getStates(0),
              [&](int64_t r, int64_t) { return places.lookup(r); });
        }))
      return e;
  }
  for (auto [version, results] : llvm::zip(versions, numbers))
    for (auto [result, place] : getPlaces(version))
      memcpy(place, prepared[results[result]].data(),
             prepared[results[result]].size());
  return phases.run("write", 0.95, [&]() -> llvm::Error {
    for (auto [i, version] : llvm::enumerate(versions))
      if (llvm::Error e = cpu::writeStates(*segment, version.unit.description,
                                           getStates(i)))
        return e;
    return llvm::Error::success();
  });
}

llvm::Error Generator::emitSharedObject(llvm::StringRef path) {
  if (llvm::Error e =
          phases.run("weights", 0.35, [&] { return placeWeights(); }))
    return e;
  SmallVector<CodeUnit *> units;
  for (Version &version : versions)
    // Host code that only launches kernels is too small to split.
    llvm::append_range(units, version.getUnits(/*splits=*/!gpu));
  auto onKernel = [&](int64_t kernels) {
    // Rounding must not lead beyond the beginning of the next phase.
    phases.finishKernel(kernels, 0.29 / kernels);
  };
  if (llvm::Error e = phases.run("code", 0.4, [&] {
        return compileParts(units, cache, errors, seconds, onKernel);
      }))
    return e;
  if (versions.size() > 1)
    if (llvm::Error e =
            phases.run("prepare", 0.7, [&] { return prepareAll(); }))
      return e;
  note();
  if (llvm::Error e = phases.run("link", 0.7, [&] { return link(path); }))
    return e;
  return writeWeights(path);
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
  if (llvm::Error e = describe())
    return e;
  CodeUnit &first = versions.front().unit;
  note();
  if (options.emit == EmitKind::Header)
    return writeInPlace(path, [&](llvm::raw_ostream &os) {
      os << getModelHeader(first.description, first.description.name);
      return llvm::Error::success();
    });
  if (isLinked(options.emit))
    keepStates();
  if (llvm::Error e =
          phases.run("bufferize", 0.25, [&] { return bufferize(); }))
    return e;
  if (options.emit == EmitKind::MemRef)
    return writeInPlace(path, [&](llvm::raw_ostream &os) {
      first.module.print(os);
      return llvm::Error::success();
    });
  if (gpu)
    if (llvm::Error e = phases.run("kernels", 0.35, [&] {
          return compileKernels(first.module, options, *gpu, first.description,
                                report.deviceKernels, cache, errors);
        }))
      return e;
  llvm::Error result = options.emit == EmitKind::SharedObject
                           ? emitSharedObject(path)
                       : options.emit == EmitKind::AOTI ? emitPackage(path)
                                                        : emitText(path);
  note();
  return result;
}

llvm::Error
fx::generateCode(llvm::MutableArrayRef<ModelVersion> versions,
                 const CompileOptions &options, const fx::gpu::Target *gpu,
                 std::optional<AotiParts> package, llvm::StringRef path,
                 ErrorCatcher &errors, PhaseRunner &phases,
                 CompileReport &report,
                 std::function<llvm::Error(ModuleOp)> afterBufferize) {
  return Generator(versions, options, gpu, std::move(package), errors, phases,
                   report, std::move(afterBufferize))
      .run(path);
}
