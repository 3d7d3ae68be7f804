/*===- Affinity.c - CPUs of the threads of parallel loops -----------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Keeps the threads of a loop on different CPUs. Linux may wake a worker on the
// CPU of the thread that wakes it although another CPU is idle: in a virtual
// machine, an idle CPU that the host has descheduled does not count as idle
// (available_idle_cpu() in kernel/sched). Both threads then take turns on one
// CPU until the scheduler moves one of them, which takes longer than most runs.
//
// The CPUs that the process may use are divided into as many groups as there
// are threads. Each worker may run in its group only. The caller of a loop is
// not restricted; the worker of the group that it is in has the first group.
//
//===----------------------------------------------------------------------===*/

#include "Internal.h"
#include <sched.h>
#include <unistd.h>

typedef struct {
  cpu_set_t allowed; /* those of the thread that started the workers */
  int n_groups;      /* 0: no worker is restricted */
  int cpu, owner;    /* the CPU and the group of the caller of the last loop */
} FXrtAffinity;

/* Returns the number of CPUs that the calling thread may use. */
static int count_cpus(void) {
  cpu_set_t cpus;
  if (!sched_getaffinity(0, sizeof cpus, &cpus))
    return CPU_COUNT(&cpus);
  return (int)sysconf(_SC_NPROCESSORS_ONLN); /* more than CPU_SETSIZE */
}

/* Returns the group of a CPU, or -1 if no worker may use it. */
static int group_of(const FXrtAffinity *a, int cpu) {
  if (cpu < 0 || cpu >= CPU_SETSIZE || !CPU_ISSET(cpu, &a->allowed))
    return -1;
  int before = 0;
  for (int c = 0; c < cpu; ++c)
    before += CPU_ISSET(c, &a->allowed) != 0;
  return before % a->n_groups;
}

/* Restricts a thread to the CPUs of a group. Failure (CPUs that were taken
 * offline, a sandbox) costs time at most. */
static void restrict_to(const FXrtAffinity *a, pthread_t thread, int group) {
  cpu_set_t cpus;
  CPU_ZERO(&cpus);
  for (int c = 0, before = 0; c < CPU_SETSIZE; ++c)
    if (CPU_ISSET(c, &a->allowed) && before++ % a->n_groups == group)
      CPU_SET(c, &cpus);
  pthread_setaffinity_np(thread, sizeof cpus, &cpus);
}

/* Restricts the worker that is not where the caller is: worker k of the pool,
 * counted from 0, has group k + 1, or group 0 if the caller is in its own. */
static void restrict_worker(const FXrtAffinity *a, const pthread_t *workers,
                            int group, int owner) {
  if (group > 0)
    restrict_to(a, workers[group - 1], group == owner ? 0 : group);
}

/* Divides the CPUs of the calling thread among it and `n` workers. */
static void divide_cpus(FXrtAffinity *a, const pthread_t *workers, int n) {
  a->n_groups = 0;
  if (sched_getaffinity(0, sizeof a->allowed, &a->allowed) ||
      CPU_COUNT(&a->allowed) <= n)
    return;
  a->n_groups = n + 1;
  a->cpu = sched_getcpu();
  int owner = group_of(a, a->cpu);
  a->owner = owner < 0 ? 0 : owner;
  for (int group = 1; group <= n; ++group)
    restrict_worker(a, workers, group, a->owner);
}

/* Moves workers out of the group of the calling thread. */
static void leave_cpu_of_caller(FXrtAffinity *a, const pthread_t *workers) {
  int cpu = a->n_groups ? sched_getcpu() : a->cpu;
  if (cpu == a->cpu)
    return;
  a->cpu = cpu;
  int owner = group_of(a, cpu), before = a->owner;
  if (owner < 0 || owner == before)
    return;
  a->owner = owner;
  restrict_worker(a, workers, before, owner);
  restrict_worker(a, workers, owner, owner);
}
