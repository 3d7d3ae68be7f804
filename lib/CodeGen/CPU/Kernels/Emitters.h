//===- Emitters.h - classes of kernels on CPUs ------------------*- C++ -*-===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FX_LIB_CODEGEN_CPU_EMITTERS_H
#define FX_LIB_CODEGEN_CPU_EMITTERS_H

#include "fx/CodeGen/Common/KernelClass.h"
#include "fx/CodeGen/Common/KernelCode.h"

namespace fx::cpu {

using namespace codegen;
using namespace kernel;

/// The size of a cache line, in bytes.
inline constexpr int64_t kLine = 64;
/// The least size of an input, in bytes, of which rows are prefetched: smaller
/// ones stay in the second-level cache.
inline constexpr int64_t kLeastPrefetched = 512 << 10;

/// Computes all outputs of a pointwise kernel at `coords`, and stores them.
void storeOutputs(KernelCode &code, Scope &scope, llvm::ArrayRef<Coord> coords);

/// Transposes `rows`, which are as many vectors as each has lanes, in rounds of
/// perfect shuffles. Each round rotates the bits of the element numbers by one.
void transposeVectors(KernelCode &code, llvm::SmallVector<mlir::Value> &rows);

/// Calls an intrinsic of LLVM.
mlir::Value callIntrinsic(KernelCode &code, const llvm::Twine &name,
                          mlir::Type result, mlir::ValueRange operands);

/// Adds to each lane of `sum` a dot product of words of 32 bits, by an
/// instruction of AVX-512: two bf16 of `left` and of `right` (vdpbf16ps), or
/// four unsigned bytes of `left` and four signed ones of `right` (vpdpbusd).
mlir::Value addDotProducts(KernelCode &code, mlir::Value sum, mlir::Value left,
                           mlir::Value right);

/// Rounds a vector of f32 to bf16; returns a vector of bf16 as it is.
mlir::Value toBF16(KernelCode &code, mlir::Value v);

/// Returns words of two bf16: the lanes of `low` and, above them, of `high`.
mlir::Value joinBF16(KernelCode &code, mlir::Value low, mlir::Value high);

/// Returns vectors of bf16 as one vector of words of adjacent lanes, typed f32:
/// of half of the lanes, or of all lanes of two vectors.
mlir::Value toPairs(KernelCode &code, llvm::ArrayRef<mlir::Value> halves);

/// Emits a pointwise kernel with operands whose dimensions are in another order
/// than the outputs'. The `merged` trailing dimensions are walked as one.
/// Returns false, and emits nothing, if the kernel is not of this form.
bool emitTransposed(KernelCode &code, int64_t merged);

/// Changes the code of a kernel for NEON. Each masked load and store becomes a
/// branch: if all lanes of the mask are set, the access is one of a vector.
/// Maxima and minima that propagate NaN become intrinsics.
void adaptToNEON(mlir::func::FuncOp kernel);

/// Returns the first reduction of a kernel; null if there is none.
mlir::linalg::GenericOp findReduction(mlir::func::FuncOp kernel);

/// Returns true if the kernel reduces rows of few elements and stores only one
/// element for each row. The lanes then walk rows.
bool reducesShortRows(mlir::func::FuncOp kernel);

/// Returns the classes of CPU kernels.
llvm::ArrayRef<KernelClass> getKernelClasses();

} // namespace fx::cpu

#endif // FX_LIB_CODEGEN_CPU_EMITTERS_H
