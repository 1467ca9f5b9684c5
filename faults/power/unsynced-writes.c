/*
 * LD_PRELOAD shim that records unsynced writes of PostgreSQL and the bytes that they replaced.
 *
 * CHATD_POWER_ROOT     only files below this directory are recorded
 * CHATD_POWER_JOURNAL  records are appended here, each with one write()
 *
 * A record is a header and the replaced bytes. `fsync` and `fdatasync` only append a record, which makes the earlier
 * writes of the file durable. The record is written before the call returns, so concurrent writes count as unsynced.
 * Creating, renaming and removing files counts as durable.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

enum { WRITTEN = 1, SYNCED = 2 };

struct header {
  uint64_t kind;
  uint64_t inode;
  int64_t offset;   /* where the write begins */
  int64_t length;   /* of the write */
  int64_t old_size; /* of the file */
  int64_t old_length; /* how many replaced bytes follow */
};

static int journal(void) {
  static int fd = -1;
  static pid_t owner;
  if (fd < 0 || owner != getpid()) {
    const char *path = getenv("CHATD_POWER_JOURNAL");
    if (path == NULL) return -1;
    fd = (int)syscall(SYS_openat, AT_FDCWD, path, O_WRONLY | O_APPEND | O_CLOEXEC);
    owner = getpid();
  }
  return fd;
}

static int recorded(int fd, struct stat *about) {
  const char *root = getenv("CHATD_POWER_ROOT");
  char link[64], path[PATH_MAX];
  if (root == NULL || fstat(fd, about) != 0 || !S_ISREG(about->st_mode)) return 0;
  snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
  ssize_t length = readlink(link, path, sizeof path - 1);
  size_t prefix = strlen(root);
  return length > (ssize_t)prefix && memcmp(path, root, prefix) == 0 && path[prefix] == '/';
}

static void append(struct header record, const void *old) {
  struct iovec parts[2] = {{&record, sizeof record}, {(void *)old, (size_t)record.old_length}};
  int fd = journal();
  /* Abort before a write that cannot be recorded. */
  if (fd < 0 || syscall(SYS_writev, fd, parts, record.old_length > 0 ? 2 : 1) !=
                    (long)(sizeof record + (size_t)record.old_length))
    abort();
}

/* Opens the file again, because the descriptor may be write-only. */
static char *read_old(int fd, int64_t offset, int64_t length) {
  char link[64];
  snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
  int readable = (int)syscall(SYS_openat, AT_FDCWD, link, O_RDONLY | O_CLOEXEC);
  char *old = malloc((size_t)length);
  if (readable < 0 || old == NULL) abort();
  for (int64_t got = 0; got < length;) {
    long one = syscall(SYS_pread64, readable, old + got, (size_t)(length - got), offset + got);
    if (one <= 0) abort();
    got += one;
  }
  syscall(SYS_close, readable);
  return old;
}

/* A negative offset means the end of the file. */
static void before_change(int fd, int64_t offset, int64_t length) {
  struct stat about;
  int saved = errno;
  if (recorded(fd, &about)) {
    if (offset < 0) offset = about.st_size;
    int64_t old_length = about.st_size - offset;
    if (old_length > length) old_length = length;
    if (old_length < 0) old_length = 0;
    char *old = old_length > 0 ? read_old(fd, offset, old_length) : NULL;
    struct header record = {WRITTEN, about.st_ino, offset, length, about.st_size, old_length};
    append(record, old);
    free(old);
  }
  errno = saved;
}

static void synced(int fd) {
  struct stat about;
  int saved = errno;
  if (recorded(fd, &about)) {
    struct header record = {SYNCED, about.st_ino, 0, 0, 0, 0};
    append(record, NULL);
  }
  errno = saved;
}

/* Discards the records of a removed file, because its inode can be reused. */
static void forgotten(const char *path) {
  struct stat about;
  int saved = errno;
  if (getenv("CHATD_POWER_ROOT") != NULL && lstat(path, &about) == 0 && S_ISREG(about.st_mode) &&
      about.st_nlink == 1) {
    struct header record = {SYNCED, about.st_ino, 0, 0, 0, 0};
    append(record, NULL);
  }
  errno = saved;
}

static int64_t position(int fd) {
  int flags = fcntl(fd, F_GETFL);
  return flags >= 0 && (flags & O_APPEND) != 0 ? -1 : syscall(SYS_lseek, fd, 0, SEEK_CUR);
}

static int64_t total(const struct iovec *parts, int count) {
  int64_t sum = 0;
  for (int index = 0; index < count; index += 1) sum += (int64_t)parts[index].iov_len;
  return sum;
}

ssize_t write(int fd, const void *bytes, size_t length) {
  if (fd > 2) before_change(fd, position(fd), (int64_t)length);
  return syscall(SYS_write, fd, bytes, length);
}

ssize_t writev(int fd, const struct iovec *parts, int count) {
  if (fd > 2) before_change(fd, position(fd), total(parts, count));
  return syscall(SYS_writev, fd, parts, count);
}

ssize_t pwrite(int fd, const void *bytes, size_t length, off_t offset) {
  before_change(fd, offset, (int64_t)length);
  return syscall(SYS_pwrite64, fd, bytes, length, offset);
}
ssize_t pwrite64(int fd, const void *bytes, size_t length, off_t offset) {
  return pwrite(fd, bytes, length, offset);
}

ssize_t pwritev(int fd, const struct iovec *parts, int count, off_t offset) {
  before_change(fd, offset, total(parts, count));
  return syscall(SYS_pwritev, fd, parts, count, (unsigned long)offset, 0UL);
}
ssize_t pwritev64(int fd, const struct iovec *parts, int count, off_t offset) {
  return pwritev(fd, parts, count, offset);
}

int ftruncate(int fd, off_t length) {
  struct stat about;
  if (fstat(fd, &about) == 0 && about.st_size > length)
    before_change(fd, length, about.st_size - length);
  else
    before_change(fd, length, 0);
  return (int)syscall(SYS_ftruncate, fd, length);
}
int ftruncate64(int fd, off_t length) { return ftruncate(fd, length); }

int fsync(int fd) {
  synced(fd);
  return 0;
}
int fdatasync(int fd) {
  synced(fd);
  return 0;
}

int unlink(const char *path) {
  forgotten(path);
  return (int)syscall(SYS_unlinkat, AT_FDCWD, path, 0);
}
int rename(const char *from, const char *to) {
  forgotten(to);
  return (int)syscall(SYS_renameat2, AT_FDCWD, from, AT_FDCWD, to, 0);
}
