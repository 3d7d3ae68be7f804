/*===- VulkanMemory.c - memory of a Vulkan device -------------------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A call of vkAllocateMemory is slow, and their number is limited. So small
// blocks share a chunk of memory, and freed blocks are kept for later requests
// of the same size, which is rounded. The queue executes commands in order, so
// memory can be used again as soon as it is freed.
//
//===----------------------------------------------------------------------===*/

#include "Internal.h"
#include <stdlib.h>
#include <string.h>

#ifdef FX_HAS_VULKAN
enum {
  VULKAN_GRAIN = 256,           /* the least block */
  VULKAN_SMALL_MOST = 32 << 10, /* the largest block that is part of a chunk */
  VULKAN_SMALL_CHUNK = 1 << 20
};

/* Defined in VulkanQueue.c: waits for all commands. */
static CUresult wait_for_vulkan(VulkanDevice *d);

//===----------------------------------------------------------------------===//
// Chunks
//===----------------------------------------------------------------------===//

static void drop_vulkan_chunk(VulkanDevice *d, VulkanChunk *c) {
  for (int k = 0; k < d->n_chunks; ++k)
    if (d->chunks[k] == c) {
      --d->n_chunks;
      memmove(&d->chunks[k], &d->chunks[k + 1],
              (size_t)(d->n_chunks - k) * sizeof *d->chunks);
      d->bytes -= c->bytes;
      break;
    }
  if (c->buffer)
    vk.DestroyBuffer(d->device, c->buffer, 0);
  if (c->memory)
    vk.FreeMemory(d->device, c->memory, 0);
  free(c);
}

/* Allocates and maps the memory of a chunk. */
static VkResult fill_vulkan_chunk(VulkanDevice *d, VulkanChunk *c,
                                  uint32_t type, int is_hidden) {
  VkBufferCreateInfo info = {.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO,
                             .size = c->bytes,
                             .usage =
                                 VK_BUFFER_USAGE_STORAGE_BUFFER_BIT |
                                 VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT |
                                 VK_BUFFER_USAGE_TRANSFER_SRC_BIT |
                                 VK_BUFFER_USAGE_TRANSFER_DST_BIT};
  VkResult result = vk.CreateBuffer(d->device, &info, 0, &c->buffer);
  if (result)
    return result;
  VkMemoryRequirements needs;
  vk.GetBufferMemoryRequirements(d->device, c->buffer, &needs);
  if (!(needs.memoryTypeBits >> type & 1))
    return VK_ERROR_FEATURE_NOT_PRESENT;
  VkMemoryAllocateFlagsInfo flags = {
      .sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_FLAGS_INFO,
      .flags = VK_MEMORY_ALLOCATE_DEVICE_ADDRESS_BIT};
  VkMemoryAllocateInfo memory = {.sType =
                                     VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO,
                                 .pNext = &flags,
                                 .allocationSize = needs.size,
                                 .memoryTypeIndex = type};
  result = vk.AllocateMemory(d->device, &memory, 0, &c->memory);
  if (!result)
    result = vk.BindBufferMemory(d->device, c->buffer, c->memory, 0);
  if (result)
    return result;
  VkPhysicalDeviceMemoryProperties all;
  vk.GetPhysicalDeviceMemoryProperties(d->physical, &all);
  VkMemoryPropertyFlags has = all.memoryTypes[type].propertyFlags;
  if (!is_hidden && (has & VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT) &&
      (has & VK_MEMORY_PROPERTY_HOST_COHERENT_BIT))
    result = vk.MapMemory(d->device, c->memory, 0, VK_WHOLE_SIZE, 0,
                          (void **)&c->host);
  VkBufferDeviceAddressInfo asked = {
      .sType = VK_STRUCTURE_TYPE_BUFFER_DEVICE_ADDRESS_INFO,
      .buffer = c->buffer};
  c->address = vk.GetBufferDeviceAddress(d->device, &asked);
  return result;
}

static VkResult make_vulkan_chunk(VulkanDevice *d, int is_stage, size_t bytes,
                                  VulkanChunk **out) {
  VulkanChunk *c = calloc(1, sizeof *c);
  if (c && d->n_chunks == d->chunks_room) {
    int room = 2 * d->chunks_room + 64;
    VulkanChunk **more = realloc(d->chunks, (size_t)room * sizeof *d->chunks);
    if (!more) {
      free(c);
      c = 0;
    } else {
      d->chunks = more;
      d->chunks_room = room;
    }
  }
  if (!c)
    return VK_ERROR_OUT_OF_HOST_MEMORY;
  c->bytes = bytes;
  VkResult result =
      fill_vulkan_chunk(d, c, is_stage ? d->host_type : d->own_type,
                        d->hides_memory && !is_stage);
  if (result) {
    drop_vulkan_chunk(d, c);
    return result;
  }
  int at = d->n_chunks++;
  for (; at > 0 && d->chunks[at - 1]->address > c->address; --at)
    d->chunks[at] = d->chunks[at - 1];
  d->chunks[at] = c;
  d->bytes += bytes;
  *out = c;
  return 0;
}

/* Returns the chunk of an address, or null if `bytes` from there on are not all
 * in one chunk. */
static VulkanChunk *find_vulkan_chunk(const VulkanDevice *d, uint64_t address,
                                      size_t bytes) {
  int low = 0, high = d->n_chunks;
  while (low < high) {
    int middle = (low + high) / 2;
    if (d->chunks[middle]->address <= address)
      low = middle + 1;
    else
      high = middle;
  }
  if (!low)
    return 0;
  VulkanChunk *c = d->chunks[low - 1];
  uint64_t at = address - c->address;
  return at <= c->bytes && bytes <= c->bytes - at ? c : 0;
}

//===----------------------------------------------------------------------===//
// Blocks
//===----------------------------------------------------------------------===//

/* Rounds up so that there are eight sizes from each power of two to the next.
 */
static size_t round_vulkan_size(size_t bytes) {
  size_t step = VULKAN_GRAIN;
  while (16 * step <= bytes)
    step *= 2;
  return (bytes + step - 1) / step * step;
}

static VulkanBlock **find_vulkan_bucket(VulkanBlock **buckets, uint64_t key) {
  return &buckets[(key / VULKAN_GRAIN * 0x9e3779b97f4a7c15u >> 32) %
                  VULKAN_BUCKETS];
}

/* Frees the memory of all spare blocks that have a chunk of their own. The
 * queue must be idle. */
static void drop_spare_vulkan_blocks(VulkanDevice *d) {
  for (int k = 0; k < VULKAN_BUCKETS; ++k)
    for (VulkanBlock **at = &d->spare[k], *block; (block = *at);) {
      if (!block->chunk) {
        at = &block->next;
        continue;
      }
      *at = block->next;
      drop_vulkan_chunk(d, block->chunk);
      free(block);
    }
  d->spare_bytes = 0;
}

static VulkanBlock *take_spare_vulkan_block(VulkanDevice *d, size_t size) {
  for (VulkanBlock **at = find_vulkan_bucket(d->spare, size), *block;
       (block = *at); at = &block->next)
    if (block->bytes == size) {
      *at = block->next;
      d->spare_bytes -= block->chunk ? size : 0;
      return block;
    }
  return 0;
}

static VkResult make_vulkan_block(VulkanDevice *d, VulkanBlock *block) {
  if (block->bytes > VULKAN_SMALL_MOST) {
    VkResult result =
        make_vulkan_chunk(d, /*is_stage=*/0, block->bytes, &block->chunk);
    block->address = result ? 0 : block->chunk->address;
    return result;
  }
  if (!d->small || d->small_used + block->bytes > d->small->bytes) {
    VulkanChunk *made = 0;
    VkResult result =
        make_vulkan_chunk(d, /*is_stage=*/0, VULKAN_SMALL_CHUNK, &made);
    if (result)
      return result;
    d->small = made;
    d->small_used = 0;
  }
  block->address = d->small->address + d->small_used;
  d->small_used += block->bytes;
  return 0;
}

static CUresult allocate_on_vulkan(VulkanDevice *d, uint64_t *address,
                                   size_t bytes) {
  size_t size = round_vulkan_size(bytes ? bytes : 1);
  if (size < bytes)
    return CUDA_ERROR_OUT_OF_MEMORY;
  VulkanBlock *block = take_spare_vulkan_block(d, size);
  if (!block) {
    block = calloc(1, sizeof *block);
    if (!block)
      return CUDA_ERROR_OUT_OF_MEMORY;
    block->bytes = size;
    CUresult code = vulkan_code(make_vulkan_block(d, block));
    if (code == CUDA_ERROR_OUT_OF_MEMORY && d->spare_bytes) {
      code = wait_for_vulkan(d);
      if (!code) {
        drop_spare_vulkan_blocks(d);
        code = vulkan_code(make_vulkan_block(d, block));
      }
    }
    if (code) {
      free(block);
      return code;
    }
  }
  VulkanBlock **bucket = find_vulkan_bucket(d->blocks, block->address);
  block->next = *bucket;
  *bucket = block;
  *address = block->address;
  return 0;
}

static CUresult free_on_vulkan(VulkanDevice *d, uint64_t address) {
  for (VulkanBlock **at = find_vulkan_bucket(d->blocks, address), *block;
       (block = *at); at = &block->next)
    if (block->address == address) {
      VulkanBlock **bucket = find_vulkan_bucket(d->spare, block->bytes);
      *at = block->next;
      block->next = *bucket;
      *bucket = block;
      d->spare_bytes += block->chunk ? block->bytes : 0;
      return 0;
    }
  return CUDA_ERROR_INVALID_VALUE;
}

static void drop_vulkan_memory(VulkanDevice *d) {
  for (int k = 0; k < VULKAN_WORKS; ++k)
    for (VulkanStage *stage = d->works[k].stages, *next; stage; stage = next) {
      next = stage->next;
      free(stage);
    }
  while (d->n_chunks)
    drop_vulkan_chunk(d, d->chunks[d->n_chunks - 1]);
  free(d->chunks);
  for (int k = 0; k < VULKAN_BUCKETS; ++k)
    for (int is_spare = 0; is_spare < 2; ++is_spare)
      for (VulkanBlock *block = is_spare ? d->spare[k] : d->blocks[k], *next;
           block; block = next) {
        next = block->next;
        free(block);
      }
}
#endif
