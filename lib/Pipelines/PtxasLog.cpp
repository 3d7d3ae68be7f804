//===- PtxasLog.cpp - what ptxas says of kernels --------------------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PtxasLog.h"

#include "llvm/ADT/StringExtras.h"

using namespace fx;
using llvm::StringRef;

/// Maps the text that follows a number in the log ("0 bytes spill stores", "8
/// registers") to the key of the report.
static constexpr std::pair<llvm::StringLiteral, llvm::StringLiteral> kKeys[] = {
    {"bytes stack frame", "stack_bytes"},
    {"bytes spill stores", "spill_store_bytes"},
    {"bytes spill loads", "spill_load_bytes"},
    {"registers", "registers"},
    {"barriers", "barriers"},
    {"bytes smem", "shared_bytes"},
    {"bytes lmem", "local_bytes"}};

PtxasLog::Entry &PtxasLog::getEntry(StringRef kernel, StringRef chip) {
  std::vector<Entry> &list = entries[kernel];
  for (Entry &entry : list)
    if (entry.chip == chip)
      return entry;
  return list.emplace_back(Entry{chip.str(), {}, {}});
}

/// Returns the text in single quotes; empty if there is none.
static StringRef getQuoted(StringRef line) {
  return line.split('\'').second.split('\'').first;
}

/// Reads the comma-separated numbers of `line` whose keys are known. Returns
/// false if there are none.
static bool readNumbers(StringRef line, llvm::json::Object &numbers) {
  bool found = false;
  while (!line.empty()) {
    auto [field, rest] = line.split(',');
    line = rest;
    field = field.trim();
    field.consume_front("Used ");
    field.consume_front("used ");
    auto [number, what] = field.split(' ');
    int64_t value;
    if (number.getAsInteger(10, value))
      continue;
    for (auto [text, key] : kKeys)
      if (what == text) {
        numbers[key] = value;
        found = true;
      }
  }
  return found;
}

void PtxasLog::add(StringRef chip, StringRef text) {
  std::string current;
  while (!text.empty()) {
    auto [line, rest] = text.split('\n');
    text = rest;
    StringRef said = line.trim();
    // Strip "ptxas info    : ". Warnings keep their prefix.
    if (StringRef body = said; body.consume_front("ptxas info")) {
      body.consume_front(" ");
      said = body.ltrim().drop_front(body.ltrim().starts_with(":")).trim();
    }
    // Skip lines about no kernel, and times, which differ from run to run.
    if (said.empty() || said.contains("bytes gmem") ||
        said.starts_with("Compile time"))
      continue;
    if (said.starts_with("Compiling entry function")) {
      current = getQuoted(said).str();
      getEntry(current, chip);
    } else if (said.starts_with("Function properties for ")) {
      current = said.drop_front(24).str();
    } else if (!readNumbers(said, getEntry(current, chip).numbers)) {
      StringRef named = getQuoted(said);
      StringRef kernel = entries.contains(named) ? named : StringRef(current);
      getEntry(kernel, chip).remarks.push_back(said.str());
    }
  }
}

llvm::json::Array
PtxasLog::getKernels(llvm::ArrayRef<cpu::KernelDescription> kernels) const {
  auto getCode = [&](StringRef name) {
    llvm::json::Array code;
    auto it = entries.find(name);
    if (it == entries.end())
      return code;
    for (const Entry &entry : it->second) {
      llvm::json::Object object = entry.numbers;
      object["chip"] = entry.chip;
      llvm::json::Array remarks;
      for (const std::string &text : entry.remarks)
        remarks.push_back(llvm::json::fixUTF8(text));
      object["remarks"] = std::move(remarks);
      code.push_back(std::move(object));
    }
    return code;
  };
  llvm::json::Array list;
  for (const cpu::KernelDescription &kernel : kernels)
    list.push_back(
        llvm::json::Object{{"name", kernel.name},
                           {"nodes", llvm::json::fixUTF8(kernel.nodes)},
                           {"code", getCode(kernel.name)}});
  return list;
}
