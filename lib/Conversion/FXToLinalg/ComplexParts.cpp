//===- ComplexParts.cpp - complex tensors, a part at a time ---------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Complex.h"
#include "GraphLowering.h"
#include "fx/Operators/Schema.h"

using namespace mlir;

namespace fx::lin {

bool isElementArgument(StringRef name) {
  return llvm::is_contained({"self", "tensors", "input", "other", "src",
                             "source", "value", "values", "fill_value", "s"},
                            name);
}

namespace {
/// Gives real operands the imaginary part 0 while a node is lowered by parts,
/// and restores them afterwards. Changes only the arguments that provide the
/// result's elements (isElementArgument). Other real operands, such as a mask
/// or an index, are the same for both parts.
class PromotedElements {
public:
  explicit PromotedElements(NodeLowering &n) : graph(n.graph) {
    SmallVector<Argument> elements;
    const OperatorSchema &schema = n.view.getSchema();
    for (unsigned i = 0; i < schema.getNumPositional(); ++i) {
      if (!isElementArgument(schema.getArguments()[i].getName()))
        continue;
      Argument argument = n.view.getArg(i);
      if (argument.isList())
        llvm::append_range(elements, argument.getElements());
      else
        elements.push_back(argument);
    }
    for (Argument element : elements) {
      const Lowered *lowered =
          n.isTensor(element) ? graph.lookup(element.getValue()) : nullptr;
      if (!lowered || lowered->kind != Lowered::Kind::Tensor ||
          !isSupported(lowered->tensor.dtype))
        continue;
      Lowered real = *lowered;
      replaced.emplace_back(element.getValue(), real);
      graph.set(element.getValue(),
                Lowered(real.tensor, zerosLike(n, real.tensor)));
    }
  }
  ~PromotedElements() {
    for (auto &[value, lowered] : replaced)
      graph.set(value, lowered);
  }
  PromotedElements(const PromotedElements &) = delete;
  PromotedElements &operator=(const PromotedElements &) = delete;

private:
  GraphLowering &graph;
  SmallVector<std::pair<Value, Lowered>> replaced;
};
} // namespace

LogicalResult lowerByParts(NodeLowering &n) {
  LowerFn lower = Registry::get().lookup(n.target());
  if (!lower)
    return n.fail("the operator has no lowering");
  // An operator with a real result drops the imaginary parts of its operands.
  bool isComplex = true;
  for (Type type : n.op->getResultTypes()) {
    auto tensor = dyn_cast<FakeTensorType>(type);
    isComplex &= tensor && isa<ComplexType>(tensor.getDtype());
    if (!tensor || tensor.getDtype().isInteger(1) ||
        (!isComplex && n.numResults() > 1))
      return n.fail("the result is no complex tensor");
  }
  PromotedElements promoted(n);
  SmallVector<Lowered> real;
  for (int part : {0, 1}) {
    if (part == 1 && !isComplex)
      break;
    n.graph.part = part;
    NodeLowering one(n.graph, n.op, n.b);
    LogicalResult done = lower(one);
    n.graph.part.reset();
    if (failed(done) || one.failed())
      return n.fail(one.reason.empty() ? "the lowering failed"
                                       : StringRef(one.reason));
    for (OpResult result : n.op->getResults()) {
      const Lowered *set = n.graph.lookup(result);
      if (!set || set->kind != Lowered::Kind::Tensor)
        return n.fail("the lowering gives no tensor");
      if (!isComplex)
        continue;
      if (part == 0)
        real.push_back(*set);
      else
        n.graph.set(result, Lowered(real[result.getResultNumber()].tensor,
                                    set->tensor));
    }
  }
  return success();
}

/// Lowers mH and matrix_H: lowers by parts, then conjugates the result.
static LogicalResult lowerAdjoint(NodeLowering &n) {
  if (failed(lowerByParts(n)))
    return failure();
  const Lowered *set = n.graph.lookup(n.op->getResult(0));
  Tensor re = set->tensor, im = *set->imaginary;
  return setComplex(n, re,
                    n.b.map({im}, im.dtype, [](Scalars &s, ValueRange v) {
                      return s.neg(v[0]);
                    }));
}

/// Lowers scatters that reduce by sums or means, which act on each part
/// separately. Other reductions do not.
static LogicalResult lowerScatterReduce(NodeLowering &n) {
  StringRef reduce = n.string("reduce");
  if (!llvm::is_contained({"add", "sum", "mean"}, reduce))
    return n.fail("complex numbers are scattered by sums and means only");
  return lowerByParts(n);
}

void registerComplexParts(Registry &r) {
  r.addComplex({"aten.mH.default", "aten.matrix_H.default"}, lowerAdjoint);
  r.addComplex({"aten.scatter.value_reduce", "aten.scatter.reduce",
                "aten.scatter_reduce.two"},
               lowerScatterReduce);
  // Operators that move elements, operators that create them, and sums. The
  // scatters come from functionalized writes.
  r.addComplex({"aten._reshape_copy.default",
                "aten._unsafe_index.Tensor",
                "aten._index_put_impl.default",
                "aten._unsafe_index_put.default",
                "aten._unsafe_view.default",
                "aten.alias.default",
                "aten.alias_copy.default",
                "aten.as_strided.default",
                "aten.as_strided_copy.default",
                "aten.as_strided_scatter.default",
                "aten.atleast_1d.default",
                "aten.atleast_2d.default",
                "aten.atleast_3d.default",
                "aten.block_diag.default",
                "aten.broadcast_tensors.default",
                "aten.broadcast_to.default",
                "aten.cat.default",
                "aten.chunk.default",
                "aten.clone.default",
                "aten.column_stack.default",
                "aten.combinations.default",
                "aten.concat.default",
                "aten.concatenate.default",
                "aten.constant_pad_nd.default",
                "aten.contiguous.default",
                "aten.cumsum.default",
                "aten.detach.default",
                "aten.detach_.default",
                "aten.detach_copy.default",
                "aten.diag.default",
                "aten.diag_embed.default",
                "aten.diagflat.default",
                "aten.diagonal.default",
                "aten.diagonal_copy.default",
                "aten.diagonal_scatter.default",
                "aten.dsplit.array",
                "aten.dsplit.int",
                "aten.dstack.default",
                "aten.empty.memory_format",
                "aten.empty_like.default",
                "aten.empty_permuted.default",
                "aten.empty_strided.default",
                "aten.expand.default",
                "aten.expand_as.default",
                "aten.expand_copy.default",
                "aten.eye.default",
                "aten.eye.m",
                "aten.fill.Scalar",
                "aten.fill.Tensor",
                "aten.flatten.using_ints",
                "aten.flip.default",
                "aten.fliplr.default",
                "aten.flipud.default",
                "aten.full.default",
                "aten.full_like.default",
                "aten.gather.default",
                "aten.hsplit.array",
                "aten.hsplit.int",
                "aten.hstack.default",
                "aten.index.Tensor",
                "aten.index_add.default",
                "aten.index_copy.default",
                "aten.index_fill.int_Scalar",
                "aten.index_fill.int_Tensor",
                "aten.index_put.default",
                "aten.index_select.default",
                "aten.lift.default",
                "aten.lift_fresh.default",
                "aten.lift_fresh_copy.default",
                "aten.linalg_diagonal.default",
                "aten.mT.default",
                "aten.masked_fill.Scalar",
                "aten.masked_fill.Tensor",
                "aten.masked_scatter.default",
                "aten.mean.default",
                "aten.mean.dim",
                "aten.meshgrid.default",
                "aten.meshgrid.indexing",
                "aten.moveaxis.int",
                "aten.movedim.int",
                "aten.movedim.intlist",
                "aten.narrow.default",
                "aten.narrow_copy.default",
                "aten.neg.default",
                "aten.new_empty.default",
                "aten.new_empty_strided.default",
                "aten.new_full.default",
                "aten.new_ones.default",
                "aten.new_zeros.default",
                "aten.numpy_T.default",
                "aten.ones.default",
                "aten.ones_like.default",
                "aten.pad.default",
                "aten.permute.default",
                "aten.permute_copy.default",
                "aten.positive.default",
                "aten.put.default",
                "aten.ravel.default",
                "aten.repeat.default",
                "aten.repeat_interleave.self_int",
                "aten.reshape.default",
                "aten.reshape_as.default",
                "aten.resolve_conj.default",
                "aten.resolve_neg.default",
                "aten.roll.default",
                "aten.rot90.default",
                "aten.row_stack.default",
                "aten.scalar_tensor.default",
                "aten.scatter.src",
                "aten.scatter.value",
                "aten.scatter_add.default",
                "aten.select.int",
                "aten.select_copy.int",
                "aten.select_scatter.default",
                "aten.slice.Tensor",
                "aten.slice_copy.Tensor",
                "aten.slice_scatter.default",
                "aten.split.Tensor",
                "aten.split.sizes",
                "aten.split_copy.Tensor",
                "aten.split_with_sizes.default",
                "aten.split_with_sizes_copy.default",
                "aten.squeeze.default",
                "aten.squeeze.dim",
                "aten.squeeze.dims",
                "aten.squeeze_copy.default",
                "aten.squeeze_copy.dim",
                "aten.squeeze_copy.dims",
                "aten.stack.default",
                "aten.sum.default",
                "aten.sum.dim_IntList",
                "aten.swapaxes.default",
                "aten.swapdims.default",
                "aten.t.default",
                "aten.t_copy.default",
                "aten.take.default",
                "aten.take_along_dim.default",
                "aten.tensor_split.indices",
                "aten.tensor_split.sections",
                "aten.tensor_split.tensor_indices_or_sections",
                "aten.tile.default",
                "aten.trace.default",
                "aten.transpose.int",
                "aten.transpose_copy.int",
                "aten.tril.default",
                "aten.triu.default",
                "aten.unbind.int",
                "aten.unbind_copy.int",
                "aten.unflatten.int",
                "aten.unfold.default",
                "aten.unfold_copy.default",
                "aten.unsafe_chunk.default",
                "aten.unsafe_split.Tensor",
                "aten.unsqueeze.default",
                "aten.unsqueeze_copy.default",
                "aten.view.default",
                "aten.view_as.default",
                "aten.view_copy.default",
                "aten.vsplit.array",
                "aten.vsplit.int",
                "aten.vstack.default",
                "aten.where.Scalar",
                "aten.where.ScalarOther",
                "aten.where.ScalarSelf",
                "aten.where.self",
                "aten.zero.default",
                "aten.zeros.default",
                "aten.zeros_like.default"},
               lowerByParts);
}

} // namespace fx::lin
