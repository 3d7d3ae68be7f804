/*===- VulkanQueue.c - commands for a Vulkan device -----------------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Launches, copies and fills are recorded in their order, and submitted when
the
// host waits or when there are many. A barrier before each one lets it see the
// results of all before it. The host waits for the oldest commands if
// VULKAN_WORKS command buffers are submitted.
//
// Copies between the host and memory that it does not see go through stages:
// memory that both sides see, which is used again after its commands.
//
//===----------------------------------------------------------------------===*/

#include "Internal.h"
#include <stdlib.h>
#include <string.h>

#ifdef FX_HAS_VULKAN
enum {
  VULKAN_BATCH = 64,       /* commands that are submitted together */
  VULKAN_STAGE = 1 << 20,  /* bytes of a stage that is kept */
  VULKAN_PIECE = 16 << 20, /* bytes that are copied at once */
  VULKAN_STAGE_GRAIN = 16
};

//===----------------------------------------------------------------------===//
// Recording
//===----------------------------------------------------------------------===//

static CUresult finish_vulkan_work(VulkanDevice *d, VulkanWork *work) {
  if (!work->is_submitted)
    return 0;
  VkResult result =
      vk.WaitForFences(d->device, 1, &work->fence, VK_TRUE, UINT64_MAX);
  if (!result)
    result = vk.ResetFences(d->device, 1, &work->fence);
  work->is_submitted = 0;
  return vulkan_code(result);
}

/* Empties the stages of finished commands, and frees the large ones. */
static void reset_vulkan_stages(VulkanDevice *d, VulkanWork *work) {
  for (VulkanStage **at = &work->stages, *stage; (stage = *at);) {
    stage->used = 0;
    if (stage->chunk->bytes <= VULKAN_STAGE) {
      at = &stage->next;
      continue;
    }
    *at = stage->next;
    drop_vulkan_chunk(d, stage->chunk);
    free(stage);
  }
}

static void order_vulkan_commands(VkCommandBuffer commands, int before_host) {
  enum {
    DEVICE_STAGES =
        VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT | VK_PIPELINE_STAGE_TRANSFER_BIT,
    WRITES = VK_ACCESS_SHADER_WRITE_BIT | VK_ACCESS_TRANSFER_WRITE_BIT,
    READS = VK_ACCESS_SHADER_READ_BIT | VK_ACCESS_TRANSFER_READ_BIT
  };
  VkMemoryBarrier barrier = {
      .sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER,
      .srcAccessMask = WRITES,
      .dstAccessMask = before_host ? VK_ACCESS_HOST_READ_BIT : WRITES | READS};
  vk.CmdPipelineBarrier(commands, DEVICE_STAGES,
                        before_host ? VK_PIPELINE_STAGE_HOST_BIT
                                    : DEVICE_STAGES,
                        0, 1, &barrier, 0, 0, 0, 0);
}

/* Begins a command that runs after all before it. */
static CUresult record_vulkan_command(VulkanDevice *d, VkCommandBuffer *out) {
  VulkanWork *work = &d->works[d->current];
  if (!d->is_recording) {
    VkCommandBufferBeginInfo begin = {
        .sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO,
        .flags = VK_COMMAND_BUFFER_USAGE_ONE_TIME_SUBMIT_BIT};
    CUresult code = finish_vulkan_work(d, work);
    if (!code) {
      reset_vulkan_stages(d, work);
      code = vulkan_code(vk.BeginCommandBuffer(work->commands, &begin));
    }
    if (code)
      return code;
    d->is_recording = 1;
    d->n_recorded = 0;
  }
  *out = work->commands;
  order_vulkan_commands(work->commands, 0);
  ++d->n_recorded;
  return 0;
}

static CUresult submit_to_vulkan(VulkanDevice *d) {
  VulkanWork *work = &d->works[d->current];
  if (!d->is_recording)
    return 0;
  order_vulkan_commands(work->commands, 1);
  d->is_recording = 0;
  VkResult result = vk.EndCommandBuffer(work->commands);
  VkSubmitInfo submit = {.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO,
                         .commandBufferCount = 1,
                         .pCommandBuffers = &work->commands};
  if (!result)
    result = vk.QueueSubmit(d->queue, 1, &submit, work->fence);
  work->is_submitted = !result;
  d->current = (d->current + 1) % VULKAN_WORKS;
  return vulkan_code(result);
}

static CUresult end_vulkan_command(VulkanDevice *d) {
  return d->n_recorded < VULKAN_BATCH ? 0 : submit_to_vulkan(d);
}

static CUresult wait_for_vulkan(VulkanDevice *d) {
  CUresult code = submit_to_vulkan(d);
  for (int k = 0; k < VULKAN_WORKS; ++k) {
    CUresult failed = finish_vulkan_work(d, &d->works[k]);
    code = code ? code : failed;
  }
  if (!code && d->spare_bytes > d->heap_bytes / 4)
    drop_spare_vulkan_blocks(d);
  return code;
}

static int is_vulkan_idle(const VulkanDevice *d) {
  int is_busy = d->is_recording;
  for (int k = 0; k < VULKAN_WORKS; ++k)
    is_busy |= d->works[k].is_submitted;
  return !is_busy;
}

//===----------------------------------------------------------------------===//
// Stages
//===----------------------------------------------------------------------===//

/* Memory of the host until the current commands are complete. */
typedef struct {
  char *host;
  uint64_t address;
  VkBuffer buffer;
  size_t offset; /* in the buffer */
} VulkanPlace;

/* Finds room in a stage of the commands that are being recorded. */
static CUresult stage_for_vulkan(VulkanDevice *d, size_t bytes,
                                 VulkanPlace *out) {
  VulkanWork *work = &d->works[d->current];
  VulkanStage *stage = work->stages;
  while (stage && stage->chunk->bytes - stage->used < bytes)
    stage = stage->next;
  if (!stage) {
    stage = calloc(1, sizeof *stage);
    if (!stage)
      return CUDA_ERROR_OUT_OF_MEMORY;
    CUresult code = vulkan_code(make_vulkan_chunk(
        d, /*is_stage=*/1, bytes > VULKAN_STAGE ? bytes : VULKAN_STAGE,
        &stage->chunk));
    if (code) {
      free(stage);
      return code;
    }
    stage->next = work->stages;
    work->stages = stage;
  }
  *out = (VulkanPlace){stage->chunk->host + stage->used,
                       stage->chunk->address + stage->used,
                       stage->chunk->buffer, stage->used};
  size_t used = stage->used + (bytes + VULKAN_STAGE_GRAIN - 1) /
                                  VULKAN_STAGE_GRAIN * VULKAN_STAGE_GRAIN;
  stage->used = used < stage->chunk->bytes ? used : stage->chunk->bytes;
  return 0;
}

//===----------------------------------------------------------------------===//
// Copies
//===----------------------------------------------------------------------===//

/* Begins to copy the next piece of `left` bytes, and sets *size to its bytes.
 */
static CUresult begin_vulkan_piece(VulkanDevice *d, size_t left, size_t *size,
                                   VkCommandBuffer *commands,
                                   VulkanPlace *place) {
  *size = left < VULKAN_PIECE ? left : VULKAN_PIECE;
  CUresult code = record_vulkan_command(d, commands);
  return code ? code : stage_for_vulkan(d, *size, place);
}

static CUresult copy_to_vulkan(VulkanDevice *d, uint64_t to, const char *from,
                               size_t bytes) {
  VulkanChunk *chunk = find_vulkan_chunk(d, to, bytes);
  if (!chunk)
    return CUDA_ERROR_INVALID_VALUE;
  size_t at = to - chunk->address;
  if (chunk->host && is_vulkan_idle(d)) {
    memcpy(chunk->host + at, from, bytes);
    return 0;
  }
  CUresult code = 0;
  for (size_t done = 0, size; !code && done < bytes; done += size) {
    VkCommandBuffer commands;
    VulkanPlace place;
    code = begin_vulkan_piece(d, bytes - done, &size, &commands, &place);
    if (code)
      break;
    memcpy(place.host, from + done, size);
    VkBufferCopy region = {place.offset, at + done, size};
    vk.CmdCopyBuffer(commands, place.buffer, chunk->buffer, 1, &region);
    code = size == VULKAN_PIECE ? submit_to_vulkan(d) : end_vulkan_command(d);
  }
  return code;
}

/* Waits for all commands. */
static CUresult copy_from_vulkan(VulkanDevice *d, char *to, uint64_t from,
                                 size_t bytes) {
  VulkanChunk *chunk = find_vulkan_chunk(d, from, bytes);
  if (!chunk)
    return CUDA_ERROR_INVALID_VALUE;
  size_t at = from - chunk->address;
  if (chunk->host) {
    CUresult code = wait_for_vulkan(d);
    if (!code)
      memcpy(to, chunk->host + at, bytes);
    return code;
  }
  CUresult code = 0;
  for (size_t done = 0, size; !code && done < bytes; done += size) {
    VkCommandBuffer commands;
    VulkanPlace place;
    code = begin_vulkan_piece(d, bytes - done, &size, &commands, &place);
    if (code)
      break;
    VkBufferCopy region = {at + done, place.offset, size};
    vk.CmdCopyBuffer(commands, chunk->buffer, place.buffer, 1, &region);
    code = wait_for_vulkan(d);
    if (!code)
      memcpy(to + done, place.host, size);
  }
  return code;
}

static CUresult copy_on_vulkan(VulkanDevice *d, uint64_t to, uint64_t from,
                               size_t bytes) {
  VulkanChunk *target = find_vulkan_chunk(d, to, bytes),
              *source = find_vulkan_chunk(d, from, bytes);
  VkCommandBuffer commands;
  if (!target || !source)
    return CUDA_ERROR_INVALID_VALUE;
  CUresult code = bytes ? record_vulkan_command(d, &commands) : 0;
  if (code || !bytes)
    return code;
  VkBufferCopy region = {from - source->address, to - target->address, bytes};
  vk.CmdCopyBuffer(commands, source->buffer, target->buffer, 1, &region);
  return end_vulkan_command(d);
}

/* Repeats the four bytes of `word`. vkCmdFillBuffer takes words only, so other
 * bytes are copied from a stage. */
static CUresult fill_on_vulkan(VulkanDevice *d, uint64_t to, uint32_t word,
                               size_t bytes) {
  VulkanChunk *chunk = find_vulkan_chunk(d, to, bytes);
  VkCommandBuffer commands;
  VulkanPlace place;
  if (!chunk)
    return CUDA_ERROR_INVALID_VALUE;
  CUresult code = bytes ? record_vulkan_command(d, &commands) : 0;
  if (code || !bytes)
    return code;
  size_t at = to - chunk->address, words = at % 4 ? 0 : bytes / 4 * 4;
  if (words)
    vk.CmdFillBuffer(commands, chunk->buffer, at, words, word);
  if (words < bytes) {
    code = stage_for_vulkan(d, bytes - words, &place);
    if (code)
      return code;
    for (size_t k = 0; k < bytes - words; ++k)
      place.host[k] = (char)(word >> 8 * (k % 4));
    VkBufferCopy region = {place.offset, at + words, bytes - words};
    vk.CmdCopyBuffer(commands, place.buffer, chunk->buffer, 1, &region);
  }
  return end_vulkan_command(d);
}
#endif
