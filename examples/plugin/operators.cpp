// Two operators of one's own. `example::softcap(x, cap)` is said in operators
// that fx-mlir knows; `example::squareplus(x)` brings its own linalg.
#include "fx/Operators/Custom.h"
#include "fx/Operators/Plugin.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;

// cap * tanh(x / cap)
static constexpr const char *kSoftcap = R"(
  fx.graph @softcap {
    %x = placeholder "x" : !fx.any
    %cap = placeholder "cap" default(30.0) : !fx.any
    %div = call_function @aten.div.Scalar(%x, %cap) : (!fx.any, !fx.any) -> !fx.any
    %tanh = call_function @aten.tanh.default(%div) : (!fx.any) -> !fx.any
    %mul = call_function @aten.mul.Scalar(%tanh, %cap) : (!fx.any, !fx.any) -> !fx.any
    output(%mul) : (!fx.any)
  }
)";

// (x + sqrt(x * x + 4)) / 2, element by element.
static FailureOr<SmallVector<Value>> lowerSquareplus(OpBuilder &b,
                                                     fx::EagerOp call) {
  Location loc = call.getLoc();
  Value x = call->getOperand(0);
  auto type = cast<RankedTensorType>(x.getType());
  Value init = tensor::EmptyOp::create(b, loc, tensor::getMixedSizes(b, loc, x),
                                       type.getElementType());
  SmallVector<AffineMap> maps(2, b.getMultiDimIdentityMap(type.getRank()));
  SmallVector<utils::IteratorType> loops(type.getRank(),
                                         utils::IteratorType::parallel);
  auto generic = linalg::GenericOp::create(
      b, loc, type, x, init, maps, loops,
      [](OpBuilder &b, Location loc, ValueRange v) {
        auto constant = [&](double value) -> Value {
          return arith::ConstantOp::create(
              b, loc, b.getFloatAttr(v[0].getType(), value));
        };
        Value square = arith::MulFOp::create(b, loc, v[0], v[0]);
        Value root = math::SqrtOp::create(
            b, loc, arith::AddFOp::create(b, loc, square, constant(4)));
        Value sum = arith::AddFOp::create(b, loc, v[0], root);
        Value half = arith::MulFOp::create(b, loc, sum, constant(0.5));
        linalg::YieldOp::create(b, loc, half);
      });
  return SmallVector<Value>{generic.getResult(0)};
}

static llvm::Error registerOperators() {
  fx::CustomOperator softcap;
  softcap.target = "example.softcap.default";
  softcap.decomposition = kSoftcap;
  if (llvm::Error e = fx::registerCustomOperator(std::move(softcap)))
    return e;

  fx::CustomOperator squareplus;
  squareplus.target = "example.squareplus.default";
  squareplus.shape =
      [](fx::NodeOpInterface call) -> FailureOr<SmallVector<Type>> {
    return SmallVector<Type>{call->getOperand(0).getType()};
  };
  squareplus.lower = lowerSquareplus;
  return fx::registerCustomOperator(std::move(squareplus));
}

extern "C" fx::PluginInfo fxGetPluginInfo() {
  return {fx::kPluginVersion, "example operators", registerOperators};
}
