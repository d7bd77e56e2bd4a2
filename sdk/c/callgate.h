/* callgate.h: the C SDK for Callgate tool modules, in one freestanding header.
 *
 * An author declares a module (its tools, their fields) and up to five functions
 * on typed calls; the header does the WebAssembly exports, strict JSON and the
 * safe defaults. Include it in one source file. C99, clang for wasm32; natively
 * (gcc or clang) callgate_handle answers what the exports would, for unit tests.
 *
 * Texts are UTF-8 slices, not ended by NUL. What the header hands out lives until
 * the next callgate_handle. Nothing here is safe for concurrent use. Memory that
 * runs out ends the call, which the host takes for a failed verb.
 *
 * The rules of the wire are in Callgate's docs/abi.md. */
#ifndef CALLGATE_H
#define CALLGATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#ifndef __wasm__
#include <stdlib.h>
#endif

#define CALLGATE_ABI 1
/* How deep lists and objects of any JSON text may be nested. */
#define CALLGATE_MAX_DEPTH 1000
/* The bytes of a suggested rule of the default: a longer one nobody reads. */
#define CALLGATE_MAX_SUGGESTION 2000

/* An author need not use every function. */
#define CALLGATE_FN static __attribute__((unused))

/* ---- Texts ---- */

/* A text of size bytes. at is NULL for a text that was not given. */
typedef struct { const char *at; size_t size; } callgate_text;

/* A JSON value as it was written, checked before; at is NULL when not given. */
typedef struct { const char *at; size_t size; } callgate_value;

/* A number field: its value as a double, and as it was written. */
typedef struct { bool given; double value; callgate_text raw; } callgate_number;

CALLGATE_FN callgate_text callgate_slice(const char *at, size_t size) {
    callgate_text text;
    text.at = at;
    text.size = size;
    return text;
}

/* The text of a C string; NULL is a text that is not given. */
CALLGATE_FN callgate_text callgate_of(const char *string) {
    size_t size = 0;
    while (string != NULL && string[size] != 0) size++;
    return callgate_slice(string, size);
}

CALLGATE_FN bool callgate_same(callgate_text a, callgate_text b) {
    if (a.size != b.size) return false;
    for (size_t i = 0; i < a.size; i++)
        if (a.at[i] != b.at[i]) return false;
    return true;
}

CALLGATE_FN bool callgate_equal(callgate_text text, const char *string) {
    return callgate_same(text, callgate_of(string));
}

/* Where the byte first stands in text; text.size when nowhere. */
CALLGATE_FN size_t callgate_find(callgate_text text, char byte) {
    size_t i = 0;
    while (i < text.size && text.at[i] != byte) i++;
    return i;
}

/* The bytes of text from from (included) to to (not included); both are cut to its size. */
CALLGATE_FN callgate_text callgate_cut(callgate_text text, size_t from, size_t to) {
    if (to > text.size) to = text.size;
    if (from > to) from = to;
    return callgate_slice(text.at == NULL ? NULL : text.at + from, to - from);
}

/* Whether text matches pattern, in which * is any run of bytes. */
CALLGATE_FN bool callgate_wildcard(callgate_text pattern, callgate_text text) {
    size_t p = 0, t = 0, star = (size_t)-1, mark = 0;
    while (t < text.size) {
        if (p < pattern.size && pattern.at[p] == '*') {
            star = p++;
            mark = t;
        } else if (p < pattern.size && pattern.at[p] == text.at[t]) {
            p++;
            t++;
        } else if (star != (size_t)-1) {
            p = star + 1;
            t = ++mark;
        } else {
            return false;
        }
    }
    while (p < pattern.size && pattern.at[p] == '*') p++;
    return p == pattern.size;
}

/* ---- What an author declares and answers ---- */

/* An opinion on a call. Zero is passthrough: no opinion. */
typedef enum { CALLGATE_PASSTHROUGH, CALLGATE_ALLOW, CALLGATE_DENY, CALLGATE_ASK } callgate_behavior;

/* What a member of the input must be, and the C type that its field has:
 * callgate_text, callgate_number, bool, and callgate_value for the others. */
typedef enum { CALLGATE_TEXT, CALLGATE_NUMBER, CALLGATE_BOOLEAN, CALLGATE_LIST, CALLGATE_OBJECT, CALLGATE_ANY } callgate_kind;

/* One member of the input, at offset (offsetof) of the author's struct. One that
 * is not required and left out, or null, leaves zero there. */
typedef struct {
    const char *name;
    callgate_kind kind;
    bool required;
    size_t offset;
} callgate_field;

/* The field of a member of the author's struct that is named as in the input. A
 * member of another C type than its kind wants does not compile without a warning. */
#define CALLGATE_FIELD(type, member, kind, required) \
    {#member, kind, required, offsetof(type, member) + 0 * sizeof(0 ? &((type *)0)->member : (CG_TYPE_##kind *)0)}
#define CG_TYPE_CALLGATE_TEXT callgate_text
#define CG_TYPE_CALLGATE_NUMBER callgate_number
#define CG_TYPE_CALLGATE_BOOLEAN bool
#define CG_TYPE_CALLGATE_LIST callgate_value
#define CG_TYPE_CALLGATE_OBJECT callgate_value
#define CG_TYPE_CALLGATE_ANY callgate_value

typedef struct { callgate_text *at; size_t count; } callgate_texts;

/* One thing a call touches; the first three are what describe named, the rest
 * what the host found. An allowance needs inside, and neither error nor claimed. */
typedef struct {
    callgate_text kind, value, access;
    callgate_text resolved, lexical; /* links followed; cleaned, as written */
    bool exists;
    callgate_text inside; /* the working directory that holds both forms */
    bool repo;            /* there are facts about a repository: */
    callgate_text repo_root;
    callgate_texts repo_dirty;
    bool claimed; /* the path does not occur in the input */
    callgate_text error;
} callgate_target;

/* What surrounds a call. mode and annotations are not given in match and
 * read_only, targets not in describe. */
typedef struct {
    callgate_text agent, session, user, mode, cwd, project_root, home, kind, dialect, approver;
    callgate_texts working_directories, shell_changed, active_skills;
    bool resumed, targets_unknown;
    callgate_value annotations;
    callgate_target *targets;
    size_t target_count;
} callgate_context;

/* One call. input is the author's struct; unknown lists the members of the
 * input that no field names. */
typedef struct {
    callgate_text tool; /* the canonical name */
    const void *input;
    callgate_value raw;    /* the input as it came */
    callgate_value config; /* what the operator set; not given: nothing */
    callgate_texts unknown;
    callgate_context context;
    bool effects; /* in describe: the host reads effects */
} callgate_call;

typedef struct {
    callgate_behavior behavior;
    bool bypass_immune;     /* with CALLGATE_ASK only */
    callgate_text message;  /* for the model */
    callgate_text reason;   /* for the person */
} callgate_verdict;

typedef struct { bool read_only; callgate_text reason; } callgate_read_only;

/* root anchors relative path patterns; not given: the first working directory. */
typedef struct { callgate_text content, root; } callgate_rule;

/* Answers that grow: use callgate_propose, callgate_near_miss, callgate_touch (for marks as well). */
/* covers is the part of the call that the rule is for, such as one command of a
 * line; not given where the content shows it. */
typedef struct { callgate_text content, description, near_misses[4]; size_t near_miss_count; callgate_text covers; } callgate_suggestion;
typedef struct { callgate_suggestion *at; size_t count, room; } callgate_suggestions;
typedef struct { callgate_text kind, value, access; } callgate_thing;
typedef struct { callgate_thing *at; size_t count, room; } callgate_things;

/* One thing that a call does to one object, of the kinds of the ABI document. Rules
 * name it and cards show it, in the host's words; it allows nothing. certain is
 * false where the call may do less; how is a word that some kinds have. */
typedef struct { callgate_text kind, value, how; bool certain; } callgate_effect;
typedef struct { callgate_effect *at; size_t count, room; } callgate_effects;

/* The answer of describe. Zero says nothing of the call. */
typedef struct {
    callgate_text action, title, preview, language;
    const callgate_text *actions; /* one per part of a compound call */
    size_t action_count;
    callgate_things targets, marks;
    callgate_effects effects; /* use callgate_does */
    /* effects are all that the call does of their kinds; false says nothing, and then
     * a rule about effects asks. callgate_does sets it. */
    bool says_effects;
    bool targets_unknown;
    bool not_analysed; /* the actions do not say all that the call does */
    bool moves;
    bool changes_directory, changes_environment; /* of the shell that runs the call */
} callgate_description;

/* What a rule matches; the host tries it when it loads the module. input is JSON. */
typedef struct {
    const char *content;
    callgate_behavior behavior;
    const char *input;
    bool match;
    const char *cwd; /* NULL: /project */
} callgate_rule_example;

/* One tool. Only name is required. Each function left NULL has a safe default:
 * check passthrough; read_only read_only_tool; match callgate_match_parameters;
 * suggest the exact input, then the whole tool; describe nothing.
 *
 * Around them: an input without the fields' shape is a bypass-immune ask that
 * names the member, never read-only, covered by no allow rule and by every deny
 * and ask rule, has no suggestions and unknown targets. With members that no
 * field names (unless any_field) an allow becomes a passthrough, and the call is
 * not read-only, covered by no allow rule, and has no suggestions. read_only is
 * false when check denies or asks bypass-immune. */
typedef struct {
    const char *name;
    const char *const *aliases;
    size_t alias_count;
    const char *input_schema; /* JSON; NULL: {"type":"object"} */
    bool read_only_tool, edits_files; /* facts for people */
    bool any_field;
    const char *rule_help;
    const callgate_rule_example *rule_examples;
    size_t rule_example_count;
    const callgate_field *fields;
    size_t field_count;
    size_t input_size; /* sizeof the author's struct */

    callgate_verdict (*check)(const callgate_call *call);
    callgate_read_only (*read_only)(const callgate_call *call);
    /* Sets matched[i] for each of the count rules that decides. */
    void (*match)(const callgate_call *call, callgate_behavior behavior, const callgate_rule *rules, size_t count, bool *matched);
    void (*suggest)(const callgate_call *call, callgate_suggestions *suggestions);
    void (*describe)(const callgate_call *call, callgate_description *description);
} callgate_tool;

/* One wasm file. fallback names the tool that answers for unknown names, when the
 * operator made this module the one for them; NULL: such a call is an error. */
typedef struct {
    const char *name, *version, *summary;
    const callgate_tool *tools;
    size_t tool_count;
    const char *fallback;
} callgate_module;

#define CALLGATE_COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* What callgate_handle answers: JSON, or with ok false the words of an error. */
typedef struct { bool ok; callgate_text text; } callgate_answer;

/* ---- Memory ---- */

#ifdef __wasm__
#define CG_IMPORT(name) __attribute__((import_module("extism:host/env"), import_name(#name)))
CG_IMPORT(input_length) extern uint64_t cg_input_length(void);
CG_IMPORT(input_load_u8) extern uint32_t cg_input_load_u8(uint64_t at);
CG_IMPORT(input_load_u64) extern uint64_t cg_input_load_u64(uint64_t at);
CG_IMPORT(alloc) extern uint64_t cg_host_alloc(uint64_t size);
CG_IMPORT(store_u8) extern void cg_store_u8(uint64_t at, uint32_t byte);
CG_IMPORT(store_u64) extern void cg_store_u64(uint64_t at, uint64_t word);
CG_IMPORT(output_set) extern void cg_output_set(uint64_t at, uint64_t size);
CG_IMPORT(error_set) extern void cg_error_set(uint64_t at);

/* clang writes calls of these for struct copies; without -fno-builtin it would
 * make calls of themselves of their loops. */
__attribute__((weak)) void *memcpy(void *to, const void *from, size_t size) {
    for (size_t i = 0; i < size; i++) ((unsigned char *)to)[i] = ((const unsigned char *)from)[i];
    return to;
}
__attribute__((weak)) void *memset(void *to, int byte, size_t size) {
    for (size_t i = 0; i < size; i++) ((unsigned char *)to)[i] = (unsigned char)byte;
    return to;
}

extern unsigned char __heap_base;
static uintptr_t cg_top;

CALLGATE_FN void cg_reset(void) { cg_top = (uintptr_t)&__heap_base; }

/* Zeroed memory for size bytes. */
CALLGATE_FN void *cg_alloc(size_t size) {
    uintptr_t at = (cg_top + 7) & ~(uintptr_t)7;
    uint64_t end = (uint64_t)at + size;
    uint64_t have = (uint64_t)__builtin_wasm_memory_size(0) << 16;
    if (end > have && (end > UINT32_MAX || __builtin_wasm_memory_grow(0, (size_t)((end - have + 0xffff) >> 16)) == (size_t)-1)) __builtin_trap();
    cg_top = (uintptr_t)end;
    uint64_t *words = (uint64_t *)at; /* the call before may have written here */
    for (size_t i = 0; i < size / 8; i++) words[i] = 0;
    for (size_t i = size & ~(size_t)7; i < size; i++) ((char *)at)[i] = 0;
    return (void *)at;
}
#else
typedef struct cg_block { struct cg_block *next; } cg_block;
static cg_block *cg_blocks;

CALLGATE_FN void cg_reset(void) {
    while (cg_blocks != NULL) {
        cg_block *next = cg_blocks->next;
        free(cg_blocks);
        cg_blocks = next;
    }
}

CALLGATE_FN void *cg_alloc(size_t size) {
    /* One block for each, so that a sanitizer sees where it ends. */
    cg_block *block = size > SIZE_MAX - sizeof(cg_block) ? NULL : (cg_block *)calloc(1, sizeof(cg_block) + size);
    if (block == NULL) abort();
    block->next = cg_blocks;
    cg_blocks = block;
    return block + 1;
}
#endif

CALLGATE_FN void cg_copy(char *to, const char *from, size_t size) {
    for (size_t i = 0; i < size; i++) to[i] = from[i];
}

/* Makes room for one more of size bytes in a list that doubles. */
CALLGATE_FN void *cg_more(void *at, size_t count, size_t *room, size_t size) {
    if (count < *room) return at;
    size_t wider = *room == 0 ? 8 : *room * 2;
    if (wider > SIZE_MAX / size / 2) __builtin_trap();
    char *fresh = (char *)cg_alloc(wider * size);
    if (count > 0) cg_copy(fresh, (const char *)at, count * size);
    *room = wider;
    return fresh;
}

/* ---- Errors: the first one stays ---- */

static callgate_text cg_error;

/* a, b and c, one after the other. */
CALLGATE_FN callgate_text callgate_join(callgate_text a, callgate_text b, callgate_text c) {
    char *at = (char *)cg_alloc(a.size + b.size + c.size + 1);
    cg_copy(at, a.at, a.size);
    cg_copy(at + a.size, b.at, b.size);
    cg_copy(at + a.size + b.size, c.at, c.size);
    return callgate_slice(at, a.size + b.size + c.size);
}

/* Makes this call an error, for the host a failed verb. Returns false. */
CALLGATE_FN bool callgate_fail(const char *what, callgate_text detail) {
    if (cg_error.at == NULL) cg_error = callgate_join(callgate_of(what), callgate_cut(detail, 0, 200), callgate_of(""));
    return false;
}

/* ---- Reading JSON ---- */

/* Reads one text strictly: each name once in an object, UTF-8, no lone
 * surrogates, nothing after it, at most CALLGATE_MAX_DEPTH deep. */
typedef struct {
    const char *at, *end;
    const char *wrong; /* NULL: nothing yet */
    callgate_text *names; /* of the objects that are open */
    size_t name_count, name_room;
    uint32_t *table; /* of indices + 1 into names, by hash */
    size_t table_room;
} cg_reader;

CALLGATE_FN bool cg_wrong(cg_reader *r, const char *what) {
    if (r->wrong == NULL) r->wrong = what;
    return false;
}

CALLGATE_FN void cg_blanks(cg_reader *r) {
    while (r->at < r->end && (*r->at == ' ' || *r->at == '\t' || *r->at == '\n' || *r->at == '\r')) r->at++;
}

CALLGATE_FN bool cg_take(cg_reader *r, char byte) {
    if (r->at == r->end || *r->at != byte) return false;
    r->at++;
    return true;
}

CALLGATE_FN bool cg_is_digit(char c) { return c >= '0' && c <= '9'; }

CALLGATE_FN int cg_hex_digit(char c) {
    if (cg_is_digit(c)) return c - '0';
    if (c >= 'a' && c <= 'f') return c - 'a' + 10;
    if (c >= 'A' && c <= 'F') return c - 'A' + 10;
    return -1;
}

/* The four hexadecimal digits at at, or -1. */
CALLGATE_FN int32_t cg_hex4(const char *at, const char *end) {
    int32_t code = 0;
    if (end - at < 4) return -1;
    for (int i = 0; i < 4; i++) {
        int digit = cg_hex_digit(at[i]);
        if (digit < 0) return -1;
        code = code * 16 + digit;
    }
    return code;
}

/* How many bytes the UTF-8 sequence at at has; 0 when it is none. */
CALLGATE_FN size_t cg_rune_size(const char *at, const char *end) {
    const unsigned char *b = (const unsigned char *)at;
    size_t left = (size_t)(end - at);
    if (left == 0) return 0;
    if (b[0] < 0x80) return 1;
    if (b[0] < 0xc2 || b[0] > 0xf4 || left < 2 || (b[1] & 0xc0) != 0x80) return 0;
    if (b[0] < 0xe0) return 2;
    if ((b[0] == 0xe0 && b[1] < 0xa0) || (b[0] == 0xed && b[1] > 0x9f)) return 0;
    if ((b[0] == 0xf0 && b[1] < 0x90) || (b[0] == 0xf4 && b[1] > 0x8f)) return 0;
    if (left < 3 || (b[2] & 0xc0) != 0x80) return 0;
    if (b[0] < 0xf0) return 3;
    return left < 4 || (b[3] & 0xc0) != 0x80 ? 0 : 4;
}

CALLGATE_FN bool cg_valid_utf8(callgate_text text) {
    for (size_t i = 0; i < text.size;) {
        size_t size = cg_rune_size(text.at + i, text.at + text.size);
        if (size == 0) return false;
        i += size;
    }
    return true;
}

/* Checks what follows a backslash of a string. */
CALLGATE_FN bool cg_read_escape(cg_reader *r) {
    if (r->at == r->end) return cg_wrong(r, "a string does not end");
    char c = *r->at++;
    if (c != 'u') {
        const char *plain = "\"\\/bfnrt";
        while (*plain != 0 && *plain != c) plain++;
        return *plain != 0 || cg_wrong(r, "an escape that JSON does not have");
    }
    int32_t code = cg_hex4(r->at, r->end);
    if (code < 0) return cg_wrong(r, "an escape that JSON does not have");
    r->at += 4;
    if (code < 0xd800 || code > 0xdfff) return true;
    if (code > 0xdbff || r->end - r->at < 6 || r->at[0] != '\\' || r->at[1] != 'u') return cg_wrong(r, "a lone surrogate");
    code = cg_hex4(r->at + 2, r->end);
    if (code < 0xdc00 || code > 0xdfff) return cg_wrong(r, "a lone surrogate");
    r->at += 6;
    return true;
}

/* Checks a string; at is behind its first quote. */
CALLGATE_FN bool cg_read_string(cg_reader *r) {
    while (r->at < r->end) {
        unsigned char c = (unsigned char)*r->at;
        if (c == '"') {
            r->at++;
            return true;
        }
        if (c < 0x20) return cg_wrong(r, "a control character in a string");
        if (c == '\\') {
            r->at++;
            if (!cg_read_escape(r)) return false;
            continue;
        }
        size_t size = cg_rune_size(r->at, r->end);
        if (size == 0) return cg_wrong(r, "bytes that are not UTF-8");
        r->at += size;
    }
    return cg_wrong(r, "a string does not end");
}

CALLGATE_FN bool cg_read_digits(cg_reader *r) {
    const char *from = r->at;
    while (r->at < r->end && cg_is_digit(*r->at)) r->at++;
    return r->at > from || cg_wrong(r, "a number that JSON does not have");
}

CALLGATE_FN bool cg_read_number(cg_reader *r) {
    cg_take(r, '-');
    if (!cg_take(r, '0') && !cg_read_digits(r)) return false;
    if (cg_take(r, '.') && !cg_read_digits(r)) return false;
    if (cg_take(r, 'e') || cg_take(r, 'E')) {
        if (!cg_take(r, '+')) cg_take(r, '-');
        return cg_read_digits(r);
    }
    return true;
}

CALLGATE_FN bool cg_read_word(cg_reader *r, const char *word) {
    for (; *word != 0; word++)
        if (!cg_take(r, *word)) return cg_wrong(r, "a value that JSON does not have");
    return true;
}

CALLGATE_FN char *cg_put_rune(char *to, uint32_t rune) {
    if (rune < 0x80) {
        *to++ = (char)rune;
        return to;
    }
    if (rune < 0x800) {
        *to++ = (char)(0xc0 | rune >> 6);
    } else {
        if (rune < 0x10000) {
            *to++ = (char)(0xe0 | rune >> 12);
        } else {
            *to++ = (char)(0xf0 | rune >> 18);
            *to++ = (char)(0x80 | (rune >> 12 & 0x3f));
        }
        *to++ = (char)(0x80 | (rune >> 6 & 0x3f));
    }
    *to++ = (char)(0x80 | (rune & 0x3f));
    return to;
}

/* The rune of an escape \uXXXX, or of two; *at is behind the u and is moved on. */
CALLGATE_FN uint32_t cg_escaped_rune(const char **at, const char *end) {
    uint32_t rune = (uint32_t)cg_hex4(*at, end);
    *at += 4;
    if (rune < 0xd800 || rune > 0xdbff) return rune;
    uint32_t low = (uint32_t)cg_hex4(*at + 2, end);
    *at += 6;
    return 0x10000 + ((rune - 0xd800) << 10) + (low - 0xdc00);
}

/* The characters of a checked string, quotes and all; no memory when nothing is escaped. */
CALLGATE_FN callgate_text cg_unquote(const char *at, size_t size) {
    callgate_text raw = callgate_slice(at + 1, size - 2);
    size_t first = callgate_find(raw, '\\');
    if (first == raw.size) return raw;
    char *out = (char *)cg_alloc(raw.size), *to = out + first;
    cg_copy(out, raw.at, first);
    const char *from = raw.at + first, *end = raw.at + raw.size;
    while (from < end) {
        char c = *from++;
        if (c != '\\') {
            *to++ = c;
            continue;
        }
        switch (c = *from++) {
        case 'b': *to++ = '\b'; break;
        case 'f': *to++ = '\f'; break;
        case 'n': *to++ = '\n'; break;
        case 'r': *to++ = '\r'; break;
        case 't': *to++ = '\t'; break;
        case 'u': to = cg_put_rune(to, cg_escaped_rune(&from, end)); break;
        default: *to++ = c;
        }
    }
    return callgate_slice(out, (size_t)(to - out));
}

CALLGATE_FN uint32_t cg_hash(callgate_text text) {
    uint32_t hash = 2166136261u;
    for (size_t i = 0; i < text.size; i++) hash = (hash ^ (unsigned char)text.at[i]) * 16777619u;
    return hash ^ hash >> 15;
}

/* Whether of the names from first on each occurs once. */
CALLGATE_FN bool cg_names_once(cg_reader *r, size_t first) {
    size_t count = r->name_count - first;
    if (count < 12) {
        for (size_t i = first + 1; i < r->name_count; i++)
            for (size_t j = first; j < i; j++)
                if (callgate_same(r->names[i], r->names[j])) return cg_wrong(r, "a name occurs twice in one object");
        return true;
    }
    size_t room = 32;
    while (room < count * 2) room *= 2;
    if (room > r->table_room) {
        r->table = (uint32_t *)cg_alloc(room * sizeof(uint32_t));
        r->table_room = room;
    } else {
        for (size_t i = 0; i < room; i++) r->table[i] = 0;
    }
    for (size_t i = first; i < r->name_count; i++) {
        size_t slot = cg_hash(r->names[i]) & (room - 1);
        for (; r->table[slot] != 0; slot = (slot + 1) & (room - 1))
            if (callgate_same(r->names[i], r->names[r->table[slot] - 1])) return cg_wrong(r, "a name occurs twice in one object");
        r->table[slot] = (uint32_t)i + 1;
    }
    return true;
}

CALLGATE_FN bool cg_read_value(cg_reader *r, unsigned depth);

CALLGATE_FN bool cg_read_object(cg_reader *r, unsigned depth) {
    size_t first = r->name_count;
    cg_blanks(r);
    if (cg_take(r, '}')) return true;
    do {
        cg_blanks(r);
        const char *from = r->at;
        if (!cg_take(r, '"')) return cg_wrong(r, "an object wants a name");
        if (!cg_read_string(r)) return false;
        r->names = (callgate_text *)cg_more(r->names, r->name_count, &r->name_room, sizeof(callgate_text));
        r->names[r->name_count++] = cg_unquote(from, (size_t)(r->at - from));
        cg_blanks(r);
        if (!cg_take(r, ':')) return cg_wrong(r, "an object wants a colon");
        if (!cg_read_value(r, depth)) return false;
        cg_blanks(r);
    } while (cg_take(r, ','));
    if (!cg_take(r, '}')) return cg_wrong(r, "an object does not end");
    if (!cg_names_once(r, first)) return false;
    r->name_count = first;
    return true;
}

CALLGATE_FN bool cg_read_list(cg_reader *r, unsigned depth) {
    cg_blanks(r);
    if (cg_take(r, ']')) return true;
    do {
        if (!cg_read_value(r, depth)) return false;
        cg_blanks(r);
    } while (cg_take(r, ','));
    return cg_take(r, ']') || cg_wrong(r, "a list does not end");
}

CALLGATE_FN bool cg_read_value(cg_reader *r, unsigned depth) {
    cg_blanks(r);
    if (r->at == r->end) return cg_wrong(r, "a value is missing");
    switch (*r->at) {
    case '{':
    case '[':
        if (depth == CALLGATE_MAX_DEPTH) return cg_wrong(r, "lists and objects are nested too deep");
        return *r->at++ == '{' ? cg_read_object(r, depth + 1) : cg_read_list(r, depth + 1);
    case '"': r->at++; return cg_read_string(r);
    case 't': return cg_read_word(r, "true");
    case 'f': return cg_read_word(r, "false");
    case 'n': return cg_read_word(r, "null");
    default: return cg_read_number(r);
    }
}

/* Reads text as one JSON value. wrong says what is amiss, NULL for nothing. */
CALLGATE_FN callgate_value callgate_parse(callgate_text text, const char **wrong) {
    cg_reader r = {NULL, NULL, NULL, NULL, 0, 0, NULL, 0};
    callgate_value value = {NULL, 0};
    if (text.at == NULL) text = callgate_of("");
    r.at = text.at;
    r.end = text.at + text.size;
    cg_blanks(&r);
    const char *from = r.at;
    if (cg_read_value(&r, 0)) {
        value.at = from;
        value.size = (size_t)(r.at - from);
        cg_blanks(&r);
        if (r.at < r.end) cg_wrong(&r, "there is more after the value");
    }
    *wrong = r.wrong;
    if (r.wrong != NULL) value.at = NULL, value.size = 0;
    return value;
}

/* '{', '[', '"', '0' for a number, 't' for true, 'f', 'n'; 0 when not given. */
CALLGATE_FN char callgate_kind_of(callgate_value value) {
    if (value.at == NULL || value.size == 0) return 0;
    return *value.at == '-' || cg_is_digit(*value.at) ? '0' : *value.at;
}

/* A string's characters, any other value as it is written. */
CALLGATE_FN callgate_text callgate_plain(callgate_value value) {
    return callgate_kind_of(value) == '"' ? cg_unquote(value.at, value.size) : callgate_slice(value.at, value.size);
}

/* Walks what a checked list or object holds; nothing for another value. */
typedef struct { const char *at, *end; } callgate_walk;

CALLGATE_FN callgate_walk callgate_inside(callgate_value value) {
    callgate_walk walk = {NULL, NULL};
    char kind = callgate_kind_of(value);
    if (kind == '{' || kind == '[') {
        walk.at = value.at + 1;
        walk.end = value.at + value.size - 1;
    }
    return walk;
}

CALLGATE_FN const char *cg_after_string(const char *at) {
    for (at++; *at != '"'; at++)
        if (*at == '\\') at++;
    return at + 1;
}

CALLGATE_FN const char *cg_after_value(const char *at, const char *end) {
    size_t open = 0;
    do {
        char c = *at;
        if (c == '"') {
            at = cg_after_string(at);
        } else if (c == '{' || c == '[' || c == '}' || c == ']') {
            open = c == '{' || c == '[' ? open + 1 : open - 1;
            at++;
        } else if (open > 0) {
            at++;
        } else {
            while (at < end && *at > ' ' && *at != ',' && *at != '}' && *at != ']') at++;
        }
    } while (open > 0);
    return at;
}

CALLGATE_FN void cg_to_next(callgate_walk *walk) {
    while (walk->at < walk->end && (*walk->at == ' ' || *walk->at == '\t' || *walk->at == '\n' || *walk->at == '\r' || *walk->at == ',' || *walk->at == ':')) walk->at++;
}

/* The next item of a list; false after the last. */
CALLGATE_FN bool callgate_next(callgate_walk *walk, callgate_value *item) {
    cg_to_next(walk);
    if (walk->at == walk->end) return false;
    item->at = walk->at;
    walk->at = cg_after_value(walk->at, walk->end);
    item->size = (size_t)(walk->at - item->at);
    return true;
}

/* The next member of an object; false after the last. */
CALLGATE_FN bool callgate_next_member(callgate_walk *walk, callgate_text *name, callgate_value *member) {
    callgate_value quoted;
    if (!callgate_next(walk, &quoted)) return false;
    *name = cg_unquote(quoted.at, quoted.size);
    return callgate_next(walk, member);
}

/* An object's member of this name; not given when it has none or is no object. */
CALLGATE_FN callgate_value callgate_member(callgate_value object, const char *name) {
    callgate_value member = {NULL, 0}, none = {NULL, 0};
    if (callgate_kind_of(object) != '{') return none;
    callgate_walk walk = callgate_inside(object);
    callgate_text own;
    while (callgate_next_member(&walk, &own, &member))
        if (callgate_equal(own, name)) return member;
    return none;
}

/* ---- Writing JSON ---- */

/* A growing JSON text; zero is an empty one. */
typedef struct { char *at; size_t size, room; bool comma; } callgate_writer;

CALLGATE_FN void cg_put(callgate_writer *w, callgate_text text) {
    if (text.size > w->room - w->size) {
        size_t room = (w->size + text.size) * 2 + 64;
        char *fresh = (char *)cg_alloc(room);
        cg_copy(fresh, w->at, w->size);
        w->at = fresh;
        w->room = room;
    }
    cg_copy(w->at + w->size, text.at, text.size);
    w->size += text.size;
}

CALLGATE_FN void cg_put_byte(callgate_writer *w, char byte) { cg_put(w, callgate_slice(&byte, 1)); }

/* A string in quotes, escaped no more than JSON wants it. */
CALLGATE_FN void cg_quote(callgate_writer *w, callgate_text text) {
    if (!cg_valid_utf8(text)) callgate_fail("a text of the answer is not UTF-8", callgate_of(""));
    cg_put_byte(w, '"');
    size_t from = 0;
    for (size_t i = 0; i < text.size; i++) {
        unsigned char c = (unsigned char)text.at[i];
        if (c >= 0x20 && c != '"' && c != '\\') continue;
        cg_put(w, callgate_cut(text, from, i));
        from = i + 1;
        cg_put_byte(w, '\\');
        switch (c) {
        case '\b': cg_put_byte(w, 'b'); break;
        case '\f': cg_put_byte(w, 'f'); break;
        case '\n': cg_put_byte(w, 'n'); break;
        case '\r': cg_put_byte(w, 'r'); break;
        case '\t': cg_put_byte(w, 't'); break;
        case '"':
        case '\\': cg_put_byte(w, (char)c); break;
        default:
            cg_put(w, callgate_of("u00"));
            cg_put_byte(w, "0123456789abcdef"[c >> 4]);
            cg_put_byte(w, "0123456789abcdef"[c & 15]);
        }
    }
    cg_put(w, callgate_cut(text, from, text.size));
    cg_put_byte(w, '"');
}

CALLGATE_FN void cg_separate(callgate_writer *w) {
    if (w->comma) cg_put_byte(w, ',');
    w->comma = true;
}

/* Opens a list or an object: bracket is '[' or '{'. */
CALLGATE_FN void callgate_open(callgate_writer *w, char bracket) {
    cg_separate(w);
    cg_put_byte(w, bracket);
    w->comma = false;
}

/* Closes it: bracket is ']' or '}'. */
CALLGATE_FN void callgate_close(callgate_writer *w, char bracket) {
    cg_put_byte(w, bracket);
    w->comma = true;
}

/* The name of an object's next member. */
CALLGATE_FN void callgate_name(callgate_writer *w, const char *name) {
    cg_separate(w);
    cg_quote(w, callgate_of(name));
    cg_put_byte(w, ':');
    w->comma = false;
}

CALLGATE_FN void callgate_string(callgate_writer *w, callgate_text text) {
    cg_separate(w);
    cg_quote(w, text);
}

CALLGATE_FN void callgate_boolean(callgate_writer *w, bool yes) {
    cg_separate(w);
    cg_put(w, callgate_of(yes ? "true" : "false"));
}

/* A value that is JSON already; checked. */
CALLGATE_FN void callgate_json(callgate_writer *w, callgate_text json) {
    const char *wrong;
    callgate_value value = callgate_parse(json, &wrong);
    if (wrong != NULL) callgate_fail("a JSON text of the module's own is wrong: ", callgate_of(wrong));
    cg_separate(w);
    cg_put(w, callgate_slice(value.at, value.size));
}

/* What was written. */
CALLGATE_FN callgate_text callgate_written(const callgate_writer *w) { return callgate_slice(w->at, w->size); }

/* A member that is left out when its text is empty. */
CALLGATE_FN void cg_text_member(callgate_writer *w, const char *name, callgate_text text) {
    if (text.size == 0) return;
    callgate_name(w, name);
    callgate_string(w, text);
}

/* A member that is left out when it is false. */
CALLGATE_FN void cg_true_member(callgate_writer *w, const char *name, bool yes) {
    if (!yes) return;
    callgate_name(w, name);
    callgate_boolean(w, true);
}

/* ---- Answers that grow ---- */

/* Proposes a rule; a content that is not given (callgate_of(NULL)) is the whole tool. */
CALLGATE_FN callgate_suggestion *callgate_propose(callgate_suggestions *list, callgate_text content, callgate_text description) {
    list->at = (callgate_suggestion *)cg_more(list->at, list->count, &list->room, sizeof(callgate_suggestion));
    callgate_suggestion *s = &list->at[list->count++];
    s->content = content;
    s->description = description;
    return s;
}

/* Adds an input, a JSON object, that the rule must not match: at most four. Use
 * the suggestion before the next is proposed. */
CALLGATE_FN void callgate_near_miss(callgate_suggestion *s, callgate_text input) {
    if (s->near_miss_count == CALLGATE_COUNT(s->near_misses)) {
        callgate_fail("a suggestion has more than four near misses", callgate_of(""));
        return;
    }
    s->near_misses[s->near_miss_count++] = input;
}

/* Adds a target or a mark: its kind, value and access (read, write, run). */
CALLGATE_FN void callgate_touch(callgate_things *list, const char *kind, callgate_text value, const char *access) {
    list->at = (callgate_thing *)cg_more(list->at, list->count, &list->room, sizeof(callgate_thing));
    callgate_thing *t = &list->at[list->count++];
    t->kind = callgate_of(kind);
    t->value = value;
    t->access = callgate_of(access);
}

/* Adds an effect; how NULL: none. Left out for a host that does not read effects. */
CALLGATE_FN void callgate_does(callgate_description *d, const char *kind, callgate_text value, bool certain, const char *how) {
    callgate_effects *list = &d->effects;
    list->at = (callgate_effect *)cg_more(list->at, list->count, &list->room, sizeof(callgate_effect));
    callgate_effect *e = &list->at[list->count++];
    e->kind = callgate_of(kind);
    e->value = value;
    e->how = callgate_of(how);
    e->certain = certain;
    d->says_effects = true;
}

/* ---- Numbers ---- */

#define CG_WORDS 132 /* 4224 bits: 781 digits by a power of ten that a double reaches */

typedef struct { uint32_t word[CG_WORDS]; int size; } cg_big;

CALLGATE_FN void cg_big_multiply(cg_big *b, uint32_t by, uint32_t carry) {
    for (int i = 0; i < b->size; i++) {
        uint64_t product = (uint64_t)b->word[i] * by + carry;
        b->word[i] = (uint32_t)product;
        carry = (uint32_t)(product >> 32);
    }
    if (carry > 0 && b->size < CG_WORDS) b->word[b->size++] = carry;
}

CALLGATE_FN int cg_big_bits(const cg_big *b) {
    int bits = b->size * 32;
    if (b->size == 0) return 0;
    for (uint32_t top = b->word[b->size - 1]; (top & 0x80000000u) == 0; top <<= 1) bits--;
    return bits;
}

CALLGATE_FN void cg_big_shift(cg_big *b, int by) {
    for (; by >= 16; by -= 16) cg_big_multiply(b, 1u << 16, 0);
    cg_big_multiply(b, 1u << by, 0);
}

/* a - b as a sign. */
CALLGATE_FN int cg_big_compare(const cg_big *a, const cg_big *b) {
    if (a->size != b->size) return a->size < b->size ? -1 : 1;
    for (int i = a->size - 1; i >= 0; i--)
        if (a->word[i] != b->word[i]) return a->word[i] < b->word[i] ? -1 : 1;
    return 0;
}

/* a becomes a - b, which is not negative. */
CALLGATE_FN void cg_big_subtract(cg_big *a, const cg_big *b) {
    uint32_t borrow = 0;
    for (int i = 0; i < a->size; i++) {
        uint64_t take = (uint64_t)(i < b->size ? b->word[i] : 0) + borrow;
        borrow = a->word[i] < take;
        a->word[i] = (uint32_t)(a->word[i] - take);
    }
    while (a->size > 0 && a->word[a->size - 1] == 0) a->size--;
}

/* The bits of the double nearest to over / under, the even one of two. */
CALLGATE_FN uint64_t cg_quotient(cg_big *over, cg_big *under) {
    int exponent = cg_big_bits(over) - cg_big_bits(under);
    if (exponent >= 0) cg_big_shift(under, exponent);
    else cg_big_shift(over, -exponent);
    if (cg_big_compare(over, under) < 0) {
        cg_big_shift(over, 1);
        exponent--;
    }
    int bits = exponent >= -1022 ? 53 : 53 + 1022 + exponent;
    uint64_t mantissa = 0;
    if (bits < 0) return 0;
    if (exponent > 1023) return (uint64_t)0x7ff << 52;
    for (int i = 0; i < bits; i++) {
        mantissa *= 2;
        if (cg_big_compare(over, under) >= 0) {
            cg_big_subtract(over, under);
            mantissa++;
        }
        cg_big_shift(over, 1);
    }
    int rest = cg_big_compare(over, under);
    if (rest > 0 || (rest == 0 && (mantissa & 1) != 0)) mantissa++;
    return exponent >= -1022 ? ((uint64_t)(exponent + 1022) << 52) + mantissa : mantissa;
}

/* The bits of the double that text, a decimal number, is nearest to, with one
 * zero. false when text is no number; a larger one than doubles have is infinite. */
CALLGATE_FN bool cg_double_bits(callgate_text text, uint64_t *bits) {
    cg_big over, under;
    const char *at = text.at, *end = text.at + text.size;
    bool minus = at < end && *at == '-', any = false, point = false, lost = false;
    int kept = 0;
    int64_t exponent = 0, written = 0;
    over.size = 0;
    if (at < end && (*at == '-' || *at == '+')) at++;
    for (; at < end && (cg_is_digit(*at) || (*at == '.' && !point)); at++) {
        if (*at == '.') {
            point = true;
            continue;
        }
        any = true;
        if (point) exponent--;
        if (kept == 0 && *at == '0') continue;
        if (kept < 780) {
            cg_big_multiply(&over, 10, (uint32_t)(*at - '0'));
            kept++;
        } else {
            exponent++;
            lost = lost || *at != '0';
        }
    }
    if (!any) return false;
    if (at < end && (*at == 'e' || *at == 'E')) {
        bool down = ++at < end && *at == '-';
        if (at < end && (*at == '-' || *at == '+')) at++;
        if (at == end) return false;
        for (; at < end && cg_is_digit(*at); at++)
            if (written < 100000000000) written = written * 10 + (*at - '0');
        exponent += down ? -written : written;
    }
    if (at < end) return false;
    if (lost) { /* what was left out only tells which side of a half it is on */
        cg_big_multiply(&over, 10, 1);
        exponent--;
        kept++;
    }
    if (kept == 0 || exponent + kept < -330) *bits = 0;
    else if (exponent + kept > 310) *bits = (uint64_t)0x7ff << 52;
    else {
        under.size = 1;
        under.word[0] = 1;
        for (; exponent > 0; exponent--) cg_big_multiply(&over, 10, 0);
        for (; exponent < 0; exponent++) cg_big_multiply(&under, 10, 0);
        *bits = cg_quotient(&over, &under);
    }
    if (minus && *bits != 0) *bits |= (uint64_t)1 << 63;
    return true;
}

/* ---- The rules of tools whose input only they understand ---- */

/* A name of an object and its member, while they are put in order. */
typedef struct { callgate_text name; callgate_value member; } cg_pair;

/* a before b by UTF-16 code units, as RFC 8785 orders names. */
CALLGATE_FN bool cg_name_before(callgate_text a, callgate_text b) {
    for (size_t i = 0; i < a.size && i < b.size; i++) {
        unsigned char x = (unsigned char)a.at[i], y = (unsigned char)b.at[i];
        if (x == y) continue;
        /* runes beyond U+FFFF are surrogates there, which come before U+E000 */
        if (x >= 0xee && y >= 0xee && (x >= 0xf0) != (y >= 0xf0)) return x >= 0xf0;
        return x < y;
    }
    return a.size < b.size;
}

CALLGATE_FN void cg_sift(cg_pair *pairs, size_t at, size_t count) {
    for (;;) {
        size_t child = at * 2 + 1;
        if (child >= count) return;
        if (child + 1 < count && cg_name_before(pairs[child].name, pairs[child + 1].name)) child++;
        if (!cg_name_before(pairs[at].name, pairs[child].name)) return;
        cg_pair other = pairs[at];
        pairs[at] = pairs[child];
        pairs[child] = other;
        at = child;
    }
}

CALLGATE_FN void cg_sort(cg_pair *pairs, size_t count) {
    for (size_t i = count / 2; i > 0; i--) cg_sift(pairs, i - 1, count);
    for (size_t i = count; i > 1; i--) {
        cg_pair last = pairs[i - 1];
        pairs[i - 1] = pairs[0];
        pairs[0] = last;
        cg_sift(pairs, 0, i - 1);
    }
}

CALLGATE_FN void cg_write_number(callgate_writer *w, callgate_value value, bool rounded) {
    callgate_text text = callgate_plain(value);
    uint64_t bits;
    cg_separate(w);
    if (!rounded || !cg_double_bits(text, &bits)) {
        cg_put(w, text);
        return;
    }
    cg_put_byte(w, '#'); /* only compared with others of its kind */
    for (int i = 60; i >= 0; i -= 4) cg_put_byte(w, "0123456789abcdef"[bits >> i & 15]);
}

/* Writes a checked value with its names in order and without blanks; rounded: with
 * its numbers as a double has them, for comparison. */
CALLGATE_FN void cg_write_canonical(callgate_writer *w, callgate_value value, bool rounded) {
    callgate_walk walk = callgate_inside(value);
    callgate_value item = {NULL, 0};
    char kind = callgate_kind_of(value);
    if (kind == '[') {
        callgate_open(w, '[');
        while (callgate_next(&walk, &item)) cg_write_canonical(w, item, rounded);
        callgate_close(w, ']');
    } else if (kind == '{') {
        cg_pair *pairs = NULL;
        size_t count = 0, room = 0;
        callgate_text name = {NULL, 0};
        while (callgate_next_member(&walk, &name, &item)) {
            pairs = (cg_pair *)cg_more(pairs, count, &room, sizeof(cg_pair));
            pairs[count].name = name;
            pairs[count++].member = item;
        }
        cg_sort(pairs, count);
        callgate_open(w, '{');
        for (size_t i = 0; i < count; i++) {
            cg_separate(w);
            cg_quote(w, pairs[i].name);
            cg_put_byte(w, ':');
            w->comma = false;
            cg_write_canonical(w, pairs[i].member, rounded);
        }
        callgate_close(w, '}');
    } else if (kind == '"') {
        callgate_string(w, callgate_plain(value));
    } else if (kind == '0') {
        cg_write_number(w, value, rounded);
    } else {
        cg_separate(w);
        cg_put(w, callgate_plain(value));
    }
}

/* A checked value as rules spell it: names in order, no blanks, strings escaped
 * no more than JSON wants it, numbers as they are written. */
CALLGATE_FN callgate_text callgate_canonical(callgate_value value) {
    callgate_writer w = {NULL, 0, 0, false};
    cg_write_canonical(&w, value, false);
    return callgate_written(&w);
}

CALLGATE_FN callgate_text cg_rounded(callgate_value value) {
    callgate_writer w = {NULL, 0, 0, false};
    cg_write_canonical(&w, value, true);
    return callgate_written(&w);
}

/* The next character of a name at *at, without its case; outside ASCII one for all. */
CALLGATE_FN char cg_folded(callgate_text name, size_t *at) {
    size_t size = cg_rune_size(name.at + *at, name.at + name.size);
    callgate_text rune = callgate_cut(name, *at, *at + (size == 0 ? 1 : size));
    *at += rune.size;
    if (rune.size == 1) return *rune.at >= 'A' && *rune.at <= 'Z' ? (char)(*rune.at + 32) : *rune.at;
    if (callgate_equal(rune, "\xc5\xbf")) return 's';     /* U+017F */
    if (callgate_equal(rune, "\xe2\x84\xaa")) return 'k'; /* U+212A */
    return -1;
}

/* Whether two names are the same but for case. Outside ASCII any two characters
 * count as that, but for the two that ASCII letters have there: deny and ask
 * rules err on their side, and the tables of Unicode are larger than a module. */
CALLGATE_FN bool cg_same_name(callgate_text a, callgate_text b) {
    size_t i = 0, j = 0;
    while (i < a.size && j < b.size)
        if (cg_folded(a, &i) != cg_folded(b, &j)) return false;
    return i == a.size && j == b.size;
}

CALLGATE_FN bool cg_allows_value(callgate_value value, callgate_text pattern) {
    char kind = callgate_kind_of(value);
    if ((kind == '[' || kind == '{') && !callgate_equal(pattern, "*")) return callgate_same(callgate_plain(value), pattern);
    return callgate_wildcard(pattern, callgate_plain(value));
}

CALLGATE_FN bool cg_catches_value(callgate_value value, callgate_text pattern) {
    char kind = callgate_kind_of(value);
    if (callgate_wildcard(pattern, callgate_plain(value))) return true;
    if (kind == '0') {
        uint64_t a, b;
        return cg_double_bits(pattern, &a) && cg_double_bits(callgate_plain(value), &b) && a == b;
    }
    callgate_walk walk = callgate_inside(value);
    callgate_text name;
    callgate_value item;
    while (kind == '{' ? callgate_next_member(&walk, &name, &item) : callgate_next(&walk, &item))
        if (cg_catches_value(item, pattern)) return true;
    return false;
}

/* An input as rules are compared with it: canonical. */
typedef struct {
    callgate_value whole;
    callgate_text rounded;
    callgate_behavior behavior;
    bool inherits; /* a member may stand for others */
} cg_parameters;

CALLGATE_FN bool cg_match_parameter(cg_parameters *in, callgate_text content) {
    const char *wrong;
    callgate_value exact = callgate_parse(content, &wrong);
    if (wrong == NULL) {
        if (callgate_same(callgate_canonical(exact), callgate_plain(in->whole))) return true;
        if (in->behavior == CALLGATE_ALLOW) return false;
        if (in->rounded.at == NULL) in->rounded = cg_rounded(in->whole);
        return callgate_same(cg_rounded(exact), in->rounded);
    }
    size_t colon = callgate_find(content, ':');
    bool ok = colon < content.size, allow = in->behavior == CALLGATE_ALLOW;
    callgate_text param = callgate_cut(content, 0, colon), pattern = callgate_cut(content, colon + 1, content.size), name;
    callgate_value member;
    if (!ok || in->inherits) return !allow;
    callgate_walk walk = callgate_inside(in->whole);
    while (callgate_next_member(&walk, &name, &member)) {
        if (allow ? callgate_same(name, param) && cg_allows_value(member, pattern) : cg_same_name(name, param) && cg_catches_value(member, pattern)) return true;
    }
    return false;
}

/* The default match. A rule's content is the input as JSON (compared canonically)
 * or "param:value", where value may hold * for any run of characters.
 *
 * As an allow rule "param:value" speaks of one plain value; a list or an object
 * it covers only as a whole, written as JSON, or with the value *. As a deny or
 * ask rule it also holds for what lists and objects hold, for a name in another
 * case, for a number written otherwise, and for an input with a member such as
 * "__proto__", which may stand for any other. A content of neither form allows
 * nothing and denies everything. */
CALLGATE_FN void callgate_match_parameters(const callgate_call *call, callgate_behavior behavior, const callgate_rule *rules, size_t count, bool *matched) {
    cg_parameters in = {{NULL, 0}, {NULL, 0}, CALLGATE_PASSTHROUGH, false};
    callgate_text whole = callgate_canonical(call->raw);
    in.whole.at = whole.at;
    in.whole.size = whole.size;
    in.behavior = behavior;
    in.inherits = callgate_member(in.whole, "__proto__").at != NULL || callgate_member(in.whole, "constructor").at != NULL || callgate_member(in.whole, "prototype").at != NULL;
    for (size_t i = 0; i < count; i++) matched[i] = cg_match_parameter(&in, rules[i].content);
}

CALLGATE_FN void cg_suggest_parameters(const callgate_call *call, callgate_suggestions *list) {
    callgate_text exact = callgate_canonical(call->raw);
    if (exact.size <= CALLGATE_MAX_SUGGESTION) callgate_propose(list, exact, callgate_of("exactly this input"));
    callgate_propose(list, callgate_of(NULL), callgate_join(callgate_of("every call of "), call->tool, callgate_of("")));
}

/* ---- The envelope ---- */

CALLGATE_FN const char *cg_kind_words(char kind) {
    switch (kind) {
    case '{': return "an object";
    case '[': return "a list";
    case '"': return "a text";
    case '0': return "a number";
    case 't':
    case 'f': return "true or false";
    case 'n': return "null";
    default: return "nothing";
    }
}

/* Whether a member of the envelope is there and has this kind; another kind is
 * an error, null is as if it were not there. */
CALLGATE_FN bool cg_given(callgate_value value, char kind, const char *name) {
    char own = callgate_kind_of(value);
    if (own == 0 || own == 'n') return false;
    if (own == 'f') own = 't';
    return own == kind || callgate_fail("the envelope has another kind of value than the ABI says: ", callgate_of(name));
}

CALLGATE_FN callgate_text cg_text_of(callgate_value object, const char *name) {
    callgate_value value = callgate_member(object, name);
    return cg_given(value, '"', name) ? callgate_plain(value) : callgate_of(NULL);
}

CALLGATE_FN bool cg_boolean_of(callgate_value object, const char *name) {
    callgate_value value = callgate_member(object, name);
    return cg_given(value, 't', name) && *value.at == 't';
}

CALLGATE_FN void cg_add_text(callgate_texts *list, size_t *room, callgate_text text) {
    list->at = (callgate_text *)cg_more(list->at, list->count, room, sizeof(callgate_text));
    list->at[list->count++] = text;
}

CALLGATE_FN callgate_texts cg_texts_of(callgate_value object, const char *name) {
    callgate_texts list = {NULL, 0};
    size_t room = 0;
    callgate_value value = callgate_member(object, name), item;
    if (!cg_given(value, '[', name)) return list;
    callgate_walk walk = callgate_inside(value);
    while (callgate_next(&walk, &item)) cg_add_text(&list, &room, cg_given(item, '"', name) ? callgate_plain(item) : callgate_of(""));
    return list;
}

CALLGATE_FN void cg_read_target(callgate_value value, callgate_target *t) {
    if (!cg_given(value, '{', "targets")) return;
    t->kind = cg_text_of(value, "kind");
    t->value = cg_text_of(value, "value");
    t->access = cg_text_of(value, "access");
    t->resolved = cg_text_of(value, "resolved");
    t->lexical = cg_text_of(value, "lexical");
    t->exists = cg_boolean_of(value, "exists");
    t->inside = cg_text_of(value, "inside");
    t->claimed = cg_boolean_of(value, "claimed");
    t->error = cg_text_of(value, "error");
    callgate_value repo = callgate_member(value, "repo");
    t->repo = cg_given(repo, '{', "repo");
    if (!t->repo) return;
    t->repo_root = cg_text_of(repo, "root");
    t->repo_dirty = cg_texts_of(repo, "dirty");
}

CALLGATE_FN void cg_read_context(callgate_value value, callgate_context *c) {
    if (!cg_given(value, '{', "context")) return;
    c->agent = cg_text_of(value, "agent");
    c->session = cg_text_of(value, "session");
    c->user = cg_text_of(value, "user");
    c->mode = cg_text_of(value, "mode");
    c->cwd = cg_text_of(value, "cwd");
    c->working_directories = cg_texts_of(value, "working_directories");
    c->project_root = cg_text_of(value, "project_root");
    c->home = cg_text_of(value, "home");
    c->kind = cg_text_of(value, "kind");
    c->dialect = cg_text_of(value, "dialect");
    c->shell_changed = cg_texts_of(value, "shell_changed");
    c->resumed = cg_boolean_of(value, "resumed");
    c->approver = cg_text_of(value, "approver");
    c->active_skills = cg_texts_of(value, "active_skills");
    c->annotations = callgate_member(value, "annotations");
    c->targets_unknown = cg_boolean_of(value, "targets_unknown");
    callgate_value targets = callgate_member(value, "targets"), item;
    if (!cg_given(targets, '[', "targets")) return;
    callgate_walk walk = callgate_inside(targets);
    size_t room = 0;
    while (callgate_next(&walk, &item)) {
        c->targets = (callgate_target *)cg_more(c->targets, c->target_count, &room, sizeof(callgate_target));
        cg_read_target(item, &c->targets[c->target_count++]);
    }
}

/* One call as far as it could be read. */
typedef struct {
    const callgate_tool *tool;
    callgate_call call;
    bool decoded;         /* the input has its fields' shape; problem says why not */
    callgate_text problem;
    bool complete;        /* the fields name every member of the input */
    bool covers;          /* the host reads what a suggestion covers */
    callgate_behavior behavior; /* of match_rule; passthrough: none */
    callgate_rule *rules;
    size_t rule_count;
} cg_reading;

CALLGATE_FN void cg_read_rules(callgate_value envelope, cg_reading *r) {
    callgate_text behavior = cg_text_of(envelope, "behavior");
    if (callgate_equal(behavior, "allow")) r->behavior = CALLGATE_ALLOW;
    if (callgate_equal(behavior, "deny")) r->behavior = CALLGATE_DENY;
    if (callgate_equal(behavior, "ask")) r->behavior = CALLGATE_ASK;
    callgate_value rules = callgate_member(envelope, "rules"), item;
    if (!cg_given(rules, '[', "rules")) return;
    callgate_walk walk = callgate_inside(rules);
    size_t room = 0;
    while (callgate_next(&walk, &item)) {
        r->rules = (callgate_rule *)cg_more(r->rules, r->rule_count, &room, sizeof(callgate_rule));
        callgate_rule *rule = &r->rules[r->rule_count++];
        if (!cg_given(item, '{', "rules")) continue;
        rule->content = cg_text_of(item, "content");
        rule->root = cg_text_of(item, "root");
    }
}

/* ---- The input ---- */

CALLGATE_FN size_t cg_field_size(callgate_kind kind) {
    switch (kind) {
    case CALLGATE_TEXT: return sizeof(callgate_text);
    case CALLGATE_NUMBER: return sizeof(callgate_number);
    case CALLGATE_BOOLEAN: return sizeof(bool);
    default: return sizeof(callgate_value);
    }
}

CALLGATE_FN bool cg_problem(cg_reading *r, callgate_text member, const char *is, const char *what) {
    callgate_text start = callgate_join(callgate_of("member \""), member, callgate_of("\""));
    r->problem = callgate_join(start, callgate_of(is), callgate_of(what));
    return false;
}

/* Writes a member into the author's struct; false when it does not fit. */
CALLGATE_FN bool cg_read_field(const callgate_field *field, callgate_value value, char *to) {
    char kind = callgate_kind_of(value);
    switch (field->kind) {
    case CALLGATE_TEXT:
        if (kind != '"') return false;
        *(callgate_text *)(void *)to = callgate_plain(value);
        return true;
    case CALLGATE_BOOLEAN:
        *(bool *)(void *)to = kind == 't';
        return kind == 't' || kind == 'f';
    case CALLGATE_NUMBER: {
        callgate_number *number = (callgate_number *)(void *)to;
        union { uint64_t bits; double value; } u;
        number->given = true;
        number->raw = callgate_plain(value);
        if (kind != '0' || !cg_double_bits(number->raw, &u.bits) || (u.bits << 1) >> 53 == 0x7ff) return false;
        number->value = u.value;
        return true;
    }
    default:
        *(callgate_value *)(void *)to = value;
        return field->kind == CALLGATE_ANY || kind == (field->kind == CALLGATE_LIST ? '[' : '{');
    }
}

CALLGATE_FN const char *cg_wanted(callgate_kind kind) {
    switch (kind) {
    case CALLGATE_TEXT: return ", want a text";
    case CALLGATE_NUMBER: return ", want a number";
    case CALLGATE_BOOLEAN: return ", want true or false";
    case CALLGATE_LIST: return ", want a list";
    default: return ", want an object";
    }
}

/* Reads the input into the author's struct. */
CALLGATE_FN bool cg_read_input(cg_reading *r) {
    const callgate_tool *tool = r->tool;
    char kind = callgate_kind_of(r->call.raw), *to = (char *)cg_alloc(tool->input_size + 1);
    bool *seen = (bool *)cg_alloc(tool->field_count + 1);
    size_t room = 0;
    callgate_text name;
    callgate_value value;
    r->call.input = to;
    if (kind != '{') {
        r->problem = callgate_join(callgate_of("want an object, got "), callgate_of(cg_kind_words(kind)), callgate_of(""));
        return false;
    }
    callgate_walk walk = callgate_inside(r->call.raw);
    while (callgate_next_member(&walk, &name, &value)) {
        size_t i = 0;
        while (i < tool->field_count && !callgate_equal(name, tool->fields[i].name)) i++;
        if (i == tool->field_count) {
            cg_add_text(&r->call.unknown, &room, name);
            continue;
        }
        const callgate_field *field = &tool->fields[i];
        if (callgate_kind_of(value) == 'n') continue; /* as if it were not there */
        seen[i] = true;
        if (field->offset > tool->input_size || cg_field_size(field->kind) > tool->input_size - field->offset)
            return callgate_fail("a field lies outside of the input_size: ", callgate_of(field->name));
        if (!cg_read_field(field, value, to + field->offset)) {
            callgate_text got = callgate_join(callgate_of(" is "), callgate_of(cg_kind_words(callgate_kind_of(value))), callgate_of(cg_wanted(field->kind)));
            cg_problem(r, name, "", "");
            r->problem = callgate_join(r->problem, got, callgate_of(""));
            return false;
        }
    }
    for (size_t i = 0; i < tool->field_count; i++)
        if (tool->fields[i].required && !seen[i]) return cg_problem(r, callgate_of(tool->fields[i].name), " is missing", "");
    return true;
}

/* Names the members that no field names. */
CALLGATE_FN callgate_text cg_strangers(const cg_reading *r) {
    callgate_text list = callgate_of("the input has unknown members: ");
    for (size_t i = 0; i < r->call.unknown.count && i < 8; i++)
        list = callgate_join(list, callgate_of(i > 0 ? ", " : ""), r->call.unknown.at[i]);
    return list;
}

/* ---- The verbs ---- */

CALLGATE_FN callgate_verdict cg_check(const cg_reading *r) {
    callgate_verdict v = {CALLGATE_PASSTHROUGH, false, {NULL, 0}, {NULL, 0}};
    if (!r->decoded) {
        v.behavior = CALLGATE_ASK;
        v.bypass_immune = true;
        v.reason = callgate_join(callgate_of("the input does not have the shape this tool expects: "), r->problem, callgate_of(""));
        v.message = callgate_join(callgate_of("The input does not have the shape "), callgate_of(r->tool->name), callgate_of(" expects: "));
        v.message = callgate_join(v.message, r->problem, callgate_of("."));
        return v;
    }
    if (r->tool->check != NULL) v = r->tool->check(&r->call);
    if ((unsigned)v.behavior > CALLGATE_ASK) callgate_fail("check answered with no behavior", callgate_of(""));
    if (v.bypass_immune && v.behavior != CALLGATE_ASK) callgate_fail("check answered bypass_immune: only an ask can be", callgate_of(""));
    if (v.behavior == CALLGATE_ALLOW && !r->complete) {
        v.behavior = CALLGATE_PASSTHROUGH;
        v.message = callgate_of(NULL);
        v.reason = cg_strangers(r);
    }
    return v;
}

CALLGATE_FN const char *cg_behavior_name(callgate_behavior behavior) {
    switch (behavior) {
    case CALLGATE_ALLOW: return "allow";
    case CALLGATE_DENY: return "deny";
    case CALLGATE_ASK: return "ask";
    default: return "passthrough";
    }
}

CALLGATE_FN void cg_answer_check(const cg_reading *r, callgate_writer *w) {
    callgate_verdict v = cg_check(r);
    callgate_name(w, "behavior");
    callgate_string(w, callgate_of(cg_behavior_name(v.behavior)));
    cg_text_member(w, "message", v.message);
    cg_text_member(w, "reason", v.reason);
    cg_true_member(w, "bypass_immune", v.bypass_immune);
}

CALLGATE_FN void cg_answer_read_only(const cg_reading *r, callgate_writer *w) {
    callgate_read_only answer = {false, {NULL, 0}};
    if (!r->decoded) answer.reason = r->problem;
    else if (!r->complete) answer.reason = cg_strangers(r);
    else {
        answer.read_only = r->tool->read_only_tool;
        if (r->tool->read_only != NULL) answer = r->tool->read_only(&r->call);
        if (answer.read_only) {
            callgate_verdict v = cg_check(r);
            if (v.behavior == CALLGATE_DENY || v.bypass_immune) {
                answer.read_only = false;
                answer.reason = v.reason;
            }
        }
    }
    callgate_name(w, "read_only");
    callgate_boolean(w, answer.read_only);
    cg_text_member(w, "reason", answer.reason);
}

CALLGATE_FN void cg_put_index(callgate_writer *w, size_t index) {
    char digits[24];
    size_t i = sizeof digits;
    do digits[--i] = (char)('0' + index % 10);
    while ((index /= 10) > 0);
    cg_separate(w);
    cg_put(w, callgate_slice(digits + i, sizeof digits - i));
}

CALLGATE_FN void cg_answer_match(const cg_reading *r, callgate_writer *w) {
    bool *matched = (bool *)cg_alloc(r->rule_count + 1);
    if (r->behavior == CALLGATE_PASSTHROUGH) {
        callgate_fail("match wants the behavior allow, deny or ask", callgate_of(""));
    } else if (!r->decoded) {
        for (size_t i = 0; i < r->rule_count; i++) matched[i] = r->behavior != CALLGATE_ALLOW;
    } else if (r->complete || r->behavior != CALLGATE_ALLOW) {
        (r->tool->match != NULL ? r->tool->match : callgate_match_parameters)(&r->call, r->behavior, r->rules, r->rule_count, matched);
    }
    callgate_name(w, "matched");
    callgate_open(w, '[');
    for (size_t i = 0; i < r->rule_count; i++)
        if (matched[i]) cg_put_index(w, i);
    callgate_close(w, ']');
}

/* The limits of the host: it would refuse the answer in words of its own. */
CALLGATE_FN void cg_limit(const char *what, size_t count, size_t most) {
    if (count > most) callgate_fail(what, callgate_of(""));
}

CALLGATE_FN void cg_answer_suggest(const cg_reading *r, callgate_writer *w) {
    callgate_suggestions list = {NULL, 0, 0};
    if (r->decoded && r->complete) (r->tool->suggest != NULL ? r->tool->suggest : cg_suggest_parameters)(&r->call, &list);
    cg_limit("suggest answers more rules than 32", list.count, 32);
    callgate_name(w, "rules");
    callgate_open(w, '[');
    for (size_t i = 0; i < list.count; i++) {
        callgate_suggestion *s = &list.at[i];
        callgate_open(w, '{');
        callgate_name(w, "content");
        if (s->content.at == NULL) callgate_json(w, callgate_of("null"));
        else callgate_string(w, s->content);
        cg_text_member(w, "description", s->description);
        if (r->covers) cg_text_member(w, "covers", s->covers);
        if (s->near_miss_count > 0) {
            callgate_name(w, "near_misses");
            callgate_open(w, '[');
            for (size_t j = 0; j < s->near_miss_count; j++) callgate_json(w, s->near_misses[j]);
            callgate_close(w, ']');
        }
        callgate_close(w, '}');
    }
    callgate_close(w, ']');
}

CALLGATE_FN void cg_put_things(callgate_writer *w, const char *name, callgate_things list) {
    if (list.count == 0) return;
    callgate_name(w, name);
    callgate_open(w, '[');
    for (size_t i = 0; i < list.count; i++) {
        callgate_open(w, '{');
        callgate_name(w, "kind");
        callgate_string(w, list.at[i].kind);
        callgate_name(w, "value");
        callgate_string(w, list.at[i].value);
        callgate_name(w, "access");
        callgate_string(w, list.at[i].access);
        callgate_close(w, '}');
    }
    callgate_close(w, ']');
}

CALLGATE_FN void cg_put_effects(callgate_writer *w, callgate_effects list) {
    callgate_name(w, "effects");
    callgate_open(w, '[');
    for (size_t i = 0; i < list.count; i++) {
        callgate_open(w, '{');
        callgate_name(w, "kind");
        callgate_string(w, list.at[i].kind);
        callgate_name(w, "value");
        callgate_string(w, list.at[i].value);
        callgate_name(w, "certain");
        callgate_boolean(w, list.at[i].certain);
        cg_text_member(w, "how", list.at[i].how);
        callgate_close(w, '}');
    }
    callgate_close(w, ']');
}

CALLGATE_FN void cg_put_description(const callgate_description *d, callgate_writer *w) {
    cg_text_member(w, "action", d->action);
    if (d->action_count > 0) {
        callgate_name(w, "actions");
        callgate_open(w, '[');
        for (size_t i = 0; i < d->action_count; i++) callgate_string(w, d->actions[i]);
        callgate_close(w, ']');
    }
    cg_text_member(w, "title", d->title);
    cg_text_member(w, "preview", d->preview);
    cg_text_member(w, "language", d->language);
    cg_put_things(w, "targets", d->targets);
    cg_true_member(w, "targets_unknown", d->targets_unknown);
    if (d->not_analysed) {
        callgate_name(w, "analysed");
        callgate_boolean(w, false);
    }
    cg_true_member(w, "moves", d->moves);
    if (d->changes_directory || d->changes_environment) {
        callgate_name(w, "changes_shell");
        callgate_open(w, '[');
        if (d->changes_directory) callgate_string(w, callgate_of("directory"));
        if (d->changes_environment) callgate_string(w, callgate_of("environment"));
        callgate_close(w, ']');
    }
    cg_put_things(w, "marks", d->marks);
    if (d->says_effects) cg_put_effects(w, d->effects);
}

CALLGATE_FN void cg_answer_describe_call(const cg_reading *r, callgate_writer *w) {
    callgate_description *d = (callgate_description *)cg_alloc(sizeof *d);
    if (!r->decoded) {
        d->targets_unknown = true;
    } else {
        if (r->tool->describe != NULL) r->tool->describe(&r->call, d);
        if (!r->complete) d->not_analysed = true;
    }
    cg_limit("describe answers more targets than 256", d->targets.count, 256);
    cg_limit("describe answers more marks than 2048", d->marks.count, 2048);
    cg_limit("describe answers more actions than 4096", d->action_count, 4096);
    cg_limit("describe answers more effects than 256", d->effects.count, 256);
    if (!r->call.effects) d->says_effects = false;
    /* Of an input with unknown members the effects are never all. */
    if (d->says_effects && !r->complete && d->effects.count < 256) callgate_does(d, "runs", callgate_of("unreadable"), false, NULL);
    if (cg_error.at != NULL) return; /* writing them all may take longer than a call has */
    cg_put_description(d, w);
}

/* ---- describe ---- */

CALLGATE_FN void cg_put_examples(const callgate_tool *tool, callgate_writer *w) {
    callgate_name(w, "rule_examples");
    callgate_open(w, '[');
    for (size_t i = 0; i < tool->rule_example_count; i++) {
        const callgate_rule_example *e = &tool->rule_examples[i];
        callgate_open(w, '{');
        callgate_name(w, "content");
        callgate_string(w, callgate_of(e->content));
        callgate_name(w, "behavior");
        callgate_string(w, callgate_of(cg_behavior_name(e->behavior)));
        callgate_name(w, "input");
        callgate_json(w, callgate_of(e->input));
        callgate_name(w, "match");
        callgate_boolean(w, e->match);
        cg_text_member(w, "cwd", callgate_of(e->cwd));
        callgate_close(w, '}');
    }
    callgate_close(w, ']');
}

CALLGATE_FN void cg_put_tool(const callgate_tool *tool, callgate_writer *w) {
    callgate_open(w, '{');
    callgate_name(w, "name");
    callgate_string(w, callgate_of(tool->name));
    callgate_name(w, "aliases");
    callgate_open(w, '[');
    for (size_t i = 0; i < tool->alias_count; i++) callgate_string(w, callgate_of(tool->aliases[i]));
    callgate_close(w, ']');
    callgate_name(w, "input_schema");
    callgate_json(w, callgate_of(tool->input_schema != NULL ? tool->input_schema : "{\"type\":\"object\"}"));
    callgate_name(w, "read_only");
    callgate_boolean(w, tool->read_only_tool);
    callgate_name(w, "edits_files");
    callgate_boolean(w, tool->edits_files);
    cg_true_member(w, "always_changes", tool->read_only == NULL && !tool->read_only_tool);
    callgate_name(w, "rule_help");
    callgate_string(w, callgate_of(tool->rule_help));
    cg_put_examples(tool, w);
    callgate_close(w, '}');
}

/* The i-th name of a tool: its own first, then its aliases. */
CALLGATE_FN callgate_text cg_tool_name(const callgate_tool *tool, size_t i) {
    return callgate_of(i == 0 ? tool->name : tool->aliases[i - 1]);
}

CALLGATE_FN bool cg_claimed_before(const callgate_module *m, size_t tool, size_t name) {
    for (size_t i = 0; i <= tool; i++)
        for (size_t j = 0; j <= m->tools[i].alias_count && (i < tool || j < name); j++)
            if (callgate_same(cg_tool_name(&m->tools[i], j), cg_tool_name(&m->tools[tool], name))) return true;
    return false;
}

CALLGATE_FN void cg_answer_describe(const callgate_module *m, callgate_writer *w) {
    if (callgate_of(m->name).size == 0 || callgate_of(m->version).size == 0 || m->tool_count == 0)
        callgate_fail("a module needs a name, a version and at least one tool", callgate_of(""));
    callgate_name(w, "abi");
    cg_put_index(w, CALLGATE_ABI);
    callgate_name(w, "name");
    callgate_string(w, callgate_of(m->name));
    callgate_name(w, "version");
    callgate_string(w, callgate_of(m->version));
    callgate_name(w, "summary");
    callgate_string(w, callgate_of(m->summary));
    callgate_name(w, "tools");
    callgate_open(w, '[');
    for (size_t i = 0; i < m->tool_count; i++) {
        for (size_t j = 0; j <= m->tools[i].alias_count; j++) {
            if (cg_tool_name(&m->tools[i], j).size == 0) callgate_fail("a tool has no name", callgate_of(""));
            if (cg_claimed_before(m, i, j)) callgate_fail("two tools claim the name ", cg_tool_name(&m->tools[i], j));
        }
        cg_put_tool(&m->tools[i], w);
    }
    callgate_close(w, ']');
}

/* ---- What the exports call ---- */

/* The tool that a name means: an exact name before a glob, of globs the longest. */
CALLGATE_FN const callgate_tool *cg_find_tool(const callgate_module *m, callgate_text name) {
    const callgate_tool *found = NULL;
    size_t longest = 0;
    for (size_t i = 0; i < m->tool_count; i++)
        for (size_t j = 0; j <= m->tools[i].alias_count; j++) {
            callgate_text own = cg_tool_name(&m->tools[i], j);
            if (callgate_same(own, name)) return &m->tools[i];
            if (own.size > longest && callgate_find(own, '*') < own.size && callgate_wildcard(own, name)) {
                found = &m->tools[i];
                longest = own.size;
            }
        }
    return found;
}

CALLGATE_FN bool cg_read_envelope(const callgate_module *m, callgate_text input, cg_reading *r) {
    const char *wrong;
    callgate_value envelope = callgate_parse(input, &wrong);
    if (wrong != NULL) return callgate_fail("the envelope is not strict JSON: ", callgate_of(wrong));
    if (callgate_kind_of(envelope) != '{') return callgate_fail("the envelope is not an object", callgate_of(""));
    callgate_text name = cg_text_of(envelope, "tool");
    if (name.size == 0) return callgate_fail("the envelope names no tool", callgate_of(""));
    r->tool = cg_find_tool(m, name);
    if (r->tool == NULL && m->fallback != NULL) r->tool = cg_find_tool(m, callgate_of(m->fallback));
    if (r->tool == NULL) return callgate_fail("the module has no tool ", name);
    r->call.tool = name;
    r->call.raw = callgate_member(envelope, "input");
    r->call.config = callgate_member(envelope, "config");
    if (callgate_kind_of(r->call.config) == 'n') r->call.config.at = NULL, r->call.config.size = 0;
    cg_read_context(callgate_member(envelope, "context"), &r->call.context);
    r->call.effects = cg_boolean_of(envelope, "effects");
    r->covers = cg_boolean_of(envelope, "covers");
    cg_read_rules(envelope, r);
    if (cg_error.at != NULL) return false;
    r->decoded = cg_read_input(r);
    r->complete = r->tool->any_field || r->call.unknown.count == 0;
    return cg_error.at == NULL;
}

CALLGATE_FN void cg_answer_call(const callgate_module *m, callgate_text verb, callgate_text input, callgate_writer *w) {
    cg_reading *r = (cg_reading *)cg_alloc(sizeof *r);
    if (!cg_read_envelope(m, input, r)) return;
    if (callgate_equal(verb, "check_permissions")) cg_answer_check(r, w);
    else if (callgate_equal(verb, "check_read_only")) cg_answer_read_only(r, w);
    else if (callgate_equal(verb, "match_rule")) cg_answer_match(r, w);
    else if (callgate_equal(verb, "generate_suggestions")) cg_answer_suggest(r, w);
    else if (callgate_equal(verb, "describe_call")) cg_answer_describe_call(r, w);
    else callgate_fail("no such verb: ", verb);
}

CALLGATE_FN callgate_answer cg_handle(const callgate_module *m, const char *verb, callgate_text input) {
    callgate_writer w = {NULL, 0, 0, false};
    callgate_answer answer = {false, {NULL, 0}};
    callgate_open(&w, '{');
    if (callgate_equal(callgate_of(verb), "describe")) cg_answer_describe(m, &w);
    else cg_answer_call(m, callgate_of(verb), input, &w);
    callgate_close(&w, '}');
    answer.ok = cg_error.at == NULL;
    answer.text = answer.ok ? callgate_written(&w) : callgate_join(callgate_of(verb), callgate_of(": "), cg_error);
    return answer;
}

/* Answers one verb of the module, an export's name, as the exports do. */
CALLGATE_FN callgate_answer callgate_handle(const callgate_module *m, const char *verb, callgate_text input) {
    cg_reset();
    cg_error = callgate_of(NULL);
    return cg_handle(m, verb, input);
}

#ifdef __wasm__
CALLGATE_FN callgate_text cg_host_input(void) {
    uint64_t size = cg_input_length(), i = 0;
    char *at = (char *)cg_alloc((size_t)size + 1);
    for (; i + 8 <= size; i += 8) *(uint64_t *)(void *)(at + i) = cg_input_load_u64(i);
    for (; i < size; i++) at[i] = (char)cg_input_load_u8(i);
    return callgate_slice(at, (size_t)size);
}

/* Copies a text, which is not empty, to the host. */
CALLGATE_FN uint64_t cg_host_text(callgate_text text) {
    uint64_t at = cg_host_alloc(text.size);
    size_t i = 0;
    if (at == 0) __builtin_trap();
    for (; i + 8 <= text.size; i += 8) {
        uint64_t word = 0;
        for (int j = 7; j >= 0; j--) word = word << 8 | (unsigned char)text.at[i + (size_t)j];
        cg_store_u64(at + i, word);
    }
    for (; i < text.size; i++) cg_store_u8(at + i, (unsigned char)text.at[i]);
    return at;
}

static __attribute__((noinline)) int32_t cg_export(const callgate_module *m, const char *verb) {
    cg_reset();
    cg_error = callgate_of(NULL);
    callgate_answer answer = cg_handle(m, verb, cg_host_input());
    uint64_t at = cg_host_text(answer.text);
    if (answer.ok) cg_output_set(at, answer.text.size);
    else cg_error_set(at);
    return answer.ok ? 0 : 1;
}

#define CG_EXPORT(verb, module) \
    __attribute__((export_name(#verb))) int32_t callgate_export_##verb(void) { return cg_export(&(module), #verb); }

/* Makes the module the one that the exports answer for. Once, outside of functions. */
#define CALLGATE_SERVE(module) \
    CG_EXPORT(describe, module) \
    CG_EXPORT(check_permissions, module) \
    CG_EXPORT(check_read_only, module) \
    CG_EXPORT(match_rule, module) \
    CG_EXPORT(generate_suggestions, module) \
    CG_EXPORT(describe_call, module)
#else
#define CALLGATE_SERVE(module)
#endif

#endif /* CALLGATE_H */
