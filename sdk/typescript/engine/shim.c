// The engine of tool modules in TypeScript and JavaScript: QuickJS, and what this
// file puts around it. It is a tool module but for its script, which
// host/script.Link adds: the script lies at the end of the memory that the module
// begins with, and `callgate_script` says where. _initialize runs the script, which
// has to set a global function
//
//     callgate(verb: string, input: string): string
//
// Each verb calls it with its export's name and its input. What it returns is the
// output; what it throws is the error. There is no way in or out but this and
// console.warn and console.error, which go to the host's log: nothing of WASI is
// imported, the clock stands at 1970, and nothing awaits.
#include <stdint.h>
#include <string.h>
#include "quickjs.h"

#define ENV(name) __attribute__((import_module("extism:host/env"), import_name(#name))) extern
ENV(input_length) uint64_t env_input_length(void);
ENV(input_load_u8) uint32_t env_input_load_u8(uint64_t at);
ENV(input_load_u64) uint64_t env_input_load_u64(uint64_t at);
ENV(alloc) uint64_t env_alloc(uint64_t length);
ENV(store_u8) void env_store_u8(uint64_t at, uint32_t value);
ENV(store_u64) void env_store_u64(uint64_t at, uint64_t value);
ENV(output_set) void env_output_set(uint64_t at, uint64_t length);
ENV(error_set) void env_error_set(uint64_t at);
ENV(log_warn) void env_log_warn(uint64_t at);
ENV(log_error) void env_log_error(uint64_t at);

// callgate_script is where the script lies; Link overwrites it. The byte after the
// script is 0, which QuickJS wants. The heap begins behind it.
struct { uint32_t at, length; } volatile callgate_script = {0, 0};

enum { STACK = 704 << 10, COLLECT = 8 << 20 };  // bytes; STACK leaves a third of build.sh's for C

static JSContext *context;
static JSValue handler;
static char problem[512];  // why the script cannot answer; empty when it can

// Host memory.

static uint64_t put(const char *text, size_t length) {
  uint64_t at = env_alloc(length);
  size_t i = 0;
  for (; i + 8 <= length; i += 8) {
    uint64_t word;
    memcpy(&word, text + i, 8);
    env_store_u64(at + i, word);
  }
  for (; i < length; i++) env_store_u8(at + i, (uint8_t)text[i]);
  return at;
}

static char *get(size_t length) {
  char *text = js_malloc(context, length + 1);
  if (!text) return NULL;
  size_t i = 0;
  for (; i + 8 <= length; i += 8) {
    uint64_t word = env_input_load_u64(i);
    memcpy(text + i, &word, 8);
  }
  for (; i < length; i++) text[i] = (char)env_input_load_u8(i);
  text[length] = 0;
  return text;
}

static int32_t fail(const char *text) {
  env_error_set(put(text, strlen(text)));
  return 1;
}

// text_is_utf8 refuses overlong forms and surrogates too.
static int text_is_utf8(const char *text, size_t length) {
  const uint8_t *p = (const uint8_t *)text, *end = p + length;
  while (p < end) {
    uint32_t c = *p++;
    if (c < 0x80) continue;
    int more = c >= 0xf0 ? 3 : c >= 0xe0 ? 2 : 1;
    if (c < 0xc2 || c > 0xf4 || end - p < more) return 0;
    c &= 0x3f >> more;
    for (int i = 0; i < more; i++, p++) {
      if ((*p & 0xc0) != 0x80) return 0;
      c = c << 6 | (*p & 0x3f);
    }
    if (c < (more == 3 ? 0x10000u : more == 2 ? 0x800u : 0x80u) || c > 0x10ffff || (c >= 0xd800 && c < 0xe000)) return 0;
  }
  return 1;
}

// Errors.

static size_t add(char *to, size_t at, size_t size, const char *text, size_t length) {
  if (length > size - 1 - at) length = size - 1 - at;
  memcpy(to + at, text, length);
  to[at + length] = 0;
  return at + length;
}

// describe_exception writes what was thrown, and where when it says so.
static void describe_exception(char *to, size_t size) {
  JSValue thrown = JS_GetException(context);
  size_t at = 0, length;
  to[0] = 0;
  const char *text = JS_ToCStringLen(context, &length, thrown);
  if (!text) JS_FreeValue(context, JS_GetException(context));
  at = text ? add(to, at, size, text, length) : add(to, at, size, "something was thrown that is no text", 36);
  if (!JS_IsError(context, thrown)) return;
  const char *stack = JS_ToCString(context, JS_GetPropertyStr(context, thrown, "stack"));
  if (!stack) return;
  while (*stack == ' ') stack++;
  length = strcspn(stack, "\n");
  if (length == 0) return;
  at = add(to, at, size, " (", 2);
  at = add(to, at, size, stack, length);
  add(to, at, size, ")", 1);
}

static int32_t fail_exception(void) {
  char text[sizeof problem];
  describe_exception(text, sizeof text);
  return fail(text);
}

// The script.

static JSValue log_text(JSContext *c, JSValueConst self, int count, JSValueConst *values, int level) {
  (void)self;
  for (int i = 0; level > 0 && i < count; i++) {
    size_t length;
    const char *text = JS_ToCStringLen(c, &length, values[i]);
    if (!text) return JS_EXCEPTION;
    if (length > 0 && text_is_utf8(text, length)) (level == 2 ? env_log_error : env_log_warn)(put(text, length));
    JS_FreeCString(c, text);
  }
  return JS_UNDEFINED;
}

static void add_console(JSValue global) {
  static const struct { const char *name; int level; } methods[] = {{"log", 0}, {"debug", 0}, {"info", 0}, {"warn", 1}, {"error", 2}};
  JSValue console = JS_NewObject(context);
  for (size_t i = 0; i < sizeof methods / sizeof *methods; i++) {
    JSCFunctionType f = {.generic_magic = log_text};
    JS_SetPropertyStr(context, console, methods[i].name,
                      JS_NewCFunction2(context, f.generic, methods[i].name, 1, JS_CFUNC_generic_magic, methods[i].level));
  }
  JS_SetPropertyStr(context, global, "console", console);
}

static void start(void) {
  JSRuntime *runtime = JS_NewRuntime();
  context = runtime ? JS_NewContext(runtime) : NULL;
  if (!context) {
    strcpy(problem, "the engine has no memory to start with");
    return;
  }
  JS_SetMaxStackSize(runtime, STACK);
  JS_SetGCThreshold(runtime, COLLECT);
  if (callgate_script.length == 0) {
    strcpy(problem, "this is the bare engine, with no script in it: callgate tool build makes a module of it and a script");
    return;
  }
  JSValue global = JS_GetGlobalObject(context);
  add_console(global);
  JSValue result = JS_Eval(context, (const char *)callgate_script.at, callgate_script.length, "script", JS_EVAL_TYPE_GLOBAL);
  if (JS_IsException(result)) {
    size_t at = add(problem, 0, sizeof problem, "the script does not start: ", 27);
    describe_exception(problem + at, sizeof problem - at);
    return;
  }
  JS_FreeValue(context, result);
  handler = JS_GetPropertyStr(context, global, "callgate");
  if (!JS_IsFunction(context, handler)) strcpy(problem, "the script serves no module: it has to call serve(...) of \"callgate\"");
  JS_FreeValue(context, global);
}

static int32_t answer(const char *verb) {
  if (problem[0]) return fail(problem);
  size_t length = env_input_length();
  char *text = get(length);
  if (!text) return fail("the input does not fit the memory");
  if (!text_is_utf8(text, length)) return fail("the input is not UTF-8");
  JSValue arguments[2] = {JS_NewString(context, verb), JS_NewStringLen(context, text, length)};
  js_free(context, text);
  if (JS_IsException(arguments[0]) || JS_IsException(arguments[1])) return fail_exception();
  JSValue output = JS_Call(context, handler, JS_UNDEFINED, 2, arguments);
  if (JS_IsException(output)) return fail_exception();
  if (!JS_IsString(output)) return fail("the script's answer is no text");
  const char *answered = JS_ToCStringLen(context, &length, output);
  if (!answered) return fail_exception();
  if (!text_is_utf8(answered, length)) return fail("the script's answer holds half a character (a lone surrogate)");
  env_output_set(put(answered, length), length);
  return 0;
}

#define EXPORT(name) __attribute__((export_name(#name)))
EXPORT(_initialize) void initialize(void) { start(); }
EXPORT(describe) int32_t verb_describe(void) { return answer("describe"); }
EXPORT(check_permissions) int32_t verb_check_permissions(void) { return answer("check_permissions"); }
EXPORT(check_read_only) int32_t verb_check_read_only(void) { return answer("check_read_only"); }
EXPORT(match_rule) int32_t verb_match_rule(void) { return answer("match_rule"); }
EXPORT(generate_suggestions) int32_t verb_generate_suggestions(void) { return answer("generate_suggestions"); }
EXPORT(describe_call) int32_t verb_describe_call(void) { return answer("describe_call"); }
