// What QuickJS takes of printf, for the texts of its errors: wasi-libc's brings
// streams, and with them WASI. Formats are %c %d %u %x %s %% and the modifiers 0,
// a width, .* and l, ll, z; no floating point, which QuickJS does itself.
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

struct sink { char *to; size_t size, length; };

static void put(struct sink *s, char c) {
  if (s->length + 1 < s->size) s->to[s->length] = c;
  s->length++;
}

static void put_number(struct sink *s, uint64_t n, int negative, unsigned base, int width, char pad) {
  char digits[24];
  int count = 0;
  do digits[count++] = "0123456789abcdef"[n % base]; while (n /= base);
  if (negative) digits[count++] = '-';
  for (; width > count; width--) put(s, pad);
  while (count > 0) put(s, digits[--count]);
}

int vsnprintf(char *restrict to, size_t size, const char *restrict format, va_list values) {
  struct sink s = {to, size, 0};
  for (const char *f = format; *f; f++) {
    if (*f != '%') {
      put(&s, *f);
      continue;
    }
    char pad = ' ';
    int width = 0, most = -1, wide = 0;
    if (*++f == '0') pad = *f++;
    for (; *f >= '0' && *f <= '9'; f++) width = width * 10 + (*f - '0');
    if (f[0] == '.' && f[1] == '*') most = va_arg(values, int), f += 2;
    for (; *f == 'l' || *f == 'z'; f++) wide += *f == 'l';  // size_t and long are 32 bits
    switch (*f) {
      case 'c': put(&s, (char)va_arg(values, int)); break;
      case 's': {
        const char *text = va_arg(values, const char *);
        size_t length = most >= 0 ? strnlen(text, (size_t)most) : strlen(text);
        for (int n = (int)length; n < width; n++) put(&s, ' ');
        for (size_t i = 0; i < length; i++) put(&s, text[i]);
        break;
      }
      case 'd': {
        int64_t n = wide > 1 ? va_arg(values, int64_t) : va_arg(values, int32_t);
        put_number(&s, n < 0 ? 0 - (uint64_t)n : (uint64_t)n, n < 0, 10, width, pad);
        break;
      }
      case 'u':
      case 'x': {
        uint64_t n = wide > 1 ? va_arg(values, uint64_t) : va_arg(values, uint32_t);
        put_number(&s, n, 0, *f == 'u' ? 10 : 16, width, pad);
        break;
      }
      case '%': put(&s, '%'); break;
      default: __builtin_trap();
    }
  }
  if (size > 0) to[s.length < size ? s.length : size - 1] = 0;
  return (int)s.length;
}

int snprintf(char *restrict to, size_t size, const char *restrict format, ...) {
  va_list values;
  va_start(values, format);
  int n = vsnprintf(to, size, format, values);
  va_end(values);
  return n;
}

// QuickJS prints only to find its own errors, which nobody would read here.
int fprintf(FILE *restrict to, const char *restrict format, ...) {
  (void)to, (void)format;
  return 0;
}

int printf(const char *restrict format, ...) {
  (void)format;
  return 0;
}

int fputc(int c, FILE *to) {
  (void)to;
  return c;
}

size_t fwrite(const void *restrict text, size_t size, size_t n, FILE *restrict to) {
  (void)text, (void)size, (void)to;
  return n;
}
