//===- Main.cpp - fx-schema-gen -------------------------------------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   fx-schema-gen --table OperatorTable.inc --headers DIR schemas.txt...
//     [--other torch-2.8.diff.txt]...
//
// Runs during the build. Does not touch files whose content stays the same, so
// that a new operator recompiles only the files that use it.
//
//===----------------------------------------------------------------------===//

#include "Emit.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/WithColor.h"

using namespace fx::gen;
using llvm::StringRef;

static llvm::cl::list<std::string> inputs(llvm::cl::Positional,
                                          llvm::cl::OneOrMore,
                                          llvm::cl::desc("<schema files>"));
static llvm::cl::opt<std::string> table("table", llvm::cl::Required,
                                        llvm::cl::desc("the table to write"));
static llvm::cl::opt<std::string>
    headers("headers", llvm::cl::Required,
            llvm::cl::desc("the folder of the headers to write"));

static llvm::cl::list<std::string>
    otherFiles("other",
               llvm::cl::desc("what differs in another version of torch"));

static llvm::Error writeIfChanged(StringRef path, StringRef text) {
  auto old = llvm::MemoryBuffer::getFile(path);
  if (old && (*old)->getBuffer() == text)
    return llvm::Error::success();
  return llvm::writeToOutput(path, [&](llvm::raw_ostream &os) {
    os << text;
    return llvm::Error::success();
  });
}

/// Reads the operators of all files. Reads the version from the line
/// `# torch 2.13.0` of one of the files.
static llvm::Error readSchemas(SchemaSet &schemas) {
  std::vector<OperatorDeclaration> &operators = schemas.operators;
  llvm::StringMap<char> seen;
  for (const std::string &path : inputs) {
    auto buffer = llvm::MemoryBuffer::getFile(path);
    if (!buffer)
      return llvm::createFileError(path, buffer.getError());
    for (StringRef line : llvm::split((*buffer)->getBuffer(), '\n')) {
      if (line.consume_front("#")) {
        if (line.consume_front(" torch "))
          schemas.version = line.trim().str();
        continue;
      }
      if (line.trim().empty())
        continue;
      llvm::Expected<OperatorDeclaration> op = parseSchema(line);
      if (!op)
        return llvm::createFileError(path, op.takeError());
      if (!seen.try_emplace(op->target).second)
        return llvm::createStringError(path + ": '" + op->target +
                                       "' is defined twice");
      operators.push_back(std::move(*op));
    }
  }
  if (operators.size() >= UINT16_MAX)
    return llvm::createStringError("more operators than a bucket can number");
  return llvm::Error::success();
}

/// Reads what differs in one other version. Its file begins with the line
/// `# torch 2.8.0, as differences from torch 2.13.0`.
static llvm::Error readOther(const std::string &path, SchemaSet &schemas) {
  auto buffer = llvm::MemoryBuffer::getFile(path);
  if (!buffer)
    return llvm::createFileError(path, buffer.getError());
  auto [header, lines] = (*buffer)->getBuffer().split('\n');
  auto [version, from] = header.split(", as differences from torch ");
  if (!version.consume_front("# torch ") || from != schemas.version)
    return llvm::createStringError(
        path + ": expected '# torch VERSION, as differences from torch " +
        schemas.version + "', got '" + header + "'");
  const uint32_t bit = 1u << schemas.otherVersions.size();
  schemas.otherVersions.push_back(version.str());
  for (StringRef line : llvm::split(lines, '\n')) {
    if (line.trim().empty() || line.starts_with("#"))
      continue;
    llvm::Expected<OperatorDeclaration> op = parseSchema(line);
    if (!op)
      return llvm::createFileError(path, op.takeError());
    auto known = llvm::find_if(schemas.others, [&](const OtherSchema &other) {
      return other.op.text == op->text;
    });
    if (known != schemas.others.end())
      known->versions |= bit;
    else
      schemas.others.push_back({std::move(*op), bit});
  }
  return llvm::Error::success();
}

static llvm::Error writeHeaders(llvm::ArrayRef<OperatorDeclaration> operators) {
  llvm::MapVector<std::pair<StringRef, StringRef>, std::vector<unsigned>>
      groups;
  for (auto [i, op] : llvm::enumerate(operators))
    groups[{op.nameSpace, op.base}].push_back(i);
  const llvm::StringSet<> baseNames = getBaseNames(operators);
  for (auto &[key, indices] : groups) {
    llvm::SmallString<128> path(headers);
    llvm::sys::path::append(path, getViewNamespace(operators[indices.front()]));
    if (std::error_code code = llvm::sys::fs::create_directories(path))
      return llvm::createFileError(path, code);
    llvm::sys::path::append(path, key.second + ".h");
    std::string text;
    llvm::raw_string_ostream os(text);
    emitHeader(operators, indices, baseNames, os);
    if (llvm::Error e = writeIfChanged(path, text))
      return e;
  }
  llvm::SmallString<128> path(headers);
  llvm::sys::path::append(path, "ArgNames.h.inc");
  std::string text;
  llvm::raw_string_ostream os(text);
  emitArgumentNames(operators, os);
  return writeIfChanged(path, text);
}

int main(int argc, char **argv) {
  llvm::InitLLVM init(argc, argv);
  llvm::cl::ParseCommandLineOptions(argc, argv,
                                    "makes C++ of torch's operator schemas\n");
  auto run = [&]() -> llvm::Error {
    SchemaSet schemas;
    std::string text;
    if (llvm::Error e = readSchemas(schemas))
      return e;
    for (const std::string &path : otherFiles)
      if (llvm::Error e = readOther(path, schemas))
        return e;
    llvm::raw_string_ostream os(text);
    emitTable(schemas, os);
    if (llvm::Error e = writeIfChanged(table, text))
      return e;
    return writeHeaders(schemas.operators);
  };
  if (llvm::Error e = run()) {
    llvm::WithColor::error(llvm::errs())
        << llvm::toString(std::move(e)) << "\n";
    return 1;
  }
  return 0;
}
