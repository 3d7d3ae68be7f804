//===- fx-run.cpp - runs a model on files ---------------------------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The command line is parsed by hand, because every error must be exactly one
// line on stderr.
//
//===----------------------------------------------------------------------===//

#include "fx/Operators/Version.h"
#include "fx/Run/Run.h"
#include "fx/Support/LocatedError.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/raw_ostream.h"
#include <cstdio>
#include <cstdlib>

using llvm::StringRef;

static constexpr const char *kUsage =
    R"(usage: fx-run MODEL [--inputs DIR] [--outputs DIR] [options]

Under torchrun, {rank} in MODEL and in the paths of options is the rank.

Runs MODEL, a .pt2 archive (compiled in process), a compiled .so, or a module
of the fx dialect (.mlir), on DIR/in_<k>.npy, k counting the flattened (args,
kwargs) leaves, and writes the flattened outputs to DIR/out_<k>.npy. Python
scalars are 0-d arrays; None and str leaves have no file; bfloat16, float8 and
complex32 are raw bytes (V2, V1, V4).

  --interpret      run every node on LibTorch
  --no-fallback    fail where an operator has no native code
  -O1, -O2, -O3    the level of optimization (default -O3)
  --device NAME:N  run on GPU N (without :N on the first) of cuda, rocm or vulkan
  --threads N      threads to run on (default 1; 0: all CPUs)
  --seed N         seed of the random numbers, as torch.manual_seed(N)
  --check          compare with the interpreter, name the first node that differs
  --benchmark N    print median, min and p90 of N timed runs
  --profile N      print the time of each kernel in N runs, its rates and its
                   place in the model; a .so must be compiled with --profile
  --trace FILE     write the last of these runs as a trace for Perfetto
  --json           print the benchmark or the profile as JSON
  --report FILE    write a JSON report: native or fallback, reasons, kernels
  --group NAME=0,1 under torchrun: a process group of the program, by its ranks;
                   group '0' has all ranks
  --timeout N      under torchrun: wait N seconds for other ranks (default 300)
  --load-library FILE  load a library of operators, as torch.ops.load_library
  --model NAME     the model of an archive that holds several
  --method NAME    the method of a compiled model that has several
  --weights FILE   replace the weights by those of a safetensors or GGUF file; a
                   .so must be compiled with --swappable-weights
  --max-nodes N    refuse an archive with more nodes (0: no limit)
  --max-text-bytes N  refuse an archive with more bytes of JSON
  --max-import-seconds N  refuse an archive whose import takes longer
  --version        print versions
  --help           print this
)";

namespace {
struct Parser {
  llvm::ArrayRef<const char *> args;
  fx::RunOptions options;
  bool done = false; // --help or --version was printed

  llvm::Error parse();

private:
  llvm::Error parseOption(StringRef name, std::optional<StringRef> value);
  llvm::Expected<StringRef> getValue(StringRef name,
                                     std::optional<StringRef> value);
  llvm::Error parseLimit(StringRef name, StringRef value);
  llvm::Expected<int> getInt(StringRef name, std::optional<StringRef> value);
  size_t next = 0;
};
} // namespace

static llvm::Error fail(const llvm::Twine &message) {
  return fx::makeLocatedError("fx-run", message);
}

llvm::Expected<StringRef> Parser::getValue(StringRef name,
                                           std::optional<StringRef> value) {
  if (value)
    return *value;
  if (next == args.size())
    return fail("option '" + name + "' needs a value");
  return StringRef(args[next++]);
}

llvm::Expected<int> Parser::getInt(StringRef name,
                                   std::optional<StringRef> value) {
  llvm::Expected<StringRef> text = getValue(name, value);
  if (!text)
    return text.takeError();
  int number;
  if (text->getAsInteger(10, number) || number < 0 || number > 1000000)
    return fail("option '" + name + "' expects a number up to 1000000, got '" +
                *text + "'");
  return number;
}

static bool isLimit(StringRef name) {
  return name == "--max-nodes" || name == "--max-text-bytes" ||
         name == "--max-import-seconds";
}

/// Parses the value of an option for which `isLimit` is true.
llvm::Error Parser::parseLimit(StringRef name, StringRef value) {
  fx::ImportLimits &limits = options.limits;
  bool isWrong =
      name == "--max-nodes" ? value.getAsInteger(10, limits.nodes)
      : name == "--max-text-bytes"
          ? value.getAsInteger(10, limits.textBytes)
          : value.getAsDouble(limits.seconds) || !(limits.seconds >= 0);
  if (isWrong)
    return fail("option '" + name + "' expects a number of 0 or more, got '" +
                value + "'");
  return llvm::Error::success();
}

llvm::Error Parser::parseOption(StringRef name,
                                std::optional<StringRef> value) {
  bool *flag = name == "--interpret"     ? &options.interpret
               : name == "--no-fallback" ? &options.noFallback
               : name == "--check"       ? &options.check
               : name == "--json"        ? &options.json
                                         : nullptr;
  if (flag) {
    if (value)
      return fail("option '" + name + "' takes no value");
    *flag = true;
    return llvm::Error::success();
  }
  std::string *text = name == "--inputs"        ? &options.inputs
                      : name == "--outputs"     ? &options.outputs
                      : name == "--report"      ? &options.report
                      : name == "--device"      ? &options.device
                      : name == "--trace"       ? &options.trace
                      : name == "--model"       ? &options.modelName
                      : name == "--method"      ? &options.method
                      : name == "--weights"     ? &options.weights
                      : name == "--debug-crash" ? &options.crashIn
                                                : nullptr;
  if (text) {
    llvm::Expected<StringRef> given = getValue(name, value);
    if (!given)
      return given.takeError();
    *text = given->str();
    return llvm::Error::success();
  }
  if (name == "--load-library") {
    llvm::Expected<StringRef> given = getValue(name, value);
    if (!given)
      return given.takeError();
    options.libraries.push_back(given->str());
    return llvm::Error::success();
  }
  if (name == "--group") {
    llvm::Expected<StringRef> given = getValue(name, value);
    if (!given)
      return given.takeError();
    options.groups.push_back(given->str());
    return llvm::Error::success();
  }
  if (name == "--timeout") {
    llvm::Expected<StringRef> given = getValue(name, value);
    if (!given)
      return given.takeError();
    if (given->getAsDouble(options.timeout) || !(options.timeout > 0) ||
        options.timeout > 1e6)
      return fail("option '--timeout' expects seconds up to 1000000, got '" +
                  *given + "'");
    return llvm::Error::success();
  }
  if (isLimit(name)) {
    llvm::Expected<StringRef> given = getValue(name, value);
    return given ? parseLimit(name, *given) : given.takeError();
  }
  if (name == "--seed") {
    llvm::Expected<StringRef> given = getValue(name, value);
    if (!given)
      return given.takeError();
    uint64_t seed;
    if (given->getAsInteger(10, seed))
      return fail("option '--seed' expects a number of 64 bits, got '" +
                  *given + "'");
    options.seed = seed;
    return llvm::Error::success();
  }
  int *number = name == "--threads"     ? &options.threads
                : name == "--benchmark" ? &options.benchmark
                : name == "--profile"   ? &options.profile
                                        : nullptr;
  if (!number)
    return fail("unknown option '" + name + "'");
  llvm::Expected<int> given = getInt(name, value);
  if (!given)
    return given.takeError();
  if (*given == 0 && name != "--threads")
    return fail("option '" + name + "' expects a number from 1 on, got 0");
  *number = *given;
  return llvm::Error::success();
}

llvm::Error Parser::parse() {
  while (next < args.size()) {
    StringRef arg = args[next++];
    if (arg == "--help" || arg == "-h") {
      llvm::outs() << kUsage;
      done = true;
      return llvm::Error::success();
    }
    if (arg == "--version") {
      fx::printVersion(llvm::outs());
      done = true;
      return llvm::Error::success();
    }
    if (!arg.starts_with("-")) {
      if (!options.model.empty())
        return fail("expected one model, got '" + llvm::Twine(options.model) +
                    "' and '" + arg + "'");
      options.model = arg.str();
      continue;
    }
    if (arg.consume_front("-O")) {
      if (arg != "1" && arg != "2" && arg != "3")
        return fail("option '-O' expects 1, 2 or 3, got '" + arg + "'");
      options.optLevel = arg[0] - '0';
      continue;
    }
    std::optional<StringRef> value;
    auto [name, rest] = arg.split('=');
    if (name.size() != arg.size())
      value = rest;
    if (llvm::Error error = parseOption(name, value))
      return error;
  }
  if (options.model.empty())
    return fail(
        "expected MODEL (.pt2, .mlir or .so), got no argument; see --help");
  if (options.interpret &&
      (options.noFallback || options.check || !options.device.empty()))
    return fail("--interpret excludes --no-fallback, --check and --device");
  if (!options.weights.empty() && (options.interpret || options.check))
    return fail("--weights excludes --interpret and --check");
  if (options.profile &&
      (options.interpret || options.check || !options.device.empty()))
    return fail("--profile excludes --interpret, --check and --device");
  if (options.json && !options.profile == !options.benchmark)
    return fail("--json needs either --benchmark N or --profile N");
  if (!options.trace.empty() && !options.profile)
    return fail("--trace needs --profile N");
  return llvm::Error::success();
}

/// Ends the process without destructors of static objects. Those of LibTorch
/// take 0.2 s, and process groups wait for other ranks.
static int endProcess(int status) {
  llvm::outs().flush();
  if (llvm::outs().has_error()) {
    llvm::errs() << "error: cannot write to the standard output: "
                 << llvm::outs().error().message() << "\n";
    llvm::outs().clear_error();
    status = 1;
  }
  std::fflush(nullptr);
  if (!LLVM_ADDRESS_SANITIZER_BUILD) // which looks for leaks at the end
    std::_Exit(status);
  return status;
}

int main(int argc, char **argv) {
  // Keep LibTorch, if it is loaded, from printing its own messages to stderr.
  ::setenv("TORCH_CPP_LOG_LEVEL", "FATAL", /*overwrite=*/0);
  Parser parser;
  parser.args = llvm::ArrayRef(argv + 1, argc > 0 ? argc - 1 : 0);
  llvm::Error error = parser.parse();
  if (!error && !parser.done)
    error = fx::runModel(parser.options);
  if (!error)
    return endProcess(0);
  llvm::errs() << "error: " << fx::toOneLine(llvm::toString(std::move(error)))
               << "\n";
  return endProcess(1);
}
