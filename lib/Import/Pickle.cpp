//===- Pickle.cpp - reads Python's pickles as data ------------------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The instructions are those of Python's pickletools, up to protocol 2, which
// torch.save uses.
//
//===----------------------------------------------------------------------===//

#include "Pickle.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Support/Endian.h"

using namespace llvm;
using namespace fx;

class Pickle::Reader {
  using Kind = PickleValue::Kind;

public:
  Reader(Pickle &pickle, StringRef bytes) : pickle(pickle), bytes(bytes) {}

  Error run() {
    while (true) {
      start = at;
      StringRef code = take(1);
      if (!isGood)
        return fail();
      if (code[0] == '.')
        break;
      step(static_cast<unsigned char>(code[0]));
      if (!isGood)
        return fail();
    }
    pickle.root = pop();
    return isGood && stack.empty() ? Error::success() : fail();
  }

private:
  Error fail() {
    return createStringError("expected a pickle of a dict of tensors, got " +
                             (why.empty() ? "a damaged one" : why) +
                             " at byte " + Twine(start));
  }
  void refuse(const Twine &reason) {
    if (isGood)
      why = reason.str();
    isGood = false;
  }

  // Bytes.
  StringRef take(uint64_t size) {
    if (!isGood || bytes.size() - at < size) {
      isGood = false;
      return "\0\0\0\0\0\0\0";
    }
    StringRef result = bytes.substr(at, size);
    at += size;
    return result;
  }
  template <typename T>
  T number() {
    return support::endian::read<T, endianness::little>(take(sizeof(T)).data());
  }
  StringRef line() {
    size_t end = bytes.find('\n', at);
    if (end == StringRef::npos) {
      isGood = false;
      return "";
    }
    StringRef result = bytes.slice(at, end);
    at = end + 1;
    return result;
  }

  // The stack. Entries of null are marks.
  PickleValue &push(Kind kind) {
    PickleValue &value = pickle.values.emplace_back();
    value.kind = kind;
    stack.push_back(&value);
    return value;
  }
  void pushInteger(int64_t integer) { push(Kind::Int).integer = integer; }
  PickleValue *pop() {
    if (stack.empty() || !stack.back()) {
      isGood = false;
      return &pickle.values.emplace_back();
    }
    return stack.pop_back_val();
  }
  /// Removes all values down to the mark, and the mark.
  std::vector<const PickleValue *> popMarked() {
    auto mark = find(reverse(stack), nullptr);
    if (mark == stack.rend()) {
      isGood = false;
      return {};
    }
    std::vector<const PickleValue *> values(mark.base(), stack.end());
    stack.erase(std::prev(mark.base()), stack.end());
    return values;
  }
  void pushTuple(std::vector<const PickleValue *> elements) {
    push(Kind::Sequence).elements = std::move(elements);
  }
  /// Adds elements to the list or dict on top of the stack.
  void extend(Kind kind, ArrayRef<const PickleValue *> elements) {
    PickleValue *top = pop();
    if (top->kind != kind)
      return refuse("elements of a value that is no container");
    if (kind == Kind::Dict && elements.size() % 2)
      return refuse("a key without a value");
    append_range(top->elements, elements);
    stack.push_back(top);
  }
  void remember(uint32_t index) {
    if (PickleValue *top = pop(); isGood) {
      memo[index] = top;
      stack.push_back(top);
    }
  }
  void recall(uint32_t index) {
    PickleValue *value = memo.lookup(index);
    if (!value)
      return refuse("an unknown value");
    stack.push_back(value);
  }

  void call();
  void longInteger(StringRef digits);
  void step(unsigned char code);

  Pickle &pickle;
  StringRef bytes;
  size_t at = 0, start = 0;
  bool isGood = true;
  std::string why;
  SmallVector<PickleValue *> stack;
  /// By numbers of 32 bits. A map has two keys that it cannot hold, so its own
  /// are wider.
  DenseMap<uint64_t, PickleValue *> memo;
};

void Pickle::Reader::call() {
  const PickleValue *arguments = pop(), *callee = pop();
  if (!isGood || callee->kind != Kind::Global ||
      arguments->kind != Kind::Sequence)
    return refuse("a call of no function");
  // An empty dict may be extended later.
  if (callee->isGlobal("collections OrderedDict") &&
      arguments->elements.empty()) {
    push(Kind::Dict);
    return;
  }
  push(Kind::Call).elements = {callee, arguments};
}

void Pickle::Reader::longInteger(StringRef digits) {
  if (digits.size() > 8)
    return refuse("an integer of more than 64 bits");
  uint64_t value = 0;
  for (char digit : reverse(digits))
    value = value << 8 | static_cast<unsigned char>(digit);
  unsigned unused = 64 - 8 * digits.size();
  pushInteger(digits.empty() ? 0 : int64_t(value << unused) >> unused);
}

void Pickle::Reader::step(unsigned char code) {
  switch (code) {
  case 0x80: // PROTO
    if (number<uint8_t>() > 2)
      refuse("one of a newer protocol than 2");
    return;
  case '(': // MARK
    stack.push_back(nullptr);
    return;
  case 'N': // NONE
    push(Kind::None);
    return;
  case 0x88: // NEWTRUE
  case 0x89: // NEWFALSE
    push(Kind::Bool).integer = code == 0x88;
    return;
  case 'J': // BININT
    return pushInteger(number<int32_t>());
  case 'K': // BININT1
    return pushInteger(number<uint8_t>());
  case 'M': // BININT2
    return pushInteger(number<uint16_t>());
  case 0x8a: // LONG1
    return longInteger(take(number<uint8_t>()));
  case 'X': { // BINUNICODE
    StringRef text = take(number<uint32_t>());
    push(Kind::String).text = text;
    return;
  }
  case ')': // EMPTY_TUPLE
  case ']': // EMPTY_LIST
    return pushTuple({});
  case '}': // EMPTY_DICT
    push(Kind::Dict);
    return;
  case 0x85:   // TUPLE1
  case 0x86:   // TUPLE2
  case 0x87: { // TUPLE3
    std::vector<const PickleValue *> elements(code - 0x84);
    for (const PickleValue *&element : reverse(elements))
      element = pop();
    return pushTuple(std::move(elements));
  }
  case 't': // TUPLE
    return pushTuple(popMarked());
  case 'a': // APPEND
    return extend(Kind::Sequence, {pop()});
  case 'e': // APPENDS
    return extend(Kind::Sequence, popMarked());
  case 's': { // SETITEM
    const PickleValue *value = pop(), *key = pop();
    return extend(Kind::Dict, {key, value});
  }
  case 'u': // SETITEMS
    return extend(Kind::Dict, popMarked());
  case 'q': // BINPUT
    return remember(number<uint8_t>());
  case 'r': // LONG_BINPUT
    return remember(number<uint32_t>());
  case 'h': // BINGET
    return recall(number<uint8_t>());
  case 'j': // LONG_BINGET
    return recall(number<uint32_t>());
  case 'c': { // GLOBAL
    StringRef module = line(), name = line();
    push(Kind::Global).text =
        pickle.names.emplace_back((module + " " + name).str());
    return;
  }
  case 'Q': { // BINPERSID
    const PickleValue *id = pop();
    push(Kind::Persistent).elements = {id};
    return;
  }
  case 'R':  // REDUCE
  case 0x81: // NEWOBJ
    return call();
  case 'b': // BUILD: the attributes of an object, or those of a state_dict
    pop();
    return;
  default:
    return refuse("instruction 0x" + utohexstr(code));
  }
}

std::vector<StringRef> Pickle::getGlobals() const {
  std::vector<StringRef> globals;
  for (const PickleValue &value : values)
    if (value.kind == PickleValue::Kind::Global)
      globals.push_back(value.text);
  return globals;
}

Expected<Pickle> Pickle::read(StringRef bytes) {
  Pickle pickle;
  if (Error e = Reader(pickle, bytes).run())
    return std::move(e);
  return std::move(pickle);
}
