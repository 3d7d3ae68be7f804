//===- PTX.cpp - machine code by ptxas ------------------------------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fx/CodeGen/GPU/Device.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Program.h"

std::string fx::nvvm::findPtxas() {
  if (const char *path = getenv("FX_PTXAS"))
    return path;
  llvm::SmallVector<std::string> places;
  if (const char *home = getenv("CUDA_HOME"))
    places.push_back(std::string(home) + "/bin/ptxas");
  if (auto found = llvm::sys::findProgramByName("ptxas"))
    places.push_back(*found);
  places.push_back("/usr/local/cuda/bin/ptxas");
  for (const std::string &place : places)
    if (llvm::sys::fs::can_execute(place))
      return place;
  return "";
}

llvm::Error fx::nvvm::checkPtxas(bool isNeeded) {
  std::string path = findPtxas();
  if (path.empty())
    return isNeeded ? llvm::createStringError(
                          "machine code needs ptxas of a CUDA toolkit, which "
                          "was not found: set FX_PTXAS or CUDA_HOME")
                    : llvm::Error::success();
  if (std::error_code ec =
          llvm::sys::fs::access(path, llvm::sys::fs::AccessMode::Execute))
    return llvm::createStringError(
        "FX_PTXAS: expected a program that can be executed, got '" + path +
        "': " + ec.message());
  return llvm::Error::success();
}

namespace {
/// A temporary file that the destructor removes.
struct TemporaryFile {
  llvm::SmallString<128> path;
  std::error_code create(llvm::StringRef suffix) {
    return llvm::sys::fs::createTemporaryFile("fx", suffix, path);
  }
  ~TemporaryFile() {
    if (!path.empty())
      llvm::sys::fs::remove(path);
  }
};
} // namespace

static std::string readAll(llvm::StringRef path) {
  auto buffer = llvm::MemoryBuffer::getFile(path);
  return buffer ? (*buffer)->getBuffer().str() : "";
}

llvm::Expected<std::string> fx::nvvm::assemble(llvm::StringRef ptx,
                                               llvm::StringRef chip,
                                               std::string *log) {
  if (llvm::Error e = checkPtxas(/*isNeeded=*/true))
    return std::move(e);
  std::string ptxas = findPtxas();
  TemporaryFile in, out, messages;
  if (in.create("ptx") || out.create("cubin") || messages.create("log"))
    return llvm::createStringError("cannot make a temporary file");
  std::error_code ec;
  llvm::raw_fd_ostream os(in.path, ec);
  os << ptx;
  os.close();
  if (ec || os.has_error())
    return llvm::createStringError("cannot write a temporary file");
  std::string arch = "-arch=" + chip.str();
  std::optional<llvm::StringRef> redirects[] = {
      llvm::StringRef(""), messages.path.str(), messages.path.str()};
  std::string error;
  int status = llvm::sys::ExecuteAndWait(
      ptxas, {ptxas, arch, "-v", "-O3", in.path.str(), "-o", out.path.str()},
      std::nullopt, redirects, /*SecondsToWait=*/300, 0, &error);
  std::string said = error.empty() ? readAll(messages.path) : error;
  if (status) {
    std::replace(said.begin(), said.end(), '\n', ' ');
    return llvm::createStringError("ptxas failed: " +
                                   llvm::StringRef(said).trim().str());
  }
  if (log)
    *log = said;
  return readAll(out.path);
}
