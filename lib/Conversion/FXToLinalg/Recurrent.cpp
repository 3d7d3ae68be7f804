//===- Recurrent.cpp - LSTM, GRU and plain recurrent networks -------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The matmuls with the inputs of all time steps are one matmul before
// the loop over the steps; only those with the hidden state stand in the loop.
// Formulas are those of torch.nn.LSTM, GRU and RNN.
//
//===----------------------------------------------------------------------===//

#include "Node.h"
#include "Random.h"

using namespace mlir;

namespace fx::lin {

namespace {
enum class Cell { LSTM, GRU, Tanh, Relu };

/// The weights of one layer and direction.
struct Weights {
  Tensor input, hidden;
  std::optional<Tensor> inputBias, hiddenBias, projection;
};
} // namespace

static unsigned numGates(Cell cell) {
  return cell == Cell::LSTM ? 4 : cell == Cell::GRU ? 3 : 1;
}

/// [rows..., k] x [n, k]^T + bias
static Tensor affine(Builder &b, const Tensor &x, const Tensor &w,
                     const std::optional<Tensor> &bias) {
  unsigned rank = x.rank();
  Access left{x, {}};
  for (unsigned i = 0; i + 1 < rank; ++i)
    left.loops.push_back(i);
  left.loops.push_back(rank);
  Sizes sizes(x.sizes);
  sizes.back() = w.sizes[0];
  Tensor y = b.contract(left, {w, {rank - 1, rank}}, sizes, rank + 1, x.dtype);
  if (!bias)
    return y;
  return b.map({y, *bias}, x.dtype,
               [](Scalars &s, ValueRange v) { return s.add(v[0], v[1]); });
}

/// Gate `k` of [batch, gates * hidden].
static Tensor gate(Builder &b, const Tensor &t, unsigned k, ExprAttr hidden) {
  ExprAttr start = ExprAttr::mul(b.context(), {hidden, b.expr(k)});
  return b.slice(t, t.rank() - 1, start, hidden, b.expr(1));
}

/// The next state from the matmuls with the input and with the state.
static SmallVector<Tensor> step(Builder &b, Cell cell, const Tensor &fromInput,
                                const Tensor &fromHidden,
                                ArrayRef<Tensor> state, ExprAttr hidden) {
  Type dtype = fromInput.dtype;
  if (cell == Cell::Tanh || cell == Cell::Relu)
    return {
        b.map({fromInput, fromHidden}, dtype, [&](Scalars &s, ValueRange v) {
          Value x = s.add(v[0], v[1]);
          return cell == Cell::Tanh ? s.tanh(x) : s.max(x, s.constant(0));
        })};
  SmallVector<Tensor> gates;
  for (unsigned k = 0; k < numGates(cell); ++k) {
    gates.push_back(gate(b, fromInput, k, hidden));
    gates.push_back(gate(b, fromHidden, k, hidden));
  }
  if (cell == Cell::GRU) {
    gates.push_back(state[0]);
    return {b.map(gates, dtype, [](Scalars &s, ValueRange v) {
      Value reset = s.sigmoid(s.add(v[0], v[1]));
      Value update = s.sigmoid(s.add(v[2], v[3]));
      Value fresh = s.tanh(s.add(v[4], s.mul(reset, v[5])));
      return s.add(s.mul(update, s.sub(v[6], fresh)), fresh);
    })};
  }
  gates.push_back(state[1]);
  Tensor memory = b.map(gates, dtype, [](Scalars &s, ValueRange v) {
    Value in = s.sigmoid(s.add(v[0], v[1]));
    Value forget = s.sigmoid(s.add(v[2], v[3]));
    Value fresh = s.tanh(s.add(v[4], v[5]));
    return s.add(s.mul(forget, v[8]), s.mul(in, fresh));
  });
  Tensor output =
      b.map({gates[6], gates[7], memory}, dtype, [](Scalars &s, ValueRange v) {
        return s.mul(s.sigmoid(s.add(v[0], v[1])), s.tanh(v[2]));
      });
  return {output, memory};
}

/// One layer in one direction over [time, batch, input]: the outputs of all
/// steps, then the last state.
static SmallVector<Tensor> layer(Builder &b, Cell cell, const Tensor &x,
                                 ArrayRef<Tensor> start, const Weights &w,
                                 bool reverse) {
  Tensor products = affine(b, x, w.input, w.inputBias);
  ExprAttr hidden =
      cell == Cell::LSTM ? start[1].sizes.back() : start[0].sizes.back();
  return scan(
      b, {products}, 0, x.sizes[0], start, 1,
      [&](Value, ArrayRef<Tensor> part,
          ArrayRef<Tensor> state) -> SmallVector<Tensor> {
        Tensor own = affine(b, state[0], w.hidden, w.hiddenBias);
        SmallVector<Tensor> next = step(b, cell, part[0], own, state, hidden);
        if (w.projection)
          next[0] = affine(b, next[0], *w.projection, std::nullopt);
        return next;
      },
      reverse);
}

/// lstm.input(input, hx, params, has_biases, num_layers, dropout, train,
/// bidirectional, batch_first) and its like.
template <Cell cell>
static LogicalResult lowerNetwork(Node &n) {
  constexpr bool lstm = cell == Cell::LSTM;
  Builder &b = n.b;
  Tensor x = n.tensor("input");
  SmallVector<Tensor> start;
  if (lstm)
    start = n.tensors("hx");
  else
    start.push_back(n.tensor("hx"));
  SmallVector<Tensor> params = n.tensors("params");
  bool biases = n.boolean("has_biases");
  int64_t layers = n.integer("num_layers");
  double dropout = n.real("dropout");
  bool train = n.boolean("train");
  bool both = n.boolean("bidirectional");
  bool batchFirst = n.boolean("batch_first");
  if (n.failed() || !isa<FloatType>(x.dtype) || layers < 1 ||
      n.numResults() != (lstm ? 3u : 2u))
    return n.fail("the input is no sequence of floats");
  bool drops = train && dropout != 0 && layers > 1;
  if (drops && !(dropout > 0 && dropout < 1))
    return n.fail("expected a probability in [0, 1)");
  bool unbatched = x.rank() == 2;
  if (unbatched) {
    x = b.unsqueeze(x, batchFirst ? 0 : 1);
    for (Tensor &t : start)
      if (t.rank() == 2)
        t = b.unsqueeze(t, 1);
  }
  unsigned directions = both ? 2 : 1, each = biases ? 4 : 2;
  if (lstm && params.size() == size_t(layers) * directions * (each + 1))
    ++each; // projections
  if (x.rank() != 3 || params.size() != size_t(layers) * directions * each ||
      start.size() != (lstm ? 2u : 1u))
    return n.fail("the weights do not fit the layers");
  for (const Tensor &t : start)
    if (t.rank() != 3 || t.dtype != x.dtype)
      return n.fail("the state does not fit the input");
  for (const Tensor &t : params)
    if (t.dtype != x.dtype)
      return n.fail("weights of another dtype");
  if (batchFirst)
    x = b.permute(x, {1, 0, 2});
  if (x.sizes[0].getInteger() == 0)
    return n.fail("an empty sequence");
  SmallVector<SmallVector<Tensor>> last(start.size());
  for (int64_t l = 0; l < layers; ++l) {
    SmallVector<Tensor> outputs;
    for (unsigned d = 0; d < directions; ++d) {
      unsigned k = l * directions + d;
      ArrayRef<Tensor> p = ArrayRef<Tensor>(params).slice(k * each, each);
      Weights w{p[0], p[1], {}, {}, {}};
      if (biases) {
        w.inputBias = p[2];
        w.hiddenBias = p[3];
      }
      if (each % 2)
        w.projection = p.back();
      SmallVector<Tensor> state;
      for (const Tensor &t : start)
        state.push_back(b.contiguous(b.select(t, 0, b.b.getIndexAttr(k))));
      SmallVector<Tensor> r = layer(b, cell, x, state, w, d == 1);
      outputs.push_back(r[0]);
      for (unsigned i = 0; i < start.size(); ++i)
        last[i].push_back(b.unsqueeze(r[1 + i], 0));
    }
    if (both) {
      Sizes sizes(outputs[0].sizes);
      sizes[2] = ExprAttr::mul(n.context(), {sizes[2], b.expr(2)});
      x = b.concat(outputs, 2, sizes);
    } else {
      x = outputs[0];
    }
    if (drops && l + 1 < layers)
      x = dropOut(b, x, dropout);
  }
  if (batchFirst)
    x = b.permute(x, {1, 0, 2});
  if (unbatched)
    x = b.squeeze(x, batchFirst ? 0 : 1);
  if (failed(n.set(0, x)))
    return failure();
  for (auto [i, parts] : llvm::enumerate(last)) {
    Sizes sizes(parts[0].sizes);
    sizes[0] = b.expr(parts.size());
    Tensor all = parts.size() == 1 ? parts[0] : b.concat(parts, 0, sizes);
    if (unbatched)
      all = b.squeeze(all, 1);
    if (failed(n.set(1 + i, all)))
      return failure();
  }
  return success();
}

/// One step: cell(input, hx, w_ih, w_hh, b_ih, b_hh).
template <Cell cell>
static LogicalResult lowerCell(Node &n) {
  constexpr bool lstm = cell == Cell::LSTM;
  Builder &b = n.b;
  Tensor x = n.tensor("input");
  SmallVector<Tensor> state;
  if (lstm)
    state = n.tensors("hx");
  else
    state.push_back(n.tensor("hx"));
  Weights w;
  w.input = n.tensor("w_ih");
  w.hidden = n.tensor("w_hh");
  w.inputBias = n.optionalTensor("b_ih");
  w.hiddenBias = n.optionalTensor("b_hh");
  if (n.failed() || state.size() != (lstm ? 2u : 1u) || x.rank() < 1 ||
      w.input.dtype != x.dtype || !isa<FloatType>(x.dtype))
    return n.fail("the weights do not fit the input");
  bool unbatched = x.rank() == 1;
  if (unbatched) {
    x = b.unsqueeze(x, 0);
    for (Tensor &t : state)
      t = b.unsqueeze(t, 0);
  }
  ExprAttr hidden = state[0].sizes.back();
  SmallVector<Tensor> next =
      step(b, cell, affine(b, x, w.input, w.inputBias),
           affine(b, state[0], w.hidden, w.hiddenBias), state, hidden);
  for (auto [i, t] : llvm::enumerate(next))
    if (failed(n.set(i, unbatched ? b.squeeze(t, 0) : t)))
      return failure();
  return success();
}

void registerRecurrent(Registry &r) {
  r.add("aten.lstm.input", lowerNetwork<Cell::LSTM>);
  r.add("aten.gru.input", lowerNetwork<Cell::GRU>);
  r.add("aten.rnn_tanh.input", lowerNetwork<Cell::Tanh>);
  r.add("aten.rnn_relu.input", lowerNetwork<Cell::Relu>);
  r.add("aten.lstm_cell.default", lowerCell<Cell::LSTM>);
  r.add("aten.gru_cell.default", lowerCell<Cell::GRU>);
  r.add("aten.rnn_tanh_cell.default", lowerCell<Cell::Tanh>);
  r.add("aten.rnn_relu_cell.default", lowerCell<Cell::Relu>);
}

} // namespace fx::lin
