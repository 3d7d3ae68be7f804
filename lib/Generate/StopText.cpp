//===- StopText.cpp - finds stop strings in a text ------------------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fx/Generate/StopText.h"

#include <algorithm>

using namespace fx;

bool StopText::append(llvm::StringRef bytes) {
  for (char byte : bytes) {
    held.push_back(byte);
    size_t longest = 0;
    for (const std::string &stop : stops)
      if (llvm::StringRef(held).ends_with(stop))
        longest = std::max(longest, stop.size());
    if (longest) {
      held.resize(held.size() - longest);
      isStopped = true;
      return true;
    }
  }
  return false;
}

/// Returns the number of bytes at the end that are the begin of a character.
static size_t countIncomplete(llvm::StringRef text) {
  for (size_t n = 1; n <= 3 && n <= text.size(); ++n) {
    auto byte = uint8_t(text[text.size() - n]);
    if ((byte & 0xC0) == 0x80)
      continue;
    size_t length = byte >= 0xF0 ? 4 : byte >= 0xE0 ? 3 : byte >= 0xC0 ? 2 : 1;
    return length > n ? n : 0;
  }
  return 0;
}

/// Returns the number of bytes at the end that are not certain.
size_t StopText::countHeld() const {
  llvm::StringRef text(held);
  size_t count = 0;
  for (const std::string &stop : stops)
    for (size_t n = std::min(stop.size() - 1, text.size()); n > count; --n)
      if (text.ends_with(llvm::StringRef(stop).take_front(n)))
        count = n;
  // What precedes the possible stop string must be whole characters as well.
  return count + countIncomplete(text.drop_back(count));
}

llvm::StringRef StopText::take(bool isLast) {
  size_t count = isLast || isStopped ? 0 : countHeld();
  taken.assign(held, 0, held.size() - count);
  held.erase(0, held.size() - count);
  return taken;
}
