#include "fx-c/Compile.h"
#include "fx-c/Run.h"
#include <stdio.h>

int main(void) {
  FXContext *context = fxContextCreate();
  printf("fx-mlir %s, torch %s\n", fxVersion(), fxSchemaVersion());
  fxContextDestroy(context);
  return 0;
}
