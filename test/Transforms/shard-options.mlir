// RUN: not fx-opt %s --fx-shard="ranks=2 rank=2" 2>&1 | FileCheck %s --check-prefix=RANK
// RUN: not fx-opt %s --fx-shard="ranks=2 plan=%t.none" 2>&1 | FileCheck %s --check-prefix=FILE
// RUN: not fx-opt %s --fx-shard="ranks=2 rules={a:rows}" 2>&1 | FileCheck %s --check-prefix=STYLE
// RUN: not fx-opt %s --fx-shard="ranks=2 rules={auto memory=much}" 2>&1 | FileCheck %s --check-prefix=AUTO
// RUN: not fx-opt %s --fx-stage="stages=2 stage=2" 2>&1 | FileCheck %s --check-prefix=STAGE
// RUN: not fx-opt %s --fx-stage="stages=2" 2>&1 | FileCheck %s --check-prefix=NODES

// RANK: expected 'ranks' of at least 1 and a 'rank' below it, got 2 and 2
// FILE: cannot read the plan '{{.*}}.none': No such file or directory
// STYLE: rules:1: expected 'PATH: colwise', 'rowwise', 'replicate' or 'shard DIM', got 'a:rows'
// AUTO: rules:1: expected 'auto memory=8G {{.*}}', got 'auto memory=much'
// STAGE: expected 'stages' of at least 1 and a 'stage' below it, got 2 and 2
// NODES: expected at least 2 nodes for 2 stages, got 0
fx.graph @main attributes {functional} {
  output()
}
