/* What callgate.h promises whatever the tool: cc -std=c99 test/callgate_test.c && ./a.out */
#include <stdio.h>
#include <string.h>

#include "../callgate.h"

struct input {
    callgate_text text;
    callgate_number number;
    bool boolean;
    callgate_value list, object, any;
};

static const callgate_field fields[] = {
    {"text", CALLGATE_TEXT, true, offsetof(struct input, text)},           {"number", CALLGATE_NUMBER, false, offsetof(struct input, number)},
    {"boolean", CALLGATE_BOOLEAN, false, offsetof(struct input, boolean)}, {"list", CALLGATE_LIST, false, offsetof(struct input, list)},
    {"object", CALLGATE_OBJECT, false, offsetof(struct input, object)},    {"any", CALLGATE_ANY, false, offsetof(struct input, any)},
};

/* An eager author: what is left of the answers is the header's own caution. */
static callgate_verdict eager_check(const callgate_call *call) {
    callgate_verdict verdict = {CALLGATE_ALLOW, false, {NULL, 0}, {NULL, 0}};
    (void)call;
    return verdict;
}

static callgate_read_only eager_read_only(const callgate_call *call) {
    callgate_read_only answer = {true, {NULL, 0}};
    (void)call;
    return answer;
}

static void eager_match(const callgate_call *call, callgate_behavior behavior, const callgate_rule *rules, size_t count, bool *matched) {
    (void)call, (void)behavior, (void)rules;
    for (size_t i = 0; i < count; i++) matched[i] = true;
}

static void eager_suggest(const callgate_call *call, callgate_suggestions *list) { callgate_propose(list, callgate_of("yes"), call->tool); }

static void eager_describe(const callgate_call *call, callgate_description *d) {
    const struct input *in = (const struct input *)call->input;
    d->title = in->text;
    d->preview = in->number.raw;
    d->moves = in->boolean && in->number.value > 2;
    callgate_touch(&d->marks, "tree", callgate_of("/a"), "write");
}

/* As many effects as the number says, else one; each as certain as the host reads them. */
static void effect_describe(const callgate_call *call, callgate_description *d) {
    const struct input *in = (const struct input *)call->input;
    d->says_effects = true;
    for (int i = in->number.given ? (int)in->number.value : 1; i > 0; i--) callgate_does(d, "deletes", in->text, call->effects, "tree");
}

static void effect_suggest(const callgate_call *call, callgate_suggestions *list) {
    (void)call;
    callgate_propose(list, callgate_of("x"), callgate_of(""))->covers = callgate_of("part");
}

static callgate_verdict immune_deny(const callgate_call *call) {
    callgate_verdict verdict = {CALLGATE_DENY, true, {NULL, 0}, {NULL, 0}};
    (void)call;
    return verdict;
}

static callgate_verdict no_text(const callgate_call *call) {
    callgate_verdict verdict = {CALLGATE_DENY, false, {NULL, 0}, {NULL, 0}};
    (void)call;
    verdict.reason = callgate_of("\xff");
    return verdict;
}

static callgate_verdict plain_deny(const callgate_call *call) {
    callgate_verdict verdict = {CALLGATE_DENY, false, {NULL, 0}, {NULL, 0}};
    (void)call;
    return verdict;
}

static callgate_verdict plain_immune(const callgate_call *call) {
    callgate_verdict verdict = {CALLGATE_ASK, true, {NULL, 0}, {NULL, 0}};
    (void)call;
    return verdict;
}

static const callgate_tool tools[] = {
    {.name = "T", .fields = fields, .field_count = CALLGATE_COUNT(fields), .input_size = sizeof(struct input), .check = eager_check, .read_only = eager_read_only, .match = eager_match, .suggest = eager_suggest, .describe = eager_describe},
    {.name = "Default", .any_field = true},
    {.name = "ImmuneDeny", .any_field = true, .check = immune_deny},
    {.name = "NoText", .any_field = true, .check = no_text},
    {.name = "Immune", .any_field = true, .read_only_tool = true, .check = plain_immune},
    {.name = "Denies", .any_field = true, .read_only_tool = true, .check = plain_deny},
    {.name = "Outside", .fields = fields, .field_count = 1, .input_size = 1},
    {.name = "mcp__*", .any_field = true},
};
static const callgate_module module = {.name = "m", .version = "1", .summary = "", .tools = tools, .tool_count = CALLGATE_COUNT(tools), .fallback = NULL};

static int failed;

static void expect_answer(const char *what, callgate_answer answer, const char *want) {
    if (want == NULL ? !answer.ok : answer.ok && callgate_equal(answer.text, want)) return;
    printf("%s:\n  got  %s %.*s\n  want %s\n", what, answer.ok ? "ok" : "error", (int)answer.text.size, answer.text.at, want == NULL ? "an error" : want);
    failed = 1;
}

/* Asks a verb of a tool about an input; want NULL is an error. */
static void expect(const char *tool, const char *verb, const char *input, const char *want) {
    char envelope[4096];
    snprintf(envelope, sizeof envelope, "{\"tool\":\"%s\",\"behavior\":\"allow\",\"rules\":[{\"content\":\"a\"},{\"content\":\"b\"}],\"later\":[],\"context\":{\"cwd\":\"/\",\"future\":1},\"input\":%s}", tool, input);
    expect_answer(envelope, callgate_handle(&module, verb, callgate_of(envelope)), want);
}

static void caution(void) {
    const char *trusted[] = {"{\"text\":\"x\"}", "{\"text\":\"x\",\"number\":2.5,\"boolean\":true,\"list\":[1],\"object\":{},\"any\":7}", "{\"text\":\"\",\"number\":null}"};
    for (size_t i = 0; i < CALLGATE_COUNT(trusted); i++) {
        expect("T", "check_permissions", trusted[i], "{\"behavior\":\"allow\"}");
        expect("T", "check_read_only", trusted[i], "{\"read_only\":true}");
        expect("T", "match_rule", trusted[i], "{\"matched\":[0,1]}");
        expect("T", "generate_suggestions", trusted[i], "{\"rules\":[{\"content\":\"yes\",\"description\":\"T\"}]}");
    }
    expect("T", "describe_call", trusted[1], "{\"title\":\"x\",\"preview\":\"2.5\",\"moves\":true,\"marks\":[{\"kind\":\"tree\",\"value\":\"/a\",\"access\":\"write\"}]}");
    const char *strange = "{\"text\":\"x\",\"Text\":\"y\"}";
    expect("T", "check_permissions", strange, "{\"behavior\":\"passthrough\",\"reason\":\"the input has unknown members: Text\"}");
    expect("T", "check_read_only", strange, "{\"read_only\":false,\"reason\":\"the input has unknown members: Text\"}");
    expect("T", "match_rule", strange, "{\"matched\":[]}");
    expect("T", "generate_suggestions", strange, "{\"rules\":[]}");
    expect("T", "describe_call", strange, "{\"title\":\"x\",\"analysed\":false,\"marks\":[{\"kind\":\"tree\",\"value\":\"/a\",\"access\":\"write\"}]}");
    const char *broken[][2] = {
        {"{}", "member \\\"text\\\" is missing"}, {"{\"text\":null}", "member \\\"text\\\" is missing"}, {"{\"text\":5}", "member \\\"text\\\" is a number, want a text"},
        {"{\"text\":\"x\",\"number\":\"5\"}", "member \\\"number\\\" is a text, want a number"}, {"{\"text\":\"x\",\"number\":1e999}", "member \\\"number\\\" is a number, want a number"},
        {"{\"text\":\"x\",\"boolean\":0}", "member \\\"boolean\\\" is a number, want true or false"}, {"{\"text\":\"x\",\"list\":{}}", "member \\\"list\\\" is an object, want a list"},
        {"{\"text\":\"x\",\"object\":[]}", "member \\\"object\\\" is a list, want an object"}, {"[]", "want an object, got a list"}, {"null", "want an object, got null"},
    };
    for (size_t i = 0; i < CALLGATE_COUNT(broken); i++) {
        char want[512];
        snprintf(want, sizeof want, "{\"behavior\":\"ask\",\"message\":\"The input does not have the shape T expects: %s.\",\"reason\":\"the input does not have the shape this tool expects: %s\",\"bypass_immune\":true}", broken[i][1], broken[i][1]);
        expect("T", "check_permissions", broken[i][0], want);
        expect("T", "match_rule", broken[i][0], "{\"matched\":[]}");
        expect("T", "generate_suggestions", broken[i][0], "{\"rules\":[]}");
        expect("T", "describe_call", broken[i][0], "{\"targets_unknown\":true}");
    }
}

static void defaults(void) {
    const char *input = "{ \"count\": 1, \"command\": \"\\u00e9\" }";
    expect("Default", "check_permissions", input, "{\"behavior\":\"passthrough\"}");
    expect("Default", "check_read_only", input, "{\"read_only\":false}");
    expect("Default", "match_rule", input, "{\"matched\":[]}");
    expect("Default", "generate_suggestions", input, "{\"rules\":[{\"content\":\"{\\\"command\\\":\\\"\xc3\xa9\\\",\\\"count\\\":1}\",\"description\":\"exactly this input\"},{\"content\":null,\"description\":\"every call of Default\"}]}");
    expect("Default", "describe_call", input, "{}");
    expect("mcp__git", "generate_suggestions", "{}", "{\"rules\":[{\"content\":\"{}\",\"description\":\"exactly this input\"},{\"content\":null,\"description\":\"every call of mcp__git\"}]}");
}

static void mistakes(void) {
    expect("ImmuneDeny", "check_permissions", "{}", NULL);
    expect("NoText", "check_permissions", "{}", NULL);
    expect("Outside", "check_permissions", "{\"text\":\"x\"}", NULL);
    expect("Other", "check_permissions", "{}", NULL);
    expect("T", "run", "{}", NULL);
    expect("Denies", "check_read_only", "{}", "{\"read_only\":false}");
    expect("Immune", "check_read_only", "{}", "{\"read_only\":false}");
    char many[64 * 8] = "{", *at = many + 1; /* so many names are compared by their hashes */
    for (int i = 0; i < 40; i++) at += sprintf(at, "\"a%d\":1,", i);
    sprintf(at, "\"a7\":1}");
    expect("Default", "check_permissions", many, NULL);
    callgate_module twice = module;
    const callgate_tool alike[] = {{.name = "A"}, {.name = "A"}};
    twice.tools = alike;
    twice.tool_count = 2;
    expect_answer("two tools alike", callgate_handle(&twice, "describe", callgate_of("")), NULL);
}

/* How a rule of the defaults matches, as an allow and as a deny rule. */
static void parameters(void) {
    static const struct { const char *content, *input; bool allow, deny; } table[] = {
        {"{\\\"b\\\":1,\\\"a\\\":\\\"x\\\"}", "{ \"a\": \"\\u0078\", \"b\": 1 }", true, true},
        {"{\\\"a\\\":\\\"x\\\"}", "{\"a\":\"x\",\"b\":1}", false, false},
        {"{\\\"n\\\":9007199254740993}", "{\"n\":9007199254740992}", false, true},
        {"{\\\"n\\\":9007199254740993}", "{\"n\":9007199254740995}", false, false},
        {"{\\\"n\\\":[1,{\\\"m\\\":20}]}", "{\"n\":[1e0,{\"m\":2e1}]}", false, true},
        {"{\\\"n\\\":-0}", "{\"n\":0.0}", false, true},
        {"{\\\"n\\\":1e999}", "{\"n\":1e998}", false, true},
        {"{\\\"n\\\":5e-324}", "{\"n\":3e-324}", false, true},
        {"{\\\"n\\\":5e-324}", "{\"n\":2e-324}", false, false},
        {"n:5", "{\"n\":[4,5e0]}", false, true},
        {"n:5", "{\"n\":5}", true, true},
        {"Target:prod", "{\"target\":\"prod\"}", false, true},
        {"target:*", "{\"target\":[\"a\"]}", true, true},
        {"target:*staging*", "{\"target\":[\"prod\",\"staging\"]}", false, true},
        {"target:staging", "{\"target\":\"staging\",\"__proto__\":{\"target\":\"prod\"}}", false, true},
        {"target:staging-*", "{\"target\":\"prod\"}", false, false},
        {"target:a*a", "{\"target\":\"a\"}", false, false},
        {"target", "{\"target\":\"target\"}", false, true},
    };
    for (size_t i = 0; i < CALLGATE_COUNT(table); i++)
        for (int deny = 0; deny < 2; deny++) {
            char envelope[1024];
            snprintf(envelope, sizeof envelope, "{\"tool\":\"Default\",\"input\":%s,\"behavior\":\"%s\",\"rules\":[{\"content\":\"%s\"}]}", table[i].input, deny ? "deny" : "allow", table[i].content);
            expect_answer(envelope, callgate_handle(&module, "match_rule", callgate_of(envelope)), (deny ? table[i].deny : table[i].allow) ? "{\"matched\":[0]}" : "{\"matched\":[]}");
        }
}

static void strict_json(void) {
    static const char *wrong[] = {"", " ", "{", "}", "[1,]", "[1 2]", "{\"a\":1,}", "{a:1}", "{\"a\"}", "{\"a\":1,\"a\":2}", "{\"a\":1,\"\\u0061\":2}", "[{\"b\":{\"a\":1,\"a\":1}}]", "01", "1.", ".5", "-", "+1", "1e", "0x1", "NaN", "tru", "nulll",
                                  "\"\\x\"", "\"\\u12\"", "\"\\ud800\"", "\"\\udc00\"", "\"\\ud800\\ud800\"", "\"\xff\"", "\"\xc0\x80\"", "\"\xed\xa0\x80\"", "\"\xf4\x90\x80\x80\"", "\"\n\"", "\"", "1 2", "{} x", "\xef\xbb\xbf{}", "/**/1"};
    static const char *right[] = {"null", " [ ] ", "{\"a\":{\"a\":1},\"A\":1}", "-0.0e-0", "1e999999999999999999999", "\"\\ud83d\\ude00\\u0000\\/\"", "\"\x7f\xf4\x8f\xbf\xbf\"", "{\"\":0}"};
    const char *why;
    for (size_t i = 0; i < CALLGATE_COUNT(wrong); i++) {
        callgate_parse(callgate_of(wrong[i]), &why);
        if (why == NULL) printf("%s: taken for JSON\n", wrong[i]), failed = 1;
    }
    for (size_t i = 0; i < CALLGATE_COUNT(right); i++) {
        callgate_parse(callgate_of(right[i]), &why);
        if (why != NULL) printf("%s: %s\n", right[i], why), failed = 1;
    }
    char deep[2 * CALLGATE_MAX_DEPTH + 3];
    for (size_t n = CALLGATE_MAX_DEPTH; n <= CALLGATE_MAX_DEPTH + 1; n++) {
        memset(deep, '[', n);
        memset(deep + n, ']', n);
        callgate_parse(callgate_slice(deep, 2 * n), &why);
        if ((why == NULL) != (n == CALLGATE_MAX_DEPTH)) printf("%zu deep: %s\n", n, why == NULL ? "taken" : why), failed = 1;
    }
}

/* Effects and covers are for hosts that read them. */
static void effects(void) {
    static const callgate_tool effect_tools[] = {{.name = "T", .fields = fields, .field_count = CALLGATE_COUNT(fields), .input_size = sizeof(struct input), .suggest = effect_suggest, .describe = effect_describe}};
    static const callgate_module m = {"m", "1", "", effect_tools, 1, NULL};
    const char *deletes = "{\"effects\":[{\"kind\":\"deletes\",\"value\":\"a\",\"certain\":true,\"how\":\"tree\"}]}";
    const char *more = "{\"analysed\":false,\"effects\":[{\"kind\":\"deletes\",\"value\":\"a\",\"certain\":true,\"how\":\"tree\"},{\"kind\":\"runs\",\"value\":\"unreadable\",\"certain\":false}]}";
    const char *table[][3] = {
        {"describe_call", "{\"text\":\"a\"},\"effects\":true", deletes},
        {"describe_call", "{\"text\":\"a\"}", "{}"},
        {"describe_call", "{\"text\":\"a\"},\"effects\":false", "{}"},
        {"describe_call", "{\"text\":\"a\",\"number\":0},\"effects\":true", "{\"effects\":[]}"},
        {"describe_call", "{\"text\":\"a\",\"x\":1},\"effects\":true", more},
        {"describe_call", "{\"text\":7},\"effects\":true", "{\"targets_unknown\":true}"},
        {"describe_call", "{\"text\":\"a\",\"number\":257}", NULL},
        {"generate_suggestions", "{\"text\":\"a\"},\"covers\":true", "{\"rules\":[{\"content\":\"x\",\"covers\":\"part\"}]}"},
        {"generate_suggestions", "{\"text\":\"a\"}", "{\"rules\":[{\"content\":\"x\"}]}"},
    };
    for (size_t i = 0; i < CALLGATE_COUNT(table); i++) {
        char text[256];
        snprintf(text, sizeof text, "{\"tool\":\"T\",\"input\":%s}", table[i][1]);
        callgate_answer answer = callgate_handle(&m, table[i][0], callgate_of(text));
        if (table[i][2] == NULL ? answer.ok : !answer.ok || !callgate_equal(answer.text, table[i][2]))
            printf("%s %s: got %.*s\n", table[i][0], table[i][1], (int)answer.text.size, answer.text.at), failed = 1;
    }
    callgate_answer full = callgate_handle(&m, "describe_call", callgate_of("{\"tool\":\"T\",\"input\":{\"text\":\"a\",\"number\":256,\"x\":1},\"effects\":true}"));
    if (!full.ok || full.text.size < 256 * 50 || callgate_wildcard(callgate_of("*unreadable*"), full.text)) printf("256 effects: %.*s\n", 99, full.text.at), failed = 1;
}

/* Whatever comes in: an answer is JSON, and sanitizers see nothing. */
static void rubbish(void) {
    static const char *verbs[] = {"check_permissions", "check_read_only", "match_rule", "generate_suggestions", "describe_call"};
    const char *seed = "{\"tool\":\"Default\",\"input\":{\"text\":\"\\ud83d\\ude00\",\"n\":[1.5e3,null,{\"a\":true}]},\"behavior\":\"deny\",\"rules\":[{\"content\":\"text:*\"},{\"content\":\"{}\"}],\"context\":{\"targets\":[{\"kind\":\"path\"}]}}";
    const char *bytes = "{}[],:\"\\u0e19-.+ tfn\xc3\xff\x01";
    uint32_t random = 1;
    for (int round = 0; round < 20000; round++) {
        char text[512];
        size_t size = strlen(seed);
        memcpy(text, seed, size);
        for (int i = round % 4; i >= 0; i--) {
            random = random * 1664525u + 1013904223u;
            text[(random >> 8) % size] = bytes[(random >> 4) % strlen(bytes)];
        }
        callgate_answer answer = callgate_handle(&module, verbs[round % 5], callgate_slice(text, size));
        const char *why = NULL;
        if (answer.ok) callgate_parse(answer.text, &why);
        if (why != NULL) printf("answered %.*s: %s\n", (int)answer.text.size, answer.text.at, why), failed = 1;
    }
}

int main(void) {
    caution();
    defaults();
    mistakes();
    parameters();
    strict_json();
    effects();
    rubbish();
    if (!failed) puts("ok");
    return failed;
}
