//===- Interpreter.h - running fx graphs on ATen ----------------*- C++ -*-===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The interpreter runs a graph node by node on LibTorch: it is the reference
// for compiled code and runs whatever imports. It lives in libFXTorch.so,
// which is loaded when first needed, so that nothing else needs LibTorch:
//
//   auto interpreter = fx::loadInterpreter(module, options);   // Expected<>
//   llvm::SmallVector<fx::HostValue> outputs;
//   llvm::Error error = (*interpreter)->run(inputs, outputs);
//
//===----------------------------------------------------------------------===//

#ifndef FX_INTERPRETER_INTERPRETER_H
#define FX_INTERPRETER_INTERPRETER_H

#include "fx/Support/HostTensor.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/Error.h"
#include <functional>
#include <memory>
#include <optional>
#include <string>

namespace mlir {
class DialectRegistry;
} // namespace mlir

namespace fx {

struct InterpreterOptions {
  /// Threads of ATen's pool; 0 leaves it as it is. The pool is the process's.
  int threads = 0;
  /// Called with every node's name and its tensor and scalar results, in the
  /// order of the results, when it has run. Absent where a result is neither.
  std::function<void(mlir::Operation *, llvm::ArrayRef<HostValue>)> observer;
  /// Nodes that the observer is called with; null for all. Values are copied
  /// for it.
  std::function<bool(mlir::Operation *)> isObserved;
};

class Interpreter {
public:
  virtual ~Interpreter();

  /// Runs @main on the flattened (args, kwargs) leaves; None and str leaves
  /// are absent. `outputs` receives the flattened user outputs, None and str
  /// being absent. Buffers keep what the run wrote to them. Errors are
  /// `LocatedError`s at the node or input. One run at a time.
  virtual llvm::Error run(llvm::ArrayRef<HostValue> inputs,
                          llvm::SmallVectorImpl<HostValue> &outputs) = 0;

  /// Seeds torch's generator, as torch.manual_seed.
  virtual void seed(uint64_t value) = 0;

  /// The present value of state `name`, in C order.
  virtual llvm::Expected<HostTensor> getState(llvm::StringRef name) = 0;
};

/// The functions of libFXTorch.so, found by one exported symbol.
struct TorchLibrary {
  /// Raised when this structure or Interpreter changes.
  static constexpr uint32_t kVersion = 5;
  uint32_t version;
  llvm::Expected<std::unique_ptr<Interpreter>> (*createInterpreter)(
      mlir::ModuleOp module, const InterpreterOptions &options);
  /// The schema of an operator, as torch writes it; nothing where torch's
  /// dispatcher does not have it.
  std::optional<std::string> (*getSchema)(llvm::StringRef target);
};

/// Loads libFXTorch.so, which lies beside libFX.so (or where the environment
/// variable FX_TORCH_LIBRARY says), once for the process.
llvm::Expected<const TorchLibrary *> loadTorchLibrary();

/// Loads a library that registers operators or classes with torch, as
/// torch.ops.load_library does: the interpreter and the fallback know them from
/// then on. Those that the environment variable FX_OPERATOR_LIBRARIES lists,
/// with ':' between, are loaded when the first operator is looked for. Error
/// texts begin with the path.
llvm::Error loadOperatorLibrary(llvm::StringRef path);

/// An interpreter for the module's graph @main. The module must outlive it
/// and not change. Fails at once where a node cannot run: unknown operator,
/// arguments that do not fit, a state without a value.
llvm::Expected<std::unique_ptr<Interpreter>>
loadInterpreter(mlir::ModuleOp module, const InterpreterOptions &options);

/// Lets the dialect ask LibTorch's dispatcher for schemas that nobody
/// registered (SchemaSourceInterface), if LibTorch is in the process or
/// FX_OPERATOR_LIBRARIES names libraries for it.
void registerTorchSchemas(mlir::DialectRegistry &registry);

/// Lets passes compute constants by `loadInterpreter`
/// (ConstantEvaluatorInterface): an error where LibTorch is missing.
void registerConstantEvaluator(mlir::DialectRegistry &registry);

} // namespace fx

#endif // FX_INTERPRETER_INTERPRETER_H
