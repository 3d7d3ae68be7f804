// Attention by wgmma: a warpgroup that copies and two that multiply, with
// pieces of 64 keys. The host checks the device and the alignment of queries,
// keys and values, and makes their tensor maps.
// RUN: fx-compile --target=cuda %s --emit=gpu --gpu-tiles=attention=1:2:64 | FileCheck %s
// RUN: fx-compile --target=cuda %s --emit=gpu --gpu-tiles=attention=1 | FileCheck %s --check-prefix=MMA
// RUN: fx-compile --target=cuda:sm_80 %s --emit=gpu --gpu-tiles=attention=1:2:64 | FileCheck %s --check-prefix=MMA
// Sums that do not fit the registers, and keys that are no multiple of 16.
// RUN: fx-compile --target=cuda %s --emit=gpu --gpu-tiles=attention=1:3:256 | FileCheck %s --check-prefix=MMA
// RUN: fx-compile --target=cuda %s --emit=gpu --gpu-tiles=attention=1:2:40 | FileCheck %s --check-prefix=MMA
// MMA-NOT: wgmma

// CHECK: call @fx_rt_gpu_multiprocessors
