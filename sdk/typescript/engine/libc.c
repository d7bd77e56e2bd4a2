// What QuickJS takes of a C library, where wasi-libc's would ask the host or put
// its heap over the script.
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/time.h>
#include <time.h>

extern struct { uint32_t at, length; } volatile callgate_script;
extern unsigned char __heap_base;

// The heap: blocks of fixed sizes, four to each doubling, a list of free ones for
// each size. A block keeps its size's number in the 8 bytes before it. Blocks are
// never joined: a call's memory is put back when it ends.
enum { PAGE = 65536, SIZES = 112 };

struct block { struct block *next; };
static struct block *unused[SIZES];
static uintptr_t top, end;  // what was never used

static size_t size_of(uint32_t number) { return (size_t)(4 + number % 4) << (2 + number / 4); }

// number_of is the smallest size that holds n bytes: 16, 20, 24, 28, 32, 40, ...
static uint32_t number_of(size_t n) {
  if (n <= 16) return 0;
  uint32_t shift = 29 - (uint32_t)__builtin_clz((uint32_t)(n - 1));  // n-1 has shift+3 bits
  return (shift - 2) * 4 + (uint32_t)((n - 1) >> shift) - 4 + 1;
}

static void *fresh(size_t n) {
  if (top == 0) {
    top = (uintptr_t)&__heap_base;
    uintptr_t behind = callgate_script.at + callgate_script.length + 1;
    if (callgate_script.length > 0 && behind > top) top = behind;
    top = (top + 7) & ~(uintptr_t)7;
    end = (uintptr_t)__builtin_wasm_memory_size(0) * PAGE;
  }
  if (n > end - top) {
    size_t pages = (n - (end - top) + PAGE - 1) / PAGE;
    if (__builtin_wasm_memory_grow(0, pages) == (size_t)-1) return NULL;
    end += pages * PAGE;
  }
  void *p = (void *)top;
  top += n;
  return p;
}

void *malloc(size_t n) {
  if (n > 1u << 30) return NULL;
  uint32_t number = number_of(n);
  struct block *b = unused[number];
  if (b) {
    unused[number] = b->next;
    return b;
  }
  uint32_t *head = fresh(8 + ((size_of(number) + 7) & ~(size_t)7));
  if (!head) return NULL;
  *head = number;
  return head + 2;
}

static uint32_t *head_of(void *p) { return (uint32_t *)p - 2; }

void free(void *p) {
  if (!p) return;
  struct block *b = p;
  uint32_t number = *head_of(p);
  b->next = unused[number];
  unused[number] = b;
}

size_t malloc_usable_size(void *p) { return p ? size_of(*head_of(p)) : 0; }

void *realloc(void *p, size_t n) {
  if (!p) return malloc(n);
  size_t size = malloc_usable_size(p);
  if (n <= size && n > size / 2) return p;
  void *q = malloc(n);
  if (!q) return NULL;
  memcpy(q, p, n < size ? n : size);
  free(p);
  return q;
}

void *calloc(size_t n, size_t each) {
  size_t size;
  if (__builtin_mul_overflow(n, each, &size)) return NULL;
  void *p = malloc(size);
  if (p) memset(p, 0, size);
  return p;
}

_Noreturn void abort(void) { __builtin_trap(); }

// The clock stands, in UTC.
int gettimeofday(struct timeval *restrict now, void *restrict zone) {
  (void)zone;
  *now = (struct timeval){0};
  return 0;
}

struct tm *localtime_r(const time_t *restrict at, struct tm *restrict to) {
  (void)at;
  *to = (struct tm){0};
  return to;
}
