/*===- text.h - a growable text buffer ----------------------------*- C -*-===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===*/

#ifndef FX_TEST_CAPI_TEXT_H
#define FX_TEST_CAPI_TEXT_H

#include <stdlib.h>
#include <string.h>

typedef struct {
  char *data;
  size_t size;
} Text;

/* An FXTextFn whose user data is a Text. */
static void append(const char *data, size_t size, void *user) {
  Text *text = user;
  text->data = realloc(text->data, text->size + size + 1);
  memcpy(text->data + text->size, data, size);
  text->size += size;
  text->data[text->size] = 0;
}

#endif
