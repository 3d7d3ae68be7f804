/* Runs a program many times from one process, which has loaded its libraries.

   LD_PRELOAD brings this library into the program and replaces its main. The
   libraries that FX_FORK_SERVER names, separated by colons, are loaded, and
   each request on standard input then becomes a fork that calls the program's
   own main. fork_server.py is the other side.

   A request is its size in 4 bytes and strings that end with a zero: the files
   for standard output and standard error, the folder, and the arguments. The
   reply on standard output is the status of waitpid in 4 bytes. */

#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

typedef int Main(int, char **, char **);
typedef int Start(Main *, int, char **, void (*)(void), void (*)(void),
                  void (*)(void), void *);

static Main *program;

static void redirect(const char *path, int flags, int to) {
  int file = open(path, flags, 0600);
  if (file < 0 || dup2(file, to) < 0) {
    perror(path);
    _exit(127);
  }
  close(file);
}

static int run(char *request, size_t size) {
  char *arguments[1024];
  int count = 0;
  char *at = request + 4;
  char *files[3];
  for (int k = 0; k < 3; ++k, at += strlen(at) + 1)
    files[k] = at;
  for (; at < request + 4 + size && count < 1023; at += strlen(at) + 1)
    arguments[count++] = at;
  arguments[count] = NULL;
  redirect("/dev/null", O_RDONLY, 0);
  redirect(files[0], O_WRONLY | O_CREAT | O_TRUNC, 1);
  redirect(files[1], O_WRONLY | O_CREAT | O_TRUNC, 2);
  if (chdir(files[2])) {
    perror(files[2]);
    _exit(127);
  }
  return program(count, arguments, environ);
}

static int readAll(void *to, size_t size) {
  for (size_t done = 0; done < size;) {
    ssize_t got = read(0, (char *)to + done, size - done);
    if (got <= 0)
      return 0;
    done += got;
  }
  return 1;
}

static int serve(int argc, char **argv, char **environment) {
  char *libraries = getenv("FX_FORK_SERVER");
  if (!libraries)
    return program(argc, argv, environment);
  char *names = strdup(libraries);
  unsetenv("FX_FORK_SERVER");
  unsetenv("LD_PRELOAD");
  for (char *name = strtok(names, ":"); name; name = strtok(NULL, ":"))
    if (!dlopen(name, RTLD_NOW | RTLD_LOCAL)) {
      fprintf(stderr, "%s\n", dlerror());
      return 127;
    }
  uint32_t size;
  static char request[4 + (1 << 20)];
  while (readAll(&size, sizeof(size)) && size < sizeof(request) - 4 &&
         readAll(request + 4, size)) {
    pid_t child = fork();
    if (child == 0) {
      int result = run(request, size);
      fflush(NULL);
      /* LibTorch's destructors take longer than the run. */
      _exit(result);
    }
    int status = 127 << 8;
    if (child > 0)
      waitpid(child, &status, 0);
    if (write(1, &status, sizeof(status)) != sizeof(status))
      break;
  }
  return 0;
}

int __libc_start_main(Main *main, int argc, char **argv, void (*init)(void),
                      void (*fini)(void), void (*end)(void), void *stack) {
  program = main;
  Start *start = (Start *)dlsym(RTLD_NEXT, "__libc_start_main");
  return start(serve, argc, argv, init, fini, end, stack);
}
