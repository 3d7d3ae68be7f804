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
  pid_t process;     /* to which the workers belong: not to its forks */
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

/* Returns the CPUs of a worker. Worker k of the pool, counted from 0, has group
 * k + 1; if that is the group of the owner, group 0. */
static cpu_set_t cpus_of(const FXrtAffinity *a, int worker, int owner) {
  int group = worker + 1 == owner ? 0 : worker + 1;
  cpu_set_t cpus;
  CPU_ZERO(&cpus);
  for (int c = 0, before = 0; c < CPU_SETSIZE; ++c)
    if (CPU_ISSET(c, &a->allowed) && before++ % a->n_groups == group)
      CPU_SET(c, &cpus);
  return cpus;
}

/* Divides the CPUs of the calling thread among it and `n` workers. Failures
 * (CPUs that were taken offline, a sandbox) cost time at most. */
static void divide_cpus(FXrtAffinity *a, const pthread_t *workers, int n) {
  int were_restricted = a->n_groups;
  a->n_groups = 0;
  if ((a->process && a->process != getpid()) ||
      sched_getaffinity(0, sizeof a->allowed, &a->allowed))
    return;
  a->process = getpid();
  if (CPU_COUNT(&a->allowed) <= n) {
    for (int k = 0; k < n && were_restricted; ++k)
      pthread_setaffinity_np(workers[k], sizeof a->allowed, &a->allowed);
    return;
  }
  a->n_groups = n + 1;
  a->cpu = sched_getcpu();
  int owner = group_of(a, a->cpu);
  a->owner = owner < 0 ? 0 : owner;
  for (int k = 0; k < n; ++k) {
    cpu_set_t cpus = cpus_of(a, k, a->owner);
    pthread_setaffinity_np(workers[k], sizeof cpus, &cpus);
  }
}

/* Restricts a worker for another owner. If its CPUs are not those that it was
 * given, somebody else decides about them: then no worker is moved any more. */
static void move_worker(FXrtAffinity *a, const pthread_t *workers, int worker,
                        int from, int to) {
  if (worker < 0 || !a->n_groups)
    return;
  cpu_set_t now, expected = cpus_of(a, worker, from),
                 next = cpus_of(a, worker, to);
  if (pthread_getaffinity_np(workers[worker], sizeof now, &now) ||
      !CPU_EQUAL(&now, &expected))
    a->n_groups = 0;
  else
    pthread_setaffinity_np(workers[worker], sizeof next, &next);
}

/* Moves workers out of the group of the calling thread. */
static void leave_cpu_of_caller(FXrtAffinity *a, const pthread_t *workers) {
  int cpu = a->n_groups ? sched_getcpu() : a->cpu;
  if (cpu == a->cpu)
    return;
  if (a->process != getpid()) {
    a->n_groups = 0;
    return;
  }
  a->cpu = cpu;
  int to = group_of(a, cpu), from = a->owner;
  if (to < 0 || to == from)
    return;
  a->owner = to;
  move_worker(a, workers, from - 1, from, to);
  move_worker(a, workers, to - 1, from, to);
}
