//===- MutateJson.cpp - other documents of the same kind ------------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Bytes changed at random are no JSON any more. What finds mistakes behind the
// reader is a document whose values stand in each other's places.
//
//===----------------------------------------------------------------------===//

#include "Fuzz.h"

#include <cstdint>
#include <limits>

using namespace fx::fuzz;
using llvm::json::Array;
using llvm::json::Object;
using llvm::json::Value;

static void collect(Value &value, std::vector<Value *> &all) {
  all.push_back(&value);
  if (Array *array = value.getAsArray())
    for (Value &element : *array)
      collect(element, all);
  if (Object *object = value.getAsObject())
    for (auto &[key, element] : *object)
      collect(element, all);
}

static Value getOddValue(Random &random) {
  constexpr int64_t max = std::numeric_limits<int64_t>::max();
  const Value values[] = {
      nullptr,   true,     false,       0,
      1,         -1,       2,           int64_t(1) << 31,
      max,       -max - 1, 0.5,         1e308,
      "",        "x",      "NaN",       std::string(300, 'a'),
      Array{},   Object{}, Array{1, 2}, "../x",
      "\n",      "%\"",    "s0",        "-int_oo",
      "2*s0 + 1"};
  return values[pick(random, std::size(values))];
}

static void mutateString(Value &value, Random &random) {
  std::string text = value.getAsString()->str();
  text = mutateBytes(text, 8);
  value = llvm::json::isUTF8(text) ? text : llvm::json::fixUTF8(text);
}

void fx::fuzz::mutateJson(Value &document, Random &random) {
  std::vector<Value *> all;
  collect(document, all);
  Value &target = *all[pick(random, all.size())];
  switch (pick(random, 6)) {
  case 0: // Copied first: the place may lie within what is copied.
  case 1: {
    Value other = *all[pick(random, all.size())];
    target = std::move(other);
    return;
  }
  case 2:
    target = getOddValue(random);
    return;
  case 3:
    if (target.getAsString())
      mutateString(target, random);
    else if (auto number = target.getAsInteger())
      target = Value(int64_t(uint64_t(*number) + pick(random, 5) - 2));
    return;
  case 4: // An element more, or in another place.
    if (Array *array = target.getAsArray(); array && !array->empty()) {
      Value element = (*array)[pick(random, array->size())];
      array->insert(array->begin() + pick(random, array->size() + 1), element);
    }
    return;
  default:
    if (Array *array = target.getAsArray(); array && !array->empty())
      array->erase(array->begin() + pick(random, array->size()));
    else if (Object *object = target.getAsObject(); object && !object->empty())
      object->erase(std::next(object->begin(), pick(random, object->size())));
  }
}
