//===- Statistics.cpp - how well accesses fit the memory ------------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Threads of a warp do not run together here: those that come to an
// instruction for the n-th time are taken as one request. Shared memory has 32
// banks of 4 bytes. Of accesses of 8 bytes each half of the warp is served by
// itself, of 16 each quarter. Global memory is read in sectors of 32 bytes.
//
//===----------------------------------------------------------------------===//

#include "Threads.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <tuple>

using namespace emulator;

namespace {
struct Request {
  bool isShared;
  uint32_t bytes;
  std::vector<uint64_t> places; ///< by lane; kNobody where it does not ask
};
struct Counts {
  uint64_t sharedRequests, sharedWavefronts, leastWavefronts;
  uint64_t globalRequests, globalSectors, globalBytes;
};
} // namespace
static constexpr uint64_t kNobody = ~uint64_t(0);
/// By warp, instruction, and how often a lane has come there.
using Key = std::tuple<int, uint32_t, uint32_t>;
static std::map<Key, Request> requests;
/// How often a thread has come to an instruction.
static std::map<std::pair<int, uint32_t>, uint32_t> visits;
static Counts counts;

static const char *getPath() {
  static const char *path = getenv("FX_EMULATOR_STATS");
  return path && *path ? path : nullptr;
}

bool statistics::isOn() { return getPath(); }

/// How often the banks are asked for what one part of a warp wants.
static void countBanks(const Request &request) {
  int lanes = request.bytes > 8 ? 8 : request.bytes > 4 ? 16 : 32;
  ++counts.sharedRequests;
  for (int first = 0; first < 32; first += lanes) {
    std::vector<uint64_t> rows[32];
    bool isAsked = false;
    for (int lane = first; lane < first + lanes; ++lane) {
      uint64_t place = request.places[lane];
      if (place == kNobody)
        continue;
      isAsked = true;
      for (uint64_t word = place / 4; word <= (place + request.bytes - 1) / 4;
           ++word) {
        std::vector<uint64_t> &row = rows[word % 32];
        if (std::find(row.begin(), row.end(), word) == row.end())
          row.push_back(word);
      }
    }
    size_t most = 0;
    for (const std::vector<uint64_t> &row : rows)
      most = std::max(most, row.size());
    counts.sharedWavefronts += most;
    counts.leastWavefronts += isAsked;
  }
}

static void countSectors(const Request &request) {
  std::vector<uint64_t> sectors;
  ++counts.globalRequests;
  for (uint64_t place : request.places)
    if (place != kNobody) {
      counts.globalBytes += request.bytes;
      for (uint64_t sector = place / 32;
           sector <= (place + request.bytes - 1) / 32; ++sector)
        sectors.push_back(sector);
    }
  std::sort(sectors.begin(), sectors.end());
  counts.globalSectors +=
      std::unique(sectors.begin(), sectors.end()) - sectors.begin();
}

static void finish(const Request &request) {
  if (request.isShared)
    countBanks(request);
  else
    countSectors(request);
}

static void note(uint64_t place, uint32_t bytes, bool isShared) {
  int thread = getThread();
  // A copy is an access of both memories by one instruction.
  uint32_t instruction = getInstruction() * 2 + isShared;
  Key key = {thread / 32, instruction, visits[{thread, instruction}]++};
  Request &request = requests[key];
  if (request.places.empty())
    request = {isShared, bytes, std::vector<uint64_t>(32, kNobody)};
  request.places[thread % 32] = place;
  request.bytes = std::max(request.bytes, bytes);
  if (std::count(request.places.begin(), request.places.end(), kNobody))
    return;
  finish(request);
  requests.erase(key);
}

void statistics::noteShared(const char *data, uint32_t bytes) {
  note(getOffset(data), bytes, true);
}
void statistics::noteGlobal(const char *data, uint32_t bytes) {
  note((uint64_t)data, bytes, false);
}

void statistics::endBlock() {
  for (const auto &[key, request] : requests)
    finish(request);
  requests.clear();
  visits.clear();
}

void statistics::beginKernel() { counts = {}; }

void statistics::endKernel(const char *name, const unsigned grid[3],
                           int threads) {
  if (!isOn())
    return;
  static FILE *file = fopen(getPath(), "w");
  if (!file)
    die(std::string("cannot write ") + getPath());
  auto number = [](uint64_t value) { return (unsigned long long)value; };
  fprintf(file,
          "{\"kernel\": \"%s\", \"grid\": [%u, %u, %u], \"block\": %d, "
          "\"shared_requests\": %llu, \"shared_wavefronts\": %llu, "
          "\"extra_wavefronts\": %llu, \"global_requests\": %llu, "
          "\"global_sectors\": %llu, \"global_bytes\": %llu}\n",
          name, grid[0], grid[1], grid[2], threads,
          number(counts.sharedRequests), number(counts.sharedWavefronts),
          number(counts.sharedWavefronts - counts.leastWavefronts),
          number(counts.globalRequests), number(counts.globalSectors),
          number(counts.globalBytes));
  fflush(file);
}
