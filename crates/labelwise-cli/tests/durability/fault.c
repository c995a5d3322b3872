/* Makes the disk fail. Loaded before the C library (LD_PRELOAD), it counts every call that changes a file below a
 * folder, and at a chosen one the process dies in the middle of it, or the call fails. It can also write down what was
 * written and what was synced, so that a power cut can be played afterwards.
 *
 *   FAULT_FOLDER  calls about files below it count
 *   FAULT_AT      the call to fail at, counted from 1; 0 for none
 *   FAULT_KIND    kill: half of it is done, then SIGKILL; eio: it fails once; full: all writing fails from then on;
 *                 frozen: nothing below the folder can be opened to write
 *   FAULT_LOG     where to write down the calls
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <unistd.h>

static long calls;
static int log_fd = -1;

static void *next(const char *name) { return dlsym(RTLD_NEXT, name); }

static const char *folder(void) {
    const char *value = getenv("FAULT_FOLDER");
    return value ? value : "/nowhere at all";
}

static int is(const char *kind) {
    const char *value = getenv("FAULT_KIND");
    return value && strcmp(value, kind) == 0;
}

static int below(const char *path) { return strncmp(path, folder(), strlen(folder())) == 0; }

static int path_of(int fd, char *path, size_t size) {
    char link[64];
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    ssize_t length = readlink(link, path, size - 1);
    if (length < 0) return 0;
    path[length] = 0;
    return fd != log_fd && below(path);
}

static void note(char what, const char *path, long offset, const void *bytes, size_t length) {
    const char *name = getenv("FAULT_LOG");
    if (!name) return;
    ssize_t (*write_)(int, const void *, size_t) = next("write");
    int (*open_)(const char *, int, ...) = next("open");
    if (log_fd < 0) log_fd = open_(name, O_WRONLY | O_CREAT | O_APPEND, 0600);
    unsigned long head[3] = {strlen(path), (unsigned long)offset, length};
    write_(log_fd, &what, 1);
    write_(log_fd, head, sizeof head);
    write_(log_fd, path, strlen(path));
    if (length) write_(log_fd, bytes, length);
}

/* Whether the call is to fail; does not return from one that kills. `half` does half of the call. */
static int fails(void (*half)(void *), void *of) {
    const char *value = getenv("FAULT_AT");
    long at = value ? atol(value) : 0;
    calls += 1;
    if (at == 0) return 0;
    if (calls == at && is("kill")) {
        if (half) half(of);
        kill(getpid(), SIGKILL);
        for (;;) pause();
    }
    if (calls == at && is("eio")) { errno = EIO; return 1; }
    if (calls >= at && is("full")) { errno = ENOSPC; return 1; }
    return 0;
}

struct piece { int fd; const void *bytes; size_t length; off_t offset; };

static void half_write(void *of) {
    struct piece *piece = of;
    ssize_t (*write_)(int, const void *, size_t) = next("write");
    ssize_t (*pwrite_)(int, const void *, size_t, off_t) = next("pwrite64");
    if (piece->offset < 0) write_(piece->fd, piece->bytes, piece->length / 2);
    else pwrite_(piece->fd, piece->bytes, piece->length / 2, piece->offset);
}

static int guarded(int fd, const void *bytes, size_t length, off_t offset) {
    char path[4096];
    if (!path_of(fd, path, sizeof path)) return 0;
    struct piece piece = {fd, bytes, length, offset};
    if (fails(half_write, &piece)) return 1;
    note('w', path, offset < 0 ? lseek(fd, 0, SEEK_CUR) : offset, bytes, length);
    return 0;
}

ssize_t write(int fd, const void *bytes, size_t length) {
    ssize_t (*real)(int, const void *, size_t) = next("write");
    return guarded(fd, bytes, length, -1) ? -1 : real(fd, bytes, length);
}

ssize_t pwrite(int fd, const void *bytes, size_t length, off_t offset) {
    ssize_t (*real)(int, const void *, size_t, off_t) = next("pwrite");
    return guarded(fd, bytes, length, offset) ? -1 : real(fd, bytes, length, offset);
}

ssize_t pwrite64(int fd, const void *bytes, size_t length, off64_t offset) {
    ssize_t (*real)(int, const void *, size_t, off64_t) = next("pwrite64");
    return guarded(fd, bytes, length, offset) ? -1 : real(fd, bytes, length, offset);
}

static int synced(const char *name, int fd) {
    int (*real)(int) = next(name);
    char path[4096];
    if (!path_of(fd, path, sizeof path)) return real(fd);
    if (!is("full") && fails(NULL, NULL)) return -1;
    int done = real(fd);
    if (done == 0) note('s', path, 0, NULL, 0);
    return done;
}

int fsync(int fd) { return synced("fsync", fd); }
int fdatasync(int fd) { return synced("fdatasync", fd); }

static int cut(const char *name, int fd, off_t length) {
    int (*real)(int, off_t) = next(name);
    char path[4096];
    if (path_of(fd, path, sizeof path)) {
        /* A full disk lets files become shorter. */
        if (!is("full") && fails(NULL, NULL)) return -1;
        note('t', path, length, NULL, 0);
    }
    return real(fd, length);
}

int ftruncate(int fd, off_t length) { return cut("ftruncate", fd, length); }
int ftruncate64(int fd, off64_t length) { return cut("ftruncate64", fd, length); }

int unlink(const char *path) {
    int (*real)(const char *) = next("unlink");
    if (below(path)) {
        if (!is("full") && fails(NULL, NULL)) return -1;
        note('u', path, 0, NULL, 0);
    }
    return real(path);
}

static int frozen(const char *path, int flags) {
    if (!is("frozen") || !below(path) || !(flags & (O_WRONLY | O_RDWR | O_CREAT))) return 0;
    errno = EROFS;
    return 1;
}

#define OPEN(NAME)                                                                                                     \
    int NAME(const char *path, int flags, ...) {                                                                       \
        int (*real)(const char *, int, ...) = next(#NAME);                                                             \
        va_list rest;                                                                                                  \
        va_start(rest, flags);                                                                                         \
        mode_t mode = va_arg(rest, mode_t);                                                                            \
        va_end(rest);                                                                                                  \
        return frozen(path, flags) ? -1 : real(path, flags, mode);                                                     \
    }

OPEN(open)
OPEN(open64)
