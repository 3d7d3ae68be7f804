//===- Options.cpp - command lines of the tools ---------------------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fx/Support/Options.h"
#include "fx/Support/LocatedError.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"

#include <cstdio>
#include <unistd.h>

using llvm::StringRef;

/// Rewrites a message of LLVM's parser in the form of the other errors.
static std::string rewrite(StringRef text) {
  text = text.split(".  Try: ").first.split(": See: ").first;
  // "for the --x option: Cannot find option named 'v'!"
  if (text.consume_front("for the ")) {
    auto [option, problem] = text.split(" option: ");
    if (problem.consume_front("Cannot find option named "))
      return "option '" + option.str() + "' does not have the value " +
             problem.rtrim('!').str() + "; see --help";
    return "option '" + option.str() + "': " + problem.rtrim("!.").str();
  }
  std::string line = text.rtrim("!. ").str();
  if (line.size() > 1 && llvm::isUpper(line[0]) && !llvm::isUpper(line[1]))
    line[0] = llvm::toLower(line[0]);
  return line;
}

namespace {
/// Collects what is written to the standard error. Options report wrong values
/// there, although LLVM's parser takes a stream for errors.
class StderrCapture {
public:
  StderrCapture() : file(std::tmpfile()), saved(file ? ::dup(2) : -1) {
    if (saved >= 0)
      ::dup2(::fileno(file), 2);
  }
  ~StderrCapture() {
    if (file)
      std::fclose(file);
  }

  /// Ends the capture, and returns the text.
  std::string finish() {
    std::string text;
    if (saved < 0)
      return text;
    ::dup2(saved, 2);
    ::close(saved);
    std::rewind(file);
    char part[512];
    while (size_t n = std::fread(part, 1, sizeof part, file))
      text.append(part, n);
    return text;
  }

private:
  std::FILE *file;
  int saved;
};
} // namespace

void fx::parseOptions(int argc, char **argv, const char *overview) {
  std::string text;
  llvm::raw_string_ostream os(text);
  StderrCapture capture;
  bool isRight = llvm::cl::ParseCommandLineOptions(argc, argv, overview, &os);
  std::string printed = capture.finish();
  if (isRight) {
    llvm::errs() << printed; // warnings
    return;
  }
  std::string joined;
  llvm::SmallVector<StringRef> lines;
  text += printed;
  StringRef(text).split(lines, '\n', -1, /*KeepEmpty=*/false);
  StringRef tool = llvm::sys::path::filename(argv[0]);
  for (StringRef line : lines) {
    line.consume_front((tool + ": ").str());
    joined += (joined.empty() ? "" : "; ") + rewrite(line);
  }
  llvm::errs() << "error: " << tool << ": " << toOneLine(joined) << "\n";
  exit(1);
}
