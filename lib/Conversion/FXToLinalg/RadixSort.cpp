//===- RadixSort.cpp - radix sort of rows ---------------------------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Elements are mapped to unsigned integer keys of the same order; this
// vectorizes. For each byte, the lowest first, a pass counts how often each
// value of the byte occurs in the row and then moves keys and indices to their
// places. A pass is stable, compares no elements, and takes the same time for
// all data.
//
// If only the first k elements are needed, the highest bits of all keys are
// counted, and only the keys whose highest bits are not above those of the k-th
// key are sorted. If k is small, the row is divided into groups instead, and
// only the keys that are not above the k-th of the least keys of all groups are
// sorted; the others are read once, by vectors.
//
// A single element of the sorted row is found by counting: for each digit, the
// highest first, only the keys with the digit of the wanted key are kept.
//
//===----------------------------------------------------------------------===//

#include "Sorting.h"
#include "fx/Kernels/IR/KernelDialect.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;

namespace fx::lin {

static constexpr unsigned kDigitBits = 8;
static constexpr int64_t kDigits = 1 << kDigitBits;

static Value constant(OpBuilder &b, Location loc, Type type, const APInt &v) {
  return arith::ConstantOp::create(b, loc, b.getIntegerAttr(type, v));
}

/// Returns an integer key whose unsigned order is the order of `x` (the reverse
/// if `descending`). All NaNs have one key, above all numbers; both zeros have
/// one key.
static Value getKey(OpBuilder &b, Location loc, Value x, Type dtype,
                    bool isUnsigned, bool descending) {
  unsigned bits = std::max(dtype.getIntOrFloatBitWidth(), 8u);
  Type type = b.getIntegerType(bits);
  Value sign = constant(b, loc, type, APInt::getSignMask(bits)), key;
  if (isa<FloatType>(dtype)) {
    Value zero = arith::ConstantOp::create(b, loc, b.getZeroAttr(dtype));
    Value isZero =
        arith::CmpFOp::create(b, loc, arith::CmpFPredicate::OEQ, x, zero);
    Value isNan =
        arith::CmpFOp::create(b, loc, arith::CmpFPredicate::UNO, x, x);
    Value nan = arith::ConstantOp::create(
        b, loc,
        b.getFloatAttr(dtype, APFloat::getNaN(
                                  cast<FloatType>(dtype).getFloatSemantics())));
    x = arith::SelectOp::create(b, loc, isZero, zero, x);
    x = arith::SelectOp::create(b, loc, isNan, nan, x);
    key = arith::BitcastOp::create(b, loc, type, x);
    // Invert all bits of negative numbers and the sign bit of the others.
    Value shift = constant(b, loc, type, APInt(bits, bits - 1));
    Value spread = arith::ShRSIOp::create(b, loc, key, shift);
    key = arith::XOrIOp::create(b, loc, key,
                                arith::OrIOp::create(b, loc, spread, sign));
  } else if (dtype.isInteger(1)) {
    key = arith::ExtUIOp::create(b, loc, type, x);
  } else {
    key = isUnsigned ? x : arith::XOrIOp::create(b, loc, x, sign).getResult();
  }
  if (descending)
    key = arith::XOrIOp::create(
        b, loc, key, constant(b, loc, type, APInt::getAllOnes(bits)));
  return key;
}

namespace {
/// Keys and the indices of their elements in the row. Only the first `count`
/// are valid.
struct Items {
  Value keys, indices, count;
};

/// Builds the code that sorts one row, of `length` elements.
struct Row {
  Builder &b;
  Type keyType;
  Value length, zero, one;

  Value empty(Type type) {
    return tensor::EmptyOp::create(
        b.b, b.loc, ArrayRef<OpFoldResult>{getAsOpFoldResult(length)}, type);
  }
  /// Returns the `numBits` bits of `key` from bit `shift` up, as an index.
  Value digit(Value key, unsigned shift, unsigned numBits = kDigitBits) {
    unsigned bits = keyType.getIntOrFloatBitWidth();
    key = arith::ShRUIOp::create(
        b.b, b.loc, key, constant(b.b, b.loc, keyType, APInt(bits, shift)));
    if (shift + numBits < bits)
      key = arith::AndIOp::create(
          b.b, b.loc, key,
          constant(b.b, b.loc, keyType, APInt::getLowBitsSet(bits, numBits)));
    return arith::IndexCastUIOp::create(b.b, b.loc, b.b.getIndexType(), key);
  }
  Value get(Value tensor, Value i) {
    return tensor::ExtractOp::create(b.b, b.loc, tensor, i);
  }
  Value put(Value element, Value tensor, Value i) {
    return tensor::InsertOp::create(b.b, b.loc, element, tensor, i);
  }
  Value add(Value x, Value y) {
    return arith::AddIOp::create(b.b, b.loc, x, y);
  }
  /// Builds a loop from 0 to `end` that carries `init`; returns its results.
  SmallVector<Value>
  loop(Value end, ValueRange init,
       function_ref<SmallVector<Value>(Value, ValueRange)> body) {
    auto op = scf::ForOp::create(b.b, b.loc, zero, end, one, init);
    OpBuilder::InsertionGuard guard(b.b);
    b.b.setInsertionPointToStart(op.getBody());
    scf::YieldOp::create(b.b, b.loc,
                         body(op.getInductionVar(), op.getRegionIterArgs()));
    return llvm::to_vector_of<Value>(op.getResults());
  }
  /// Counts how often each value of the digit at `shift` occurs in the first
  /// `end` keys.
  Value count(Value keys, Value end, unsigned shift, unsigned numBits);
  Items pass(Items from, unsigned shift);
  Items all(Value keys);
  Items first(Value keys, Value k, unsigned numBits);
  Items below(const struct Groups &groups, Value x, Value row);
  Value find(Value keys, Value place);

private:
  /// The keys that are chosen so far, their indices and their number.
  SmallVector<Value> begin() {
    return {empty(keyType), empty(b.b.getI64Type()), zero};
  }
  /// Chooses a key if `isWanted`. Every key is written; the next one overwrites
  /// it unless it is wanted.
  SmallVector<Value> choose(ValueRange chosen, Value key, Value index,
                            Value isWanted) {
    Value more =
        arith::IndexCastUIOp::create(b.b, b.loc, b.b.getIndexType(), isWanted);
    return {put(key, chosen[0], chosen[2]), put(index, chosen[1], chosen[2]),
            add(chosen[2], more)};
  }
  Value compare(arith::CmpIPredicate predicate, Value x, Value y) {
    return arith::CmpIOp::create(b.b, b.loc, predicate, x, y);
  }
  Value toI64(Value index) {
    return arith::IndexCastOp::create(b.b, b.loc, b.b.getI64Type(), index);
  }
};

/// The groups of the elements of each row.
struct Groups {
  int64_t size = 0, number = 0;
  Tensor least; ///< the least key of each group
  Tensor limit; ///< the k-th one of them in each row
  llvm::function_ref<Value(OpBuilder &, Value)> key;
};
} // namespace

Value Row::count(Value keys, Value end, unsigned shift, unsigned numBits) {
  int64_t digits = int64_t(1) << numBits;
  Value counts = tensor::EmptyOp::create(b.b, b.loc, ArrayRef<int64_t>{digits},
                                         b.b.getIndexType());
  counts = loop(b.index(digits), counts, [&](Value i, ValueRange c) {
    return SmallVector<Value>{put(zero, c[0], i)};
  })[0];
  return loop(end, counts, [&](Value i, ValueRange c) {
    Value d = digit(get(keys, i), shift, numBits);
    return SmallVector<Value>{put(add(get(c[0], d), one), c[0], d)};
  })[0];
}

/// Sorts stably by the byte at `shift`.
Items Row::pass(Items from, unsigned shift) {
  Value counts = count(from.keys, from.count, shift, kDigitBits);
  // Exclusive prefix sum: where the keys with each digit begin.
  counts = loop(b.index(kDigits), {counts, zero}, [&](Value i, ValueRange c) {
    Value n = get(c[0], i);
    return SmallVector<Value>{put(c[1], c[0], i), add(c[1], n)};
  })[0];
  SmallVector<Value> moved =
      loop(from.count, {empty(keyType), empty(b.b.getI64Type()), counts},
           [&](Value i, ValueRange c) {
             Value key = get(from.keys, i), d = digit(key, shift);
             Value place = get(c[2], d);
             return SmallVector<Value>{put(key, c[0], place),
                                       put(get(from.indices, i), c[1], place),
                                       put(add(place, one), c[2], d)};
           });
  return {moved[0], moved[1], from.count};
}

/// Returns all keys of the row with their indices.
Items Row::all(Value keys) {
  Type i64 = b.b.getI64Type();
  Value indices = loop(length, empty(i64), [&](Value i, ValueRange c) {
    Value number = arith::IndexCastOp::create(b.b, b.loc, i64, i);
    return SmallVector<Value>{put(number, c[0], i)};
  })[0];
  return {keys, indices, length};
}

/// Returns the keys whose highest `numBits` bits are not above those of the
/// `k`-th smallest key, in the order of the row.
Items Row::first(Value keys, Value k, unsigned numBits) {
  unsigned shift = keyType.getIntOrFloatBitWidth() - numBits;
  Value counts = count(keys, length, shift, numBits);
  // The digit of the k-th key: the number of digits d such that fewer than k
  // keys have a digit of at most d.
  Value last = loop(b.index(int64_t(1) << numBits), {zero, zero},
                    [&](Value i, ValueRange c) {
                      Value sum = add(c[0], get(counts, i));
                      Value isBelow = arith::CmpIOp::create(
                          b.b, b.loc, arith::CmpIPredicate::ult, sum, k);
                      Value more = arith::IndexCastUIOp::create(
                          b.b, b.loc, b.b.getIndexType(), isBelow);
                      return SmallVector<Value>{sum, add(c[1], more)};
                    })[1];
  SmallVector<Value> chosen = loop(length, begin(), [&](Value i, ValueRange c) {
    Value key = get(keys, i);
    return choose(
        c, key, toI64(i),
        compare(arith::CmpIPredicate::ule, digit(key, shift, numBits), last));
  });
  return {chosen[0], chosen[1], chosen[2]};
}

/// Returns the keys of row `row` of `x` that are not above the limit of
/// `groups`, in the order of the row.
Items Row::below(const Groups &groups, Value x, Value row) {
  auto at = [&](const Tensor &t, Value i) -> Value {
    return tensor::ExtractOp::create(b.b, b.loc, t.value, ValueRange{row, i});
  };
  Value limit = at(groups.limit, zero), size = b.index(groups.size);
  auto consider = [&](Value i, ValueRange c) {
    Value element =
        tensor::ExtractOp::create(b.b, b.loc, x, ValueRange{row, i});
    Value key = groups.key(b.b, element);
    return choose(c, key, toI64(i),
                  compare(arith::CmpIPredicate::ule, key, limit));
  };
  SmallVector<Value> chosen =
      loop(b.index(groups.number), begin(), [&](Value group, ValueRange c) {
        Value has =
            compare(arith::CmpIPredicate::ule, at(groups.least, group), limit);
        Value end = arith::SelectOp::create(b.b, b.loc, has, size, zero);
        Value start = arith::MulIOp::create(b.b, b.loc, group, size);
        return loop(end, c, [&](Value i, ValueRange c) {
          return consider(add(start, i), c);
        });
      });
  // The elements after the groups.
  Value start = b.index(groups.size * groups.number);
  Value rest = arith::SubIOp::create(b.b, b.loc, length, start);
  chosen = loop(rest, chosen, [&](Value i, ValueRange c) {
    return consider(add(start, i), c);
  });
  return {chosen[0], chosen[1], chosen[2]};
}

/// Returns the index in the row of the key at `place` of the sorted row.
Value Row::find(Value keys, Value place) {
  unsigned bits = keyType.getIntOrFloatBitWidth(), shift = bits;
  Items items{keys, Value(), length};
  while (shift) {
    unsigned numBits = llvm::divideCeil(shift, llvm::divideCeil(shift, 11));
    shift -= numBits;
    Value counts = count(items.keys, items.count, shift, numBits);
    // The digit of the key is the number of digits up to which there are at
    // most `place` keys.
    SmallVector<Value> found =
        loop(b.index(int64_t(1) << numBits), {zero, zero, zero},
             [&](Value i, ValueRange c) {
               Value sum = add(c[0], get(counts, i));
               Value isBelow = compare(arith::CmpIPredicate::ule, sum, place);
               Value more = arith::IndexCastUIOp::create(
                   b.b, b.loc, b.b.getIndexType(), isBelow);
               return SmallVector<Value>{
                   sum, add(c[1], more),
                   arith::SelectOp::create(b.b, b.loc, isBelow, sum, c[2])};
             });
    place = arith::SubIOp::create(b.b, b.loc, place, found[2]);
    SmallVector<Value> kept =
        loop(items.count, begin(), [&](Value i, ValueRange c) {
          Value key = get(items.keys, i);
          Value index = items.indices ? get(items.indices, i) : toI64(i);
          return choose(c, key, index,
                        compare(arith::CmpIPredicate::eq,
                                digit(key, shift, numBits), found[1]));
        });
    items = {kept[0], kept[1], kept[2]};
  }
  return get(items.indices, place);
}

/// Divides rows of `length` elements into groups for the first `k`. Returns no
/// groups if they do not pay.
static Groups divide(Builder &b, const Tensor &x, Type keyType, ExprAttr k,
                     llvm::function_ref<Value(OpBuilder &, Value)> getKey) {
  constexpr int64_t most = kernel::SortOp::kMaxLength;
  Groups groups;
  std::optional<int64_t> n = x.sizes[1].getInteger(), wanted = k.getInteger();
  unsigned bits = keyType.getIntOrFloatBitWidth();
  if (!n || !wanted || bits > 32 || *n <= most || *wanted * 128 > *n)
    return groups;
  int64_t size =
      std::max<int64_t>(llvm::bit_floor<uint64_t>(*n / (*wanted * 8)),
                        llvm::PowerOf2Ceil(llvm::divideCeil(*n, most)));
  if (*n / size < 4 * *wanted)
    return groups;
  groups.size = size;
  groups.number = *n / size;
  groups.key = getKey;
  Tensor part =
      b.slice(x, 1, b.expr(0), b.expr(size * groups.number), b.expr(1));
  part = b.split(part, 1, {b.expr(groups.number), b.expr(size)});
  Type order = IntegerType::get(b.context(), bits, IntegerType::Unsigned);
  Tensor keys = b.indexed(
      {part}, part.sizes, order, Type(),
      [&](Scalars &s, ValueRange v, ArrayRef<Value>) {
        return getKey(s.b, v[0]);
      },
      order);
  groups.least = b.contiguous(b.reduce(
      keys, {2}, false, order, [](Scalars &s) { return s.highest(); },
      [](Scalars &s, Value a, Value v) { return s.min(a, v); }));
  Sizes found{x.sizes[0], k};
  auto sort = kernel::SortOp::create(
      b.b, b.loc, groups.least.value, b.empty(found, order),
      b.empty(found, b.b.getI64Type()), /*descending=*/false,
      /*isUnsigned=*/true);
  groups.limit =
      b.contiguous(b.slice(Tensor(sort.getSorted(), found, order), 1,
                           b.expr(*wanted - 1), b.expr(1), b.expr(1)));
  return groups;
}

/// Returns the number of bits that `Row::first` counts to find `k` of `length`
/// elements; 0 if sorting the whole row is faster.
static unsigned numSelectedBits(unsigned bits, ExprAttr length, ExprAttr k) {
  std::optional<int64_t> n = length.getInteger(), first = k.getInteger();
  if (n && (*n < 512 || (first && *first > *n / 4)))
    return 0;
  // Clearing and summing the counts is work for each row, so a short row has
  // fewer of them.
  return std::min(bits, n && *n < 4096 ? 9u : 11u);
}

/// Returns `x` as a matrix of its rows.
static Tensor toMatrix(Builder &b, const Tensor &x) {
  return b.contiguous(b.reshape(
      x, {b.product(ArrayRef<ExprAttr>(x.sizes).drop_back()), x.sizes.back()}));
}

static Type getKeyType(Builder &b, const Tensor &x) {
  return b.b.getIntegerType(std::max(x.dtype.getIntOrFloatBitWidth(), 8u));
}

static Tensor
computeKeys(Builder &b, const Tensor &x,
            llvm::function_ref<Value(OpBuilder &, Value)> getKey) {
  Type type = getKeyType(b, x);
  return b.contiguous(b.indexed(
      {x}, x.sizes, type, Type(),
      [&](Scalars &s, ValueRange v, ArrayRef<Value>) {
        return getKey(s.b, v[0]);
      },
      type));
}

Tensor radixFind(Builder &b, const Tensor &x, const Tensor &place) {
  Type i64 = b.b.getI64Type();
  Tensor flat = toMatrix(b, x);
  bool isUnsigned = Scalars(b.b, b.loc, x.dtype).isUnsigned();
  Tensor keys = computeKeys(b, flat, [&](OpBuilder &at, Value v) {
    return getKey(at, b.loc, v, x.dtype, isUnsigned, /*descending=*/false);
  });
  Sizes rows{flat.sizes[0]};
  Value places = b.materialize(b.reshape(place, rows));
  Row row{b, getKeyType(b, x), b.index(flat.sizes[1]), b.index(0), b.index(1)};
  Value found = row.loop(
      b.index(rows[0]), b.empty(rows, i64), [&](Value r, ValueRange carried) {
        Value line = b.materialize(b.select(keys, 0, r));
        Value at = arith::IndexCastOp::create(b.b, b.loc, b.b.getIndexType(),
                                              row.get(places, r));
        return SmallVector<Value>{row.put(row.find(line, at), carried[0], r)};
      })[0];
  return b.reshape(Tensor(found, rows, i64), place.sizes);
}

Tensor radixOrder(Builder &b, const Tensor &x, bool descending, ExprAttr k,
                  bool rowKernels) {
  Type i64 = b.b.getI64Type(), dtype = x.dtype, keyType = getKeyType(b, x);
  unsigned bits = keyType.getIntOrFloatBitWidth();
  Tensor flat = toMatrix(b, x);
  ArrayRef<ExprAttr> rows(flat.sizes);
  bool isUnsigned = Scalars(b.b, b.loc, dtype).isUnsigned();
  auto key = [&](OpBuilder &at, Value v) {
    return getKey(at, b.loc, v, dtype, isUnsigned, descending);
  };
  Groups groups;
  if (rowKernels)
    groups = divide(b, flat, keyType, k, key);
  Tensor keys;
  if (!groups.size)
    keys = computeKeys(b, flat, key);
  Sizes shape(x.sizes), found{rows[0], k};
  shape.back() = k;
  unsigned selected = numSelectedBits(bits, rows[1], k);
  Row row{b, keyType, b.index(rows[1]), b.index(0), b.index(1)};
  Value wanted = b.index(k);
  Value all = row.loop(
      b.index(rows[0]), b.empty(found, i64), [&](Value r, ValueRange carried) {
        Items items;
        if (groups.size) {
          items = row.below(groups, flat.value, r);
        } else {
          Value line = b.materialize(b.select(keys, 0, r));
          items = selected ? row.first(line, wanted, selected) : row.all(line);
        }
        for (unsigned shift = 0; shift < bits; shift += kDigitBits)
          items = row.pass(items, shift);
        SmallVector<OpFoldResult> first{b.b.getIndexAttr(0)},
            sizes{getAsOpFoldResult(wanted)}, strides(2, b.b.getIndexAttr(1));
        Value part = items.indices;
        if (k != rows[1])
          part = tensor::ExtractSliceOp::create(
              b.b, b.loc, part, first, sizes,
              ArrayRef<OpFoldResult>(strides).drop_back());
        return SmallVector<Value>{tensor::InsertSliceOp::create(
            b.b, b.loc, part, carried[0],
            SmallVector<OpFoldResult>{r, b.b.getIndexAttr(0)},
            SmallVector<OpFoldResult>{b.b.getIndexAttr(1), sizes[0]}, strides)};
      })[0];
  return b.reshape(Tensor(all, found, i64), shape);
}

} // namespace fx::lin
