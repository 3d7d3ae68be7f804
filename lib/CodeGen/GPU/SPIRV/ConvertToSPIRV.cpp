//===- ConvertToSPIRV.cpp - kernels as a module of SPIR-V -----------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Passes.h"

#include "mlir/Conversion/ArithToSPIRV/ArithToSPIRV.h"
#include "mlir/Conversion/GPUToSPIRV/GPUToSPIRV.h"
#include "mlir/Conversion/MathToSPIRV/MathToSPIRV.h"
#include "mlir/Conversion/SCFToSPIRV/SCFToSPIRV.h"
#include "mlir/Conversion/UBToSPIRV/UBToSPIRV.h"
#include "mlir/Conversion/VectorToSPIRV/VectorToSPIRV.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/SPIRV/IR/SPIRVDialect.h"
#include "mlir/Dialect/SPIRV/IR/SPIRVOps.h"
#include "mlir/Dialect/SPIRV/Transforms/SPIRVConversion.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

namespace fx::spirv {
#define GEN_PASS_DEF_FXGPUCONVERTTOSPIRV
#define GEN_PASS_DEF_FXGPUFINISHSPIRV
#include "Passes.h.inc"
} // namespace fx::spirv

using namespace mlir;
using mlir::spirv::Capability;
using mlir::spirv::StorageClass;

/// Returns the environment of a Vulkan 1.2 device that supports all dtypes. A
/// module requires only those of its capabilities that it uses.
static mlir::spirv::TargetEnvAttr getTargetEnv(MLIRContext *context) {
  auto triple = mlir::spirv::VerCapExtAttr::get(
      mlir::spirv::Version::V_1_5,
      {Capability::Shader, Capability::PhysicalStorageBufferAddresses,
       Capability::Int8, Capability::Int16, Capability::Int64,
       Capability::Float16, Capability::Float64,
       Capability::StorageBuffer8BitAccess,
       Capability::StorageBuffer16BitAccess,
       Capability::SignedZeroInfNanPreserve},
      {mlir::spirv::Extension::SPV_KHR_physical_storage_buffer}, context);
  return mlir::spirv::TargetEnvAttr::get(
      triple, mlir::spirv::getDefaultResourceLimits(context),
      mlir::spirv::ClientAPI::Vulkan, mlir::spirv::Vendor::Unknown,
      mlir::spirv::DeviceType::Unknown,
      mlir::spirv::TargetEnvAttr::kUnknownDeviceID);
}

namespace {
/// Converts exp2, for which upstream has no pattern.
struct ConvertExp2 : OpConversionPattern<math::Exp2Op> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult
  matchAndRewrite(math::Exp2Op op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    rewriter.replaceOpWithNewOp<mlir::spirv::GLExp2Op>(op,
                                                       adaptor.getOperand());
    return success();
  }
};

struct ConvertToSPIRV
    : fx::spirv::impl::FXGPUConvertToSPIRVBase<ConvertToSPIRV> {
  using Base::Base;
  void runOnOperation() override {
    ModuleOp module = getOperation();
    mlir::spirv::TargetEnvAttr env = getTargetEnv(&getContext());
    module->setAttr(mlir::spirv::getTargetEnvAttrName(), env);
    SPIRVConversionOptions options;
    options.use64bitIndex = true;
    SPIRVTypeConverter types(env, options);
    std::unique_ptr<SPIRVConversionTarget> target =
        SPIRVConversionTarget::get(env);
    target->addIllegalDialect<arith::ArithDialect, mlir::gpu::GPUDialect,
                              math::MathDialect, memref::MemRefDialect,
                              scf::SCFDialect, ub::UBDialect,
                              vector::VectorDialect, LLVM::LLVMDialect>();
    RewritePatternSet patterns(&getContext());
    ScfToSPIRVContext loops;
    populateGPUToSPIRVPatterns(types, patterns);
    populateSCFToSPIRVPatterns(types, loops, patterns);
    arith::populateArithToSPIRVPatterns(types, patterns);
    populateMathToSPIRVPatterns(types, patterns);
    patterns.add<ConvertExp2>(types, &getContext());
    populateVectorToSPIRVPatterns(types, patterns);
    ub::populateUBToSPIRVConversionPatterns(types, patterns);
    if (failed(applyPartialConversion(module, *target, std::move(patterns))))
      signalPassFailure();
  }
};
} // namespace

/// Decorates floating-point arithmetic with NoContraction. Without the
/// decoration a driver may reassociate additions, which breaks polynomials that
/// round by adding and subtracting a large number.
static void keepOrder(mlir::spirv::ModuleOp module) {
  auto unit = UnitAttr::get(module.getContext());
  module.walk([&](Operation *op) {
    if (isa<mlir::spirv::FAddOp, mlir::spirv::FSubOp, mlir::spirv::FMulOp,
            mlir::spirv::FDivOp, mlir::spirv::FNegateOp>(op))
      op->setAttr("no_contraction", unit);
  });
}

/// Adds the capabilities that `spirv-update-vce` misses: those of 8-bit and
/// 16-bit elements in physical storage buffers, and `more`. Also sets the
/// version to 1.5, which that pass lowers.
static void addCapabilities(mlir::spirv::ModuleOp module,
                            ArrayRef<Capability> more) {
  auto vce = *module.getVceTriple();
  llvm::SmallSetVector<Capability, 8> all;
  for (Capability c : vce.getCapabilities())
    all.insert(c);
  all.insert(more.begin(), more.end());
  module.walk([&](Operation *op) {
    for (Type type : llvm::concat<const Type>(op->getOperandTypes(),
                                              op->getResultTypes())) {
      auto pointer = dyn_cast<mlir::spirv::PointerType>(type);
      if (!pointer ||
          pointer.getStorageClass() != StorageClass::PhysicalStorageBuffer)
        continue;
      unsigned bits = pointer.getPointeeType().getIntOrFloatBitWidth();
      if (bits == 8)
        all.insert(Capability::StorageBuffer8BitAccess);
      if (bits == 16)
        all.insert(Capability::StorageBuffer16BitAccess);
    }
  });
  // The extensions are part of the core of SPIR-V 1.5.
  SmallVector<Capability> sorted = all.takeVector();
  llvm::sort(sorted);
  module.setVceTripleAttr(mlir::spirv::VerCapExtAttr::get(
      mlir::spirv::Version::V_1_5, sorted,
      /*extensions=*/ArrayRef<mlir::spirv::Extension>(), module.getContext()));
}

namespace {
struct FinishSPIRV : fx::spirv::impl::FXGPUFinishSPIRVBase<FinishSPIRV> {
  using Base::Base;
  void runOnOperation() override {
    mlir::spirv::ModuleOp module = getOperation();
    keepOrder(module);
    llvm::SmallSetVector<int32_t, 3> widths;
    module.walk([&](Operation *op) {
      for (Type type : op->getResultTypes())
        if (type.isFloat())
          widths.insert(type.getIntOrFloatBitWidth());
    });
    OpBuilder b = OpBuilder::atBlockEnd(module.getBody());
    SmallVector<mlir::spirv::EntryPointOp> entries(
        module.getOps<mlir::spirv::EntryPointOp>());
    for (mlir::spirv::EntryPointOp entry : entries)
      for (int32_t width : widths)
        mlir::spirv::ExecutionModeOp::create(
            b, entry.getLoc(),
            module.lookupSymbol<mlir::spirv::FuncOp>(entry.getFn()),
            mlir::spirv::ExecutionMode::SignedZeroInfNanPreserve, {width});
    addCapabilities(module, {Capability::SignedZeroInfNanPreserve});
  }
};
} // namespace
