/* Records every change below $WRITE_TRACE_DIR into $WRITE_TRACE_FILE, in one order over threads and processes;
   with WRITE_TRACE_FAIL=<n>:<errno> (and optionally :<count>) the n-th and later write-like calls there fail instead.
   A program can set that while it runs, by write_trace_fail; write_trace_calls says how many calls there were since.
   Record: u32 op, u32 path length, i64 offset, i64 length, path, data (writes only; second path for rename). */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>
#include <limits.h>

enum { OP_WRITE = 1, OP_TRUNC, OP_SYNC, OP_RENAME, OP_UNLINK, OP_CREATE, OP_DIRSYNC, OP_SYNC_FAILED };
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int trace_fd = -1; static pid_t trace_pid; static __thread int inside;
static const char *dir_; static size_t dir_len; static long fail_at = -1, fail_count = 1L << 60, calls; static int fail_errno;

#define REAL(ret, name, ...) static ret (*real_##name)(__VA_ARGS__); if (!real_##name) real_##name = dlsym(RTLD_NEXT, #name);

static void setup(void) {
  static int done; if (done) return; done = 1;
  dir_ = getenv("WRITE_TRACE_DIR"); dir_len = dir_ ? strlen(dir_) : 0;
  const char *f = getenv("WRITE_TRACE_FAIL"); if (f) { fail_at = 1; sscanf(f, "%ld:%d:%ld", &fail_at, &fail_errno, &fail_count); }
}
static int ours(const char *p) { setup(); return dir_ && strncmp(p, dir_, dir_len) == 0; }
static int path_of(int fd, char *out) {
  char link[64]; setup(); if (!dir_ || inside || fd < 0 || fd == trace_fd) return 0;
  snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
  ssize_t n = readlink(link, out, PATH_MAX - 1); if (n <= 0) return 0; out[n] = 0;
  return ours(out);
}
static void lock(void) {
  pthread_mutex_lock(&mutex); inside = 1;
  if (trace_fd < 0 || trace_pid != getpid()) {
    const char *t = getenv("WRITE_TRACE_FILE");
    if (t) { trace_fd = open(t, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0644); if (trace_fd >= 0 && trace_fd < 200) { int up = fcntl(trace_fd, F_DUPFD_CLOEXEC, 700); if (up >= 0) { close(trace_fd); trace_fd = up; } } trace_pid = getpid(); }
  }
  if (trace_fd >= 0) { struct flock l = { .l_type = F_WRLCK, .l_whence = SEEK_SET }; while (fcntl(trace_fd, F_SETLKW, &l) == -1 && errno == EINTR); }
}
static void unlock(void) {
  int e = errno;
  if (trace_fd >= 0) { struct flock l = { .l_type = F_UNLCK, .l_whence = SEEK_SET }; fcntl(trace_fd, F_SETLK, &l); }
  inside = 0; pthread_mutex_unlock(&mutex); errno = e;
}
static void record(uint32_t op, const char *path, int64_t off, int64_t len, const void *data, size_t n) {
  if (trace_fd < 0) return;
  int e = errno; uint32_t pl = strlen(path); char head[24];
  memcpy(head, &op, 4); memcpy(head + 4, &pl, 4); memcpy(head + 8, &off, 8); memcpy(head + 16, &len, 8);
  struct iovec v[3] = {{head, 24}, {(void *)path, pl}, {(void *)data, n}};
  REAL(ssize_t, writev, int, const struct iovec *, int)
  real_writev(trace_fd, v, n ? 3 : 2); errno = e;
}
static int refuse(void) { if (fail_at < 0) return 0; calls++; if (calls >= fail_at && calls < fail_at + fail_count) { errno = fail_errno; return 1; } return 0; }

void write_trace_fail(long at, int error, long count) { setup(); calls = 0; fail_at = at; fail_errno = error; fail_count = count; }
long write_trace_calls(void) { return calls; }

ssize_t pwrite64(int fd, const void *b, size_t n, off64_t off) {
  REAL(ssize_t, pwrite64, int, const void *, size_t, off64_t) char p[PATH_MAX];
  if (!path_of(fd, p)) return real_pwrite64(fd, b, n, off);
  lock(); ssize_t r = refuse() ? -1 : real_pwrite64(fd, b, n, off); if (r > 0) record(OP_WRITE, p, off, r, b, r); unlock(); return r;
}
ssize_t pwrite(int fd, const void *b, size_t n, off_t off) { return pwrite64(fd, b, n, off); }
ssize_t write(int fd, const void *b, size_t n) {
  REAL(ssize_t, write, int, const void *, size_t) char p[PATH_MAX];
  if (!path_of(fd, p)) return real_write(fd, b, n);
  lock(); ssize_t r = refuse() ? -1 : real_write(fd, b, n);
  if (r > 0) { off_t end = lseek(fd, 0, SEEK_CUR); record(OP_WRITE, p, end - r, r, b, r); } unlock(); return r;
}
ssize_t pwritev(int fd, const struct iovec *v, int c, off_t off) { ssize_t t = 0; for (int i = 0; i < c; i++) { ssize_t r = pwrite64(fd, v[i].iov_base, v[i].iov_len, off + t); if (r < 0) return t ? t : r; t += r; if ((size_t)r < v[i].iov_len) break; } return t; }
ssize_t pwritev64(int fd, const struct iovec *v, int c, off64_t off) { return pwritev(fd, v, c, off); }
ssize_t writev(int fd, const struct iovec *v, int c) {
  REAL(ssize_t, writev, int, const struct iovec *, int) char p[PATH_MAX];
  if (!path_of(fd, p)) return real_writev(fd, v, c);
  ssize_t t = 0; for (int i = 0; i < c; i++) { ssize_t r = write(fd, v[i].iov_base, v[i].iov_len); if (r < 0) return t ? t : r; t += r; if ((size_t)r < v[i].iov_len) break; } return t;
}
int ftruncate64(int fd, off64_t n) {
  REAL(int, ftruncate64, int, off64_t) char p[PATH_MAX];
  if (!path_of(fd, p)) return real_ftruncate64(fd, n);
  lock(); int r = refuse() ? -1 : real_ftruncate64(fd, n); if (r == 0) record(OP_TRUNC, p, n, 0, 0, 0); unlock(); return r;
}
int ftruncate(int fd, off_t n) { return ftruncate64(fd, n); }
int posix_fallocate64(int fd, off64_t off, off64_t n) {
  REAL(int, posix_fallocate64, int, off64_t, off64_t) char p[PATH_MAX];
  if (!path_of(fd, p)) return real_posix_fallocate64(fd, off, n);
  struct stat st; lock(); int r = refuse() ? errno : real_posix_fallocate64(fd, off, n); if (r == 0 && fstat(fd, &st) == 0) record(OP_TRUNC, p, st.st_size, 0, 0, 0); unlock(); return r;
}
int posix_fallocate(int fd, off_t off, off_t n) { return posix_fallocate64(fd, off, n); }
static int sync_(int fd, int (*real)(int)) {
  char p[PATH_MAX]; struct stat st; if (!path_of(fd, p)) return real(fd);
  lock(); int r = refuse() ? -1 : real(fd); record(r != 0 ? OP_SYNC_FAILED : fstat(fd, &st) == 0 && S_ISDIR(st.st_mode) ? OP_DIRSYNC : OP_SYNC, p, 0, 0, 0, 0); unlock(); return r;
}
int fsync(int fd) { REAL(int, fsync, int) return sync_(fd, real_fsync); }
int fdatasync(int fd) { REAL(int, fdatasync, int) return sync_(fd, real_fdatasync); }
static const char *full(int at, const char *p, char *out) {
  if (p[0] == '/') return p;
  if (at != AT_FDCWD) { char l[64]; snprintf(l, sizeof l, "/proc/self/fd/%d", at); ssize_t n = readlink(l, out, PATH_MAX / 2); if (n <= 0) return p; out[n] = 0; }
  else if (!getcwd(out, PATH_MAX / 2)) return p;
  strcat(out, "/"); strncat(out, p, PATH_MAX / 2 - 2); return out;
}
int renameat2(int a, const char *from, int b, const char *to, unsigned flags) {
  REAL(int, renameat2, int, const char *, int, const char *, unsigned) char x[PATH_MAX], y[PATH_MAX]; const char *f = full(a, from, x), *t = full(b, to, y);
  if (inside || (!ours(f) && !ours(t))) return real_renameat2(a, from, b, to, flags);
  lock(); int r = refuse() ? -1 : real_renameat2(a, from, b, to, flags); if (r == 0) record(OP_RENAME, f, 0, strlen(t), t, strlen(t)); unlock(); return r;
}
int renameat(int a, const char *f, int b, const char *t) { return renameat2(a, f, b, t, 0); }
int rename(const char *f, const char *t) { return renameat2(AT_FDCWD, f, AT_FDCWD, t, 0); }
int unlinkat(int a, const char *p, int flags) {
  REAL(int, unlinkat, int, const char *, int) char x[PATH_MAX]; const char *f = full(a, p, x);
  if (inside || !ours(f)) return real_unlinkat(a, p, flags);
  lock(); int r = real_unlinkat(a, p, flags); if (r == 0) record(OP_UNLINK, f, 0, 0, 0, 0); unlock(); return r;
}
int unlink(const char *p) { return unlinkat(AT_FDCWD, p, 0); }
int remove(const char *p) { return unlinkat(AT_FDCWD, p, 0); }
static int open_(int at, const char *p, int flags, mode_t mode) {
  REAL(int, openat, int, const char *, int, ...) char x[PATH_MAX]; const char *f = full(at, p, x);
  if (inside || !(flags & (O_CREAT | O_TRUNC)) || !ours(f)) return real_openat(at, p, flags, mode);
  lock(); int there = access(f, F_OK) == 0; int r = real_openat(at, p, flags, mode);
  if (r >= 0) { if (!there) record(OP_CREATE, f, 0, 0, 0, 0); else if (flags & O_TRUNC) record(OP_TRUNC, f, 0, 0, 0, 0); } unlock(); return r;
}
#define MODE mode_t m = 0; if (fl & (O_CREAT | O_TMPFILE)) { va_list a; va_start(a, fl); m = va_arg(a, mode_t); va_end(a); }
int open(const char *p, int fl, ...) { MODE return open_(AT_FDCWD, p, fl, m); }
int open64(const char *p, int fl, ...) { MODE return open_(AT_FDCWD, p, fl, m); }
int openat(int at, const char *p, int fl, ...) { MODE return open_(at, p, fl, m); }
int openat64(int at, const char *p, int fl, ...) { MODE return open_(at, p, fl, m); }
