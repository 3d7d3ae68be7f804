//===- Recurrent.cpp - LSTM, GRU and plain recurrent networks -------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One matmul before the loop over the time steps multiplies the inputs of all
// steps by the weights; only the matmuls with the hidden state are in the loop.
// The formulas are those of torch.nn.LSTM, GRU and RNN.
//
//===----------------------------------------------------------------------===//

#include "NodeLowering.h"
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

/// Returns [rows..., k] x [n, k]^T [+ bias].
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

/// Returns gate `k` of [batch, gates * hidden].
static Tensor gate(Builder &b, const Tensor &t, unsigned k, ExprAttr hidden) {
  ExprAttr start = ExprAttr::mul(b.context(), {hidden, b.expr(k)});
  return b.slice(t, t.rank() - 1, start, hidden, b.expr(1));
}

/// Returns the next state from the matmuls with the input and with the hidden
/// state, [batch, gates * hidden]. The state is the hidden state and, for an
/// LSTM, the cell state.
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

/// Applies one layer in one direction to `x`, [time, batch, input]. Returns the
/// outputs of all steps, then the last state.
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

namespace {
/// The operands of a recurrent network.
struct Network {
  Cell cell;
  Tensor input;              ///< [time, batch, input]
  SmallVector<Tensor> start; ///< states: [layers * directions, batch, hidden]
  SmallVector<Tensor> params;
  bool biases = false;
  int64_t layers = 0;
  double dropout = 0;
  bool drops = false; ///< whether dropout is applied between the layers
  unsigned directions = 1;
  unsigned numParams = 0; ///< for each layer and direction
  bool batchFirst = false;
  bool unbatched = false;
};
} // namespace

/// Reads the arguments into `net`, with the shapes that the operator takes.
static LogicalResult readNetwork(NodeLowering &n, Network &net) {
  bool lstm = net.cell == Cell::LSTM;
  net.input = n.tensor("input");
  if (lstm)
    net.start = n.tensors("hx");
  else
    net.start.push_back(n.tensor("hx"));
  net.params = n.tensors("params");
  net.biases = n.boolean("has_biases");
  net.layers = n.integer("num_layers");
  net.dropout = n.real("dropout");
  bool train = n.boolean("train");
  net.directions = n.boolean("bidirectional") ? 2 : 1;
  net.batchFirst = n.boolean("batch_first");
  if (n.failed() || !isa<FloatType>(net.input.dtype) || net.layers < 1 ||
      n.numResults() != (lstm ? 3u : 2u))
    return n.fail("the input is no sequence of floats");
  net.drops = train && net.dropout != 0 && net.layers > 1;
  if (net.drops && !(net.dropout > 0 && net.dropout < 1))
    return n.fail("expected a probability in [0, 1)");
  return success();
}

/// Checks the shapes of the operands and converts them to the shapes that
/// `Network` documents.
static LogicalResult arrangeOperands(NodeLowering &n, Network &net) {
  Builder &b = n.b;
  bool lstm = net.cell == Cell::LSTM;
  net.unbatched = net.input.rank() == 2;
  if (net.unbatched) {
    net.input = b.unsqueeze(net.input, net.batchFirst ? 0 : 1);
    for (Tensor &t : net.start)
      if (t.rank() == 2)
        t = b.unsqueeze(t, 1);
  }
  net.numParams = net.biases ? 4 : 2;
  size_t count = size_t(net.layers) * net.directions;
  if (lstm && net.params.size() == count * (net.numParams + 1))
    ++net.numParams; // projections
  if (net.input.rank() != 3 || net.params.size() != count * net.numParams ||
      net.start.size() != (lstm ? 2u : 1u))
    return n.fail("the weights do not fit the layers");
  for (const Tensor &t : net.start)
    if (t.rank() != 3 || t.dtype != net.input.dtype)
      return n.fail("the state does not fit the input");
  for (const Tensor &t : net.params)
    if (t.dtype != net.input.dtype)
      return n.fail("weights of another dtype");
  if (net.batchFirst)
    net.input = b.permute(net.input, {1, 0, 2});
  if (net.input.sizes[0].getInteger() == 0)
    return n.fail("an empty sequence");
  return success();
}

/// Returns the weights number `k`, in the order of layers and then directions.
static Weights weightsOf(const Network &net, unsigned k) {
  ArrayRef<Tensor> p =
      ArrayRef<Tensor>(net.params).slice(k * net.numParams, net.numParams);
  Weights w{p[0], p[1], {}, {}, {}};
  if (net.biases) {
    w.inputBias = p[2];
    w.hiddenBias = p[3];
  }
  if (net.numParams % 2)
    w.projection = p.back();
  return w;
}

/// Applies layer `l` to `x` in all directions and returns the outputs of all
/// steps. Appends the last states to `last`, which has a list for each kind of
/// state.
static Tensor runDirections(Builder &b, const Network &net, int64_t l,
                            const Tensor &x,
                            MutableArrayRef<SmallVector<Tensor>> last) {
  SmallVector<Tensor> outputs;
  for (unsigned d = 0; d < net.directions; ++d) {
    unsigned k = l * net.directions + d;
    Weights w = weightsOf(net, k);
    SmallVector<Tensor> state;
    for (const Tensor &t : net.start)
      state.push_back(b.contiguous(b.select(t, 0, b.b.getIndexAttr(k))));
    SmallVector<Tensor> r = layer(b, net.cell, x, state, w, d == 1);
    outputs.push_back(r[0]);
    for (unsigned i = 0; i < net.start.size(); ++i)
      last[i].push_back(b.unsqueeze(r[1 + i], 0));
  }
  if (net.directions == 1)
    return outputs[0];
  Sizes sizes(outputs[0].sizes);
  sizes[2] = ExprAttr::mul(b.context(), {sizes[2], b.expr(2)});
  return b.concat(outputs, 2, sizes);
}

/// Sets the results: the outputs of the last layer, then the last states.
static LogicalResult setResults(NodeLowering &n, const Network &net, Tensor x,
                                ArrayRef<SmallVector<Tensor>> last) {
  Builder &b = n.b;
  if (net.batchFirst)
    x = b.permute(x, {1, 0, 2});
  if (net.unbatched)
    x = b.squeeze(x, net.batchFirst ? 0 : 1);
  if (failed(n.set(0, x)))
    return failure();
  for (auto [i, parts] : llvm::enumerate(last)) {
    Sizes sizes(parts[0].sizes);
    sizes[0] = b.expr(parts.size());
    Tensor all = parts.size() == 1 ? parts[0] : b.concat(parts, 0, sizes);
    if (net.unbatched)
      all = b.squeeze(all, 1);
    if (failed(n.set(1 + i, all)))
      return failure();
  }
  return success();
}

/// Lowers lstm.input(input, hx, params, has_biases, num_layers, dropout, train,
/// bidirectional, batch_first) and the same forms of gru, rnn_tanh and
/// rnn_relu.
template <Cell cell>
static LogicalResult lowerNetwork(NodeLowering &n) {
  Network net;
  net.cell = cell;
  if (failed(readNetwork(n, net)) || failed(arrangeOperands(n, net)))
    return failure();
  Tensor x = net.input;
  SmallVector<SmallVector<Tensor>> last(net.start.size());
  for (int64_t l = 0; l < net.layers; ++l) {
    x = runDirections(n.b, net, l, x, last);
    if (net.drops && l + 1 < net.layers)
      x = dropOut(n.b, x, net.dropout);
  }
  return setResults(n, net, x, last);
}

/// Lowers one step: lstm_cell(input, hx, w_ih, w_hh, b_ih, b_hh) and the same
/// forms of the other cells.
template <Cell cell>
static LogicalResult lowerCell(NodeLowering &n) {
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
