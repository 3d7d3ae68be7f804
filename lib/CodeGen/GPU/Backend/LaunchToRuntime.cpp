//===- LaunchToRuntime.cpp - launches as calls of the run-time ------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fx/CodeGen/Common/Buffers.h"
#include "fx/CodeGen/Common/Captures.h"
#include "fx/CodeGen/GPU/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"

namespace fx::gpu {
#define GEN_PASS_DEF_FXGPULAUNCHTORUNTIME
#include "fx/CodeGen/GPU/Passes.h.inc"
} // namespace fx::gpu

using namespace mlir;
using namespace fx;

namespace {
struct LaunchToRuntime
    : fx::gpu::impl::FXGPULaunchToRuntimeBase<LaunchToRuntime> {
  using Base::Base;
  void runOnOperation() override {
    SmallVector<mlir::gpu::LaunchFuncOp> launches;
    getOperation().walk(
        [&](mlir::gpu::LaunchFuncOp op) { launches.push_back(op); });
    llvm::StringMap<int64_t> numbers;
    for (auto kernels : getOperation().getOps<mlir::gpu::GPUModuleOp>())
      for (auto func : kernels.getOps<mlir::gpu::GPUFuncOp>())
        numbers.try_emplace(func.getName(), numbers.size());
    LLVMTypeConverter types(&getContext());
    for (mlir::gpu::LaunchFuncOp op : launches)
      lower(op, numbers.lookup(op.getKernelName().getValue()), types);
  }

  /// Replaces a launch with a call of `fx_rt_gpu_launch`. The arguments are
  /// stored in slots of 8 bytes on the stack. `number` is the position of the
  /// kernel in its module.
  void lower(mlir::gpu::LaunchFuncOp op, int64_t number,
             const LLVMTypeConverter &types) {
    OpBuilder b(op);
    Location loc = op.getLoc();
    Type i64 = b.getI64Type(), ptr = LLVM::LLVMPointerType::get(&getContext());
    auto frame = LLVM::LLVMArrayType::get(
        i64, std::max<size_t>(op.getKernelOperands().size(), 1));
    Value slots = codegen::createStackSlot(b, loc, frame);
    int64_t numMaps = 0;
    for (auto [i, value] : llvm::enumerate(op.getKernelOperands())) {
      Value at = codegen::createFieldAddress(b, loc, frame, slots, i);
      Value v = codegen::castToLLVM(b, types, value);
      if (auto pointer = dyn_cast<LLVM::LLVMPointerType>(v.getType())) {
        v = LLVM::PtrToIntOp::create(b, loc, i64, v);
        numMaps += pointer.getAddressSpace() == 0;
      }
      LLVM::StoreOp::create(b, loc, v, at);
    }
    SmallVector<Value> args = {
        arith::ConstantIntOp::create(b, loc, i64, number)};
    mlir::gpu::KernelDim3 grid = op.getGridSizeOperandValues(),
                          block = op.getBlockSizeOperandValues();
    for (Value v : {grid.x, grid.y, grid.z, block.x, block.y, block.z})
      args.push_back(arith::IndexCastOp::create(b, loc, i64, v));
    Value shared = op.getDynamicSharedMemorySize();
    args.push_back(shared ? Value(arith::ExtUIOp::create(b, loc, i64, shared))
                          : arith::ConstantIntOp::create(b, loc, i64, 0));
    args.push_back(slots);
    args.push_back(arith::ConstantIntOp::create(b, loc, i64,
                                                op.getKernelOperands().size()));
    args.push_back(arith::ConstantIntOp::create(b, loc, i64, numMaps));
    SmallVector<Type> argTypes(8, i64);
    argTypes.append({ptr, i64, i64});
    auto callee = cast<func::FuncOp>(codegen::getOrDeclare(
        b, "fx_rt_gpu_launch", b.getFunctionType(argTypes, {}),
        /*cInterface=*/false));
    func::CallOp::create(b, loc, callee, args);
    op.erase();
  }
};
} // namespace
