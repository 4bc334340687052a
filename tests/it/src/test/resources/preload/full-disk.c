/* Loaded before the C library of a PostgreSQL: no file below base, or below pg_wal, grows while a
   file of that name is in the folder FULL_DISK. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

static int is_in(const char *path, const char *part) {
  const char *folder = getenv("FULL_DISK");
  char within[64], flag[PATH_MAX];
  snprintf(within, sizeof within, "/%s/", part);
  snprintf(flag, sizeof flag, "%s/%s", folder == NULL ? "" : folder, part);
  return folder != NULL && strstr(path, within) != NULL && access(flag, F_OK) == 0;
}

static int has_room(int fd, off_t end) {
  int before = errno;
  struct stat file;
  char link[64], path[PATH_MAX];
  ssize_t length;
  int room = 1;
  snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
  if (fstat(fd, &file) == 0 && S_ISREG(file.st_mode) && end > file.st_size
      && (length = readlink(link, path, sizeof path - 1)) > 0) {
    path[length] = 0;
    room = !is_in(path, "base") && !is_in(path, "pg_wal");
  }
  errno = room ? before : ENOSPC;
  return room;
}

static off_t total(const struct iovec *parts, int count) {
  off_t bytes = 0;
  for (int i = 0; i < count; i++) bytes += parts[i].iov_len;
  return bytes;
}

#define REAL(name) \
  static __typeof__(name) *real; \
  if (real == NULL) real = (__typeof__(name) *) dlsym(RTLD_NEXT, #name)

ssize_t write(int fd, const void *bytes, size_t count) {
  REAL(write);
  off_t at = lseek(fd, 0, SEEK_CUR);
  return at >= 0 && !has_room(fd, at + count) ? -1 : real(fd, bytes, count);
}

ssize_t pwrite(int fd, const void *bytes, size_t count, off_t at) {
  REAL(pwrite);
  return has_room(fd, at + count) ? real(fd, bytes, count, at) : -1;
}

ssize_t pwrite64(int fd, const void *bytes, size_t count, off64_t at) {
  REAL(pwrite64);
  return has_room(fd, at + count) ? real(fd, bytes, count, at) : -1;
}

ssize_t pwritev(int fd, const struct iovec *parts, int count, off_t at) {
  REAL(pwritev);
  return has_room(fd, at + total(parts, count)) ? real(fd, parts, count, at) : -1;
}

ssize_t pwritev64(int fd, const struct iovec *parts, int count, off64_t at) {
  REAL(pwritev64);
  return has_room(fd, at + total(parts, count)) ? real(fd, parts, count, at) : -1;
}

int posix_fallocate(int fd, off_t at, off_t length) {
  REAL(posix_fallocate);
  return has_room(fd, at + length) ? real(fd, at, length) : ENOSPC;
}

int posix_fallocate64(int fd, off64_t at, off64_t length) {
  REAL(posix_fallocate64);
  return has_room(fd, at + length) ? real(fd, at, length) : ENOSPC;
}
