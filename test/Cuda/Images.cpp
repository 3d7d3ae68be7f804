//===- Images.cpp - what PTX and machine code say of kernels --------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Emulator.h"

#include <algorithm>
#include <cstring>
#include <elf.h>
#include <regex>
#include <string_view>

using namespace emulator;

static constexpr int kInvalidImage = 200, kNoBinaryForGpu = 209;

/// The file's kernels, by its sections `.nv.info.<kernel>`, whose attributes
/// 0x17 tell one parameter each: 4 bytes of kind and size, then the value.
static int readBinary(const char *image, std::vector<KernelInfo> &kernels) {
  Elf64_Ehdr header;
  memcpy(&header, image, sizeof header);
  std::vector<Elf64_Shdr> sections(header.e_shnum);
  memcpy(sections.data(), image + header.e_shoff,
         sections.size() * sizeof(Elf64_Shdr));
  if (header.e_shstrndx >= sections.size())
    return kInvalidImage;
  const char *names = image + sections[header.e_shstrndx].sh_offset;
  for (const Elf64_Shdr &section : sections) {
    std::string_view name = names + section.sh_name;
    constexpr std::string_view kPrefix = ".nv.info.";
    if (!name.starts_with(kPrefix))
      continue;
    KernelInfo kernel{std::string(name.substr(kPrefix.size()))};
    const unsigned char *at = (const unsigned char *)image + section.sh_offset,
                        *end = at + section.sh_size;
    while (at + 4 <= end) {
      bool hasBytes = at[0] == 4;
      if (hasBytes && at[1] == 0x17) {
        // After an index: the parameter's number, its offset, and its bytes.
        uint16_t number;
        uint32_t bits;
        memcpy(&number, at + 8, 2);
        memcpy(&bits, at + 12, 4);
        kernel.sizes.resize(std::max<size_t>(kernel.sizes.size(), number + 1));
        kernel.sizes[number] = bits >> 18;
        ++kernel.params;
      }
      at += 4 + (hasBytes ? at[2] + 256 * at[3] : 0);
    }
    kernels.push_back(kernel);
  }
  return 0;
}

static int readPTX(const std::string &text, int chip,
                   std::vector<KernelInfo> &kernels, std::string &log) {
  static const std::regex target(R"(\.target sm_(\d+)([af]?))"),
      entry(R"(\.entry (\w+)\(([^)]*)\)\s*((?:\.\w+[^\n{]*\n)*))"),
      param(R"(\.param \.(\w+)( \.ptr)?[^,\[]*(\[(\d+)\])?)"),
      threads(R"(\.maxntid (\d+))");
  std::smatch match;
  if (!std::regex_search(text, match, target)) {
    log = "no .target in the PTX";
    return kInvalidImage;
  }
  int wants = std::stoi(match[1]);
  if (match[2].length() ? chip != wants : chip < wants)
    return kNoBinaryForGpu;
  for (std::sregex_iterator it(text.begin(), text.end(), entry), end; it != end;
       ++it) {
    KernelInfo kernel{(*it)[1]};
    std::string params = (*it)[2], rest = (*it)[3];
    for (std::sregex_iterator p(params.begin(), params.end(), param); p != end;
         ++p) {
      kernel.isAddress.push_back((*p)[2].matched);
      kernel.sizes.push_back((*p)[4].matched ? std::stoi((*p)[4]) : 8);
      ++kernel.params;
    }
    if (std::regex_search(rest, match, threads))
      kernel.maxThreads = std::stoi(match[1]);
    kernels.push_back(kernel);
  }
  return 0;
}

int emulator::readImage(const char *image, int chip,
                        std::vector<KernelInfo> &kernels, bool &isBinary,
                        std::string &log) {
  isBinary = !memcmp(image, ELFMAG, SELFMAG);
  return isBinary ? readBinary(image, kernels)
                  : readPTX(image, chip, kernels, log);
}
