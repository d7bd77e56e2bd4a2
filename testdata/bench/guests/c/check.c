// One permission check in C: the envelope is read as JSON, the command is held
// against a few rules, the answer is written as JSON. check.ts and check.go in
// the folders beside it do the same.
#include "extism.h"

static u8 in[65536], out[4096];
static u32 size, at, length;
static u8 text[8192]; // strings of the envelope, decoded
static u32 used;

typedef struct { const u8 *start; u32 size; } string;
static string tool, command, mode;

typedef struct { const char *prefix, *behavior; } rule;
static const rule rules[] = {
	{"rm -rf", "deny"}, {"sudo ", "deny"}, {"git push", "ask"}, {"curl ", "ask"},
	{"git status", "allow"}, {"go test", "allow"}, {"make ", "allow"}, {"npm run ", "allow"},
};

static void blanks(void) {
	while (at < size && (in[at] == ' ' || in[at] == '\n' || in[at] == '\t' || in[at] == '\r')) at++;
}

static int take(u8 c) {
	blanks();
	if (at >= size || in[at] != c) return 0;
	at++;
	return 1;
}

static int is(string s, const char *want) {
	u32 i = 0;
	for (; i < s.size && want[i]; i++)
		if (s.start[i] != (u8)want[i]) return 0;
	return i == s.size && !want[i];
}

static int hex(u32 *value) {
	*value = 0;
	for (u32 i = 0; i < 4; i++, at++) {
		if (at >= size) return 0;
		u8 c = in[at];
		u32 digit = c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : c >= 'A' && c <= 'F' ? c - 'A' + 10 : 16;
		if (digit > 15) return 0;
		*value = *value << 4 | digit;
	}
	return 1;
}

static void put_rune(u32 r) {
	if (r < 0x80) {
		text[used++] = (u8)r;
	} else if (r < 0x800) {
		text[used++] = (u8)(0xc0 | r >> 6);
		text[used++] = (u8)(0x80 | (r & 63));
	} else {
		text[used++] = (u8)(0xe0 | r >> 12);
		text[used++] = (u8)(0x80 | (r >> 6 & 63));
		text[used++] = (u8)(0x80 | (r & 63));
	}
}

static int escape(void) {
	static const char names[] = "\"\\/bfnrt", values[] = "\"\\/\b\f\n\r\t";
	u8 c = in[at++];
	if (c == 'u') {
		u32 r;
		if (!hex(&r)) return 0;
		put_rune(r);
		return 1;
	}
	for (u32 i = 0; names[i]; i++)
		if (c == (u8)names[i]) {
			text[used++] = (u8)values[i];
			return 1;
		}
	return 0;
}

static int read_string(string *s) {
	if (!take('"')) return 0;
	s->start = text + used;
	while (at < size && in[at] != '"') {
		if (used + 4 > sizeof text || in[at] < ' ') return 0;
		if (in[at] != '\\') {
			text[used++] = in[at++];
			continue;
		}
		at++;
		if (at >= size || !escape()) return 0;
	}
	s->size = (u32)(text + used - s->start);
	return take('"');
}

static int word(const char *w) {
	for (; *w; w++, at++)
		if (at >= size || in[at] != (u8)*w) return 0;
	return 1;
}

static int number(void) {
	u32 start = at;
	while (at < size && ((in[at] >= '0' && in[at] <= '9') || in[at] == '-' || in[at] == '+' || in[at] == '.' || in[at] == 'e' || in[at] == 'E')) at++;
	return at > start;
}

static int value(string key, u32 depth);

static int array(u32 depth) {
	string none = {0, 0};
	if (!take('[')) return 0;
	if (take(']')) return 1;
	do
		if (!value(none, depth + 1)) return 0;
	while (take(','));
	return take(']');
}

static int object(u32 depth) {
	if (!take('{')) return 0;
	if (take('}')) return 1;
	do {
		string key;
		if (!read_string(&key) || !take(':') || !value(key, depth + 1)) return 0;
	} while (take(','));
	return take('}');
}

static int value(string key, u32 depth) {
	if (depth > 32) return 0;
	blanks();
	if (at >= size) return 0;
	switch (in[at]) {
	case '{': return object(depth);
	case '[': return array(depth);
	case 't': return word("true");
	case 'f': return word("false");
	case 'n': return word("null");
	case '"': {
		string s;
		if (!read_string(&s)) return 0;
		if (is(key, "tool")) tool = s;
		if (is(key, "command")) command = s;
		if (is(key, "mode")) mode = s;
		return 1;
	}
	default: return number();
	}
}

static void put(const char *s) {
	while (*s && length < sizeof out) out[length++] = (u8)*s++;
}

static void put_string(string s) {
	for (u32 i = 0; i < s.size && length + 2 < sizeof out; i++) {
		if (s.start[i] == '"' || s.start[i] == '\\') out[length++] = '\\';
		out[length++] = s.start[i] < ' ' ? ' ' : s.start[i];
	}
}

static int begins(string s, const char *prefix) {
	for (u32 i = 0; prefix[i]; i++)
		if (i >= s.size || s.start[i] != (u8)prefix[i]) return 0;
	return 1;
}

static int answer(const char *s) {
	length = 0;
	put(s);
	write_output(out, length);
	return 0;
}

EXPORT(check_permissions) int check_permissions(void) {
	string none = {0, 0};
	tool = command = mode = none;
	at = used = length = 0;
	size = read_input(in, sizeof in);
	if (!value(none, 0) || (blanks(), at != size)) return 1;
	const rule *found = 0;
	for (u32 i = 0; i < sizeof rules / sizeof rules[0] && !found; i++)
		if (begins(command, rules[i].prefix)) found = &rules[i];
	put("{\"behavior\":\"");
	put(found ? found->behavior : "passthrough");
	put("\",\"reason\":\"");
	put_string(tool);
	put(" in mode ");
	put_string(mode);
	put(": the command begins with '");
	put(found ? found->prefix : "");
	put("'\"}");
	write_output(out, length);
	return 0;
}

EXPORT(describe) int describe(void) {
	return answer("{\"abi\":1,\"name\":\"check\",\"version\":\"1.0.0\",\"tools\":[{\"name\":\"Bash\"}]}");
}
EXPORT(check_read_only) int check_read_only(void) { return answer("{\"read_only\":false}"); }
EXPORT(match_rule) int match_rule(void) { return answer("{\"matched\":[]}"); }
EXPORT(generate_suggestions) int generate_suggestions(void) { return answer("{\"rules\":[]}"); }
