/* A module that uses all of the SDK, for cmd/callgate/kitchen_test.go. */
#include "../../sdk/c/callgate.h"

struct pot { callgate_text text; callgate_number number; bool boolean; callgate_value list, object, any; };

#define FIELDS(name, required) \
    static const callgate_field name[] = { \
        {"text", CALLGATE_TEXT, required, offsetof(struct pot, text)}, {"number", CALLGATE_NUMBER, required, offsetof(struct pot, number)}, \
        {"boolean", CALLGATE_BOOLEAN, required, offsetof(struct pot, boolean)}, {"list", CALLGATE_LIST, required, offsetof(struct pot, list)}, \
        {"object", CALLGATE_OBJECT, required, offsetof(struct pot, object)}, {"any", CALLGATE_ANY, required, offsetof(struct pot, any)}, \
    }
FIELDS(pot_fields, false);
FIELDS(pan_fields, true);

static callgate_text joined(callgate_text a, const char *b) { return callgate_join(a, callgate_of("|"), callgate_of(b)); }

/* At most 99. */
static callgate_text count(callgate_value list) {
    size_t n = 0;
    callgate_value item;
    callgate_walk walk = callgate_inside(list);
    while (callgate_next(&walk, &item)) n++;
    char digits[2] = {(char)('0' + n / 10), (char)('0' + n % 10)};
    return callgate_join(callgate_slice(n < 10 ? digits + 1 : digits, n < 10 ? 1 : 2), callgate_of(""), callgate_of(""));
}

static callgate_verdict check_pot(const callgate_call *call) {
    const struct pot *in = call->input;
    callgate_verdict v = {CALLGATE_ALLOW, false, {NULL, 0}, {NULL, 0}};
    callgate_text text = joined(in->text, !in->number.given ? "none" : in->number.value >= 10 ? "large" : "small");
    text = in->list.at == NULL ? joined(text, "-") : callgate_join(text, callgate_of("|"), count(in->list));
    text = joined(text, in->object.at != NULL && callgate_member(in->object, "a").at != NULL ? "a" : "-");
    v.reason = joined(text, in->any.at != NULL ? "any" : "-");
    text = callgate_join(call->context.cwd, callgate_of("|"), call->context.target_count > 0 ? call->context.targets[0].value : callgate_of(""));
    v.message = joined(text, call->config.at != NULL ? "config" : "-");
    return v;
}

static callgate_read_only read_only_pot(const callgate_call *call) {
    callgate_read_only answer = {true, call->tool};
    return answer;
}

static void suggest_pot(const callgate_call *call, callgate_suggestions *list) {
    const struct pot *in = call->input;
    callgate_text text = in->text.at == NULL ? callgate_of("") : in->text;
    callgate_writer w = {0};
    callgate_open(&w, '{');
    callgate_name(&w, "text");
    callgate_string(&w, text);
    callgate_close(&w, '}');
    callgate_suggestion *exact = callgate_propose(list, text, callgate_of(""));
    exact->covers = call->tool;
    callgate_near_miss(exact, callgate_written(&w));
    callgate_propose(list, callgate_of(NULL), call->tool);
}

static void describe_pot(const callgate_call *call, callgate_description *d) {
    const struct pot *in = call->input;
    static callgate_text actions[2];
    actions[0] = callgate_of("a");
    actions[1] = call->tool;
    d->action = in->text;
    d->actions = actions;
    d->action_count = 2;
    d->title = call->tool;
    for (size_t i = 0; i < call->unknown.count; i++) d->preview = callgate_join(d->preview, callgate_of(i > 0 ? "," : ""), call->unknown.at[i]);
    d->language = callgate_of("none");
    if (in->text.at != NULL) callgate_touch(&d->targets, "path", in->text, "write");
    d->says_effects = in->number.given;
    if (in->text.at != NULL) callgate_does(d, "overwrites", in->text, call->effects, NULL);
    if (in->boolean) callgate_does(d, "deletes", callgate_of("x"), false, "tree");
    if (in->boolean) {
        d->moves = d->changes_directory = d->changes_environment = true;
        callgate_touch(&d->marks, "tree", callgate_of("x"), "run");
    }
}

struct mix { callgate_value must; };
static const callgate_field mix_fields[] = {{"must", CALLGATE_ANY, true, offsetof(struct mix, must)}};

static callgate_verdict verdict(callgate_behavior behavior, bool immune, const char *reason, const char *message) {
    callgate_verdict v = {behavior, immune, callgate_of(message), callgate_of(reason)};
    return v;
}

static callgate_verdict check_mix(const callgate_call *call) {
    const struct mix *in = call->input;
    callgate_text must = callgate_kind_of(in->must) == '"' ? callgate_plain(in->must) : callgate_of("");
    if (callgate_equal(must, "deny")) return verdict(CALLGATE_DENY, false, "no", NULL);
    if (callgate_equal(must, "immune")) return verdict(CALLGATE_ASK, true, "a person", "Ask.");
    if (callgate_equal(must, "ask")) return verdict(CALLGATE_ASK, false, "perhaps", NULL);
    if (callgate_equal(must, "nothing")) return verdict(CALLGATE_PASSTHROUGH, false, NULL, NULL);
    return verdict(CALLGATE_ALLOW, false, "yes", NULL);
}

static callgate_read_only read_only_mix(const callgate_call *call) {
    callgate_read_only answer = {true, callgate_of("sure")};
    (void)call;
    return answer;
}

static void match_mix(const callgate_call *call, callgate_behavior behavior, const callgate_rule *rules, size_t count, bool *matched) {
    (void)call, (void)behavior;
    for (size_t i = 0; i < count; i++) matched[i] = callgate_equal(rules[i].content, "yes");
}

/* What an author may do wrong, by the input's member how. */
struct broken { callgate_text how; };
static const callgate_field broken_fields[] = {{"how", CALLGATE_TEXT, true, offsetof(struct broken, how)}};

static bool is(const callgate_call *call, const char *how) { return callgate_equal(((const struct broken *)call->input)->how, how); }

static callgate_verdict check_broken(const callgate_call *call) {
    if (is(call, "behavior")) return verdict((callgate_behavior)9, false, NULL, NULL);
    if (is(call, "immune allow")) return verdict(CALLGATE_ALLOW, true, NULL, NULL);
    if (is(call, "immune deny")) return verdict(CALLGATE_DENY, true, NULL, NULL);
    if (is(call, "throw")) callgate_fail("the check broke", callgate_of(""));
    return verdict(CALLGATE_PASSTHROUGH, false, NULL, NULL);
}

static callgate_read_only read_only_broken(const callgate_call *call) {
    callgate_read_only answer = {true, {NULL, 0}};
    if (is(call, "throw")) callgate_fail("the question broke", callgate_of(""));
    return answer;
}

static void match_broken(const callgate_call *call, callgate_behavior behavior, const callgate_rule *rules, size_t count, bool *matched) {
    (void)behavior, (void)rules, (void)count, (void)matched;
    if (is(call, "throw")) callgate_fail("the match broke", callgate_of(""));
}

static void suggest_broken(const callgate_call *call, callgate_suggestions *list) {
    if (is(call, "throw")) callgate_fail("the suggestion broke", callgate_of(""));
    if (is(call, "near miss")) callgate_near_miss(callgate_propose(list, callgate_of("x"), callgate_of("")), callgate_of("{"));
    for (int i = 0; i < 33 && is(call, "many"); i++) callgate_propose(list, callgate_of("x"), callgate_of(""));
}

static void describe_broken(const callgate_call *call, callgate_description *d) {
    static callgate_text actions[4097];
    if (is(call, "throw")) callgate_fail("the description broke", callgate_of(""));
    for (int i = 0; i < (is(call, "many") ? 257 : is(call, "a million") ? 1000000 : 0); i++) callgate_touch(&d->targets, "path", callgate_of("x"), "read");
    for (int i = 0; i < 2049 && is(call, "many marks"); i++) callgate_touch(&d->marks, "tree", callgate_of("x"), "read");
    for (int i = 0; i < 257 && is(call, "many effects"); i++) callgate_does(d, "takes", callgate_of("x"), false, NULL);
    if (is(call, "many actions")) {
        for (d->action_count = 0; d->action_count < 4097; d->action_count++) actions[d->action_count] = callgate_of("a");
        d->actions = actions;
    }
    if (is(call, "kind")) callgate_touch(&d->targets, "file", callgate_of("x"), "read");
    if (is(call, "text")) d->title = callgate_of("\xff");
}

static const char *const pot_aliases[] = {"pot_*", "pot_a*"}, *const lid_aliases[] = {"mcp__*"};
static const callgate_tool tools[] = {
    {.name = "Pot", .aliases = pot_aliases, .alias_count = 2, .fields = pot_fields, .field_count = CALLGATE_COUNT(pot_fields), .input_size = sizeof(struct pot),
     .check = check_pot, .read_only = read_only_pot, .suggest = suggest_pot, .describe = describe_pot},
    {.name = "Pan", .read_only_tool = true, .fields = pan_fields, .field_count = CALLGATE_COUNT(pan_fields), .input_size = sizeof(struct pot)},
    {.name = "Lid", .aliases = lid_aliases, .alias_count = 1, .any_field = true},
    {.name = "Mix", .fields = mix_fields, .field_count = 1, .input_size = sizeof(struct mix), .check = check_mix, .read_only = read_only_mix, .match = match_mix},
    {.name = "Broken", .fields = broken_fields, .field_count = 1, .input_size = sizeof(struct broken), .check = check_broken, .read_only = read_only_broken,
     .match = match_broken, .suggest = suggest_broken, .describe = describe_broken},
};
static const callgate_module module = {"kitchen", "1", "", tools, CALLGATE_COUNT(tools), "Lid"};
CALLGATE_SERVE(module)
