//===- Device.h - targets and code of GPUs ----------------------*- C++ -*-===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FX_CODEGEN_GPU_DEVICE_H
#define FX_CODEGEN_GPU_DEVICE_H

#include "fx/Kernels/TargetInfo.h"

#include "mlir/IR/BuiltinOps.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/Error.h"

#include <string>

namespace mlir {
class DialectRegistry;
class OpPassManager;
} // namespace mlir

namespace fx::gpu {

struct CodeGenerator;

/// The GPUs of a vendor or of an API: the names of their chips, the passes and
/// the code generator for their kernels. A platform is a folder of
/// lib/CodeGen/GPU and an entry of fx/Pipelines/Formats.def.
struct Platform {
  /// The name in the option `--target`: "rocm".
  llvm::StringLiteral name;
  /// The form of the option, in messages: "rocm[:gfxNNN]".
  llvm::StringLiteral form;
  /// The GPUs, in messages: "AMD GPUs".
  llvm::StringLiteral gpus;
  /// What the option must be, in messages, if a chip is wrong.
  llvm::StringLiteral expected = "";
  /// The chip if the option names none; empty if the code does not depend on a
  /// chip.
  llvm::StringLiteral defaultChip = "";
  bool allowsSeveralChips = false;
  /// Returns true if `chip` has the form of a chip's name. Null if
  /// `defaultChip` is empty.
  bool (*isChipName)(llvm::StringRef chip) = nullptr;
  /// LLVM's code generator, which knows the chips; null: none.
  const CodeGenerator *generator = nullptr;
  /// Returns the matrix instructions of all chips; WGMMA if one of them has it
  /// and the others have MMA. Null: none.
  kernel::MatrixUnit (*getMatrixUnit)(llvm::ArrayRef<std::string> chips) =
      nullptr;

  /// Adds dialects and interfaces to the registry of a compilation; null: none.
  void (*registerDialects)(mlir::DialectRegistry &registry) = nullptr;
  /// Registers the passes in the folder with fx-opt; null: none.
  void (*registerPasses)() = nullptr;
  /// The name of the pipeline in fx-opt: "fx-gpu-rocdl".
  llvm::StringLiteral pipelineName;
  llvm::StringLiteral pipelineDescription;
  /// Builds the pipeline that lowers `gpu.module @kernels` for `chip`.
  void (*buildPipeline)(mlir::OpPassManager &pm, llvm::StringRef chip);
  /// Returns the kernels of `module`, after the pipeline, in a format that
  /// fx/Pipelines/Formats.def lists for the platform. Fails if an operation has
  /// no code on a GPU.
  llvm::Expected<std::string> (*emit)(mlir::ModuleOp module,
                                      llvm::StringRef format,
                                      llvm::StringRef chip, int optLevel);
  /// The format of the kernels in an artefact; empty if an artefact has an
  /// image for each chip.
  llvm::StringLiteral image = "";
  /// Returns an error if `format` needs a program that cannot be executed.
  /// Null: no format needs one.
  llvm::Error (*checkPrograms)(llvm::StringRef format) = nullptr;
};

/// The target of the option `--target=PLATFORM[:CHIP[,CHIP...]]`.
struct Target {
  const Platform *platform;
  /// The chips. A format with code for a single chip uses the first one.
  llvm::SmallVector<std::string, 2> chips;
  /// Returns the text of the option, including default chips.
  std::string getText() const;
  /// Returns the first chip; empty if the code does not depend on a chip.
  llvm::StringRef getChip() const;
  kernel::MatrixUnit getMatrixUnit() const;
};

/// Parses `text`, a target of one of `platforms`: "cuda:sm_90a,sm_80". The
/// error tells what is expected.
llvm::Expected<Target> parseTarget(llvm::StringRef text,
                                   llvm::ArrayRef<const Platform *> platforms);

//===----------------------------------------------------------------------===//
// NVIDIA GPUs
//===----------------------------------------------------------------------===//

/// The parts of a chip's name: "sm_90a" is 90 and 'a'.
struct ChipName {
  int number = 0;
  char suffix = 0;
};
ChipName getChipName(llvm::StringRef chip);

/// Returns the chip whose PTX runs on all of `chips` and on all newer GPUs:
/// compute capability 8.0, or the least one of `chips` if it is lower.
std::string getCommonChip(llvm::ArrayRef<std::string> chips);

} // namespace fx::gpu

namespace fx::nvvm {

/// Returns true if the kernels of `chip` can start before those in front of
/// them end, and contain the instructions that wait for these (sm_90 and
/// newer).
bool overlapsLaunches(llvm::StringRef chip);

/// Returns the PTX of `gpu.module @kernels` in `module`, after the
/// pipeline of the platform. Fails if an operation has no code on a GPU.
llvm::Expected<std::string> emitPTX(mlir::ModuleOp module, llvm::StringRef chip,
                                    int optLevel);

/// Returns the path of ptxas: the environment variable `FX_PTXAS`, or else
/// ptxas in PATH, in `CUDA_HOME` or in the usual folder of the toolkit; empty
/// if there is none.
std::string findPtxas();

/// Returns an error if `FX_PTXAS` names a file that cannot be executed, or if
/// `isNeeded` and there is no ptxas.
llvm::Error checkPtxas(bool isNeeded);

/// Compiles PTX to machine code by ptxas. `log`, if not null, becomes its
/// output, which lists the resources of each kernel.
llvm::Expected<std::string> assemble(llvm::StringRef ptx, llvm::StringRef chip,
                                     std::string *log = nullptr);

} // namespace fx::nvvm

#endif // FX_CODEGEN_GPU_DEVICE_H
