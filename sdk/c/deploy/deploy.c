/* Judges calls of a tool that brings services to their stages. */
#include "../callgate.h"

/* What the agent sends. */
struct input {
    callgate_text operation; /* status, deploy, rollback */
    callgate_text target;    /* STAGE/SERVICE */
    bool dry_run;
    callgate_text config; /* a path; no place (at) when left out */
};

static const callgate_field fields[] = {
    CALLGATE_FIELD(struct input, operation, CALLGATE_TEXT, true),
    CALLGATE_FIELD(struct input, target, CALLGATE_TEXT, true),
    CALLGATE_FIELD(struct input, dry_run, CALLGATE_BOOLEAN, false),
    CALLGATE_FIELD(struct input, config, CALLGATE_TEXT, false),
};

static bool is_operation(callgate_text text) {
    return callgate_equal(text, "status") || callgate_equal(text, "deploy") || callgate_equal(text, "rollback");
}

/* Whether text is 1 to 63 of [a-z0-9-]; a pattern may also hold stars. */
static bool is_word(callgate_text text, bool pattern) {
    for (size_t i = 0; i < text.size; i++) {
        char c = text.at[i];
        if (!((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-' || (pattern && c == '*'))) return false;
    }
    return text.size > 0 && text.size <= 63;
}

/* Whether text can be named as a target: the host takes no other. */
static bool is_path(callgate_text text) {
    for (size_t i = 0; i < text.size; i++)
        if ((unsigned char)text.at[i] < 0x20 || text.at[i] == 0x7f) return false;
    return text.size > 0 && text.size <= 4096;
}

/* The two sides of STAGE/SERVICE. */
struct target { callgate_text stage, service; };

static bool split(callgate_text text, bool pattern, struct target *out) {
    size_t slash = callgate_find(text, '/');
    out->stage = callgate_cut(text, 0, slash);
    out->service = callgate_cut(text, slash + 1, text.size);
    return slash < text.size && is_word(out->stage, pattern) && is_word(out->service, pattern);
}

/* Whether the call can be read; only then out is to be used. */
static bool readable(const struct input *in, struct target *out) { return is_operation(in->operation) && split(in->target, false, out); }

/* The operator's list of production stages. A configuration of another shape
 * makes every stage production. */
static bool is_production(const callgate_call *call, callgate_text stage) {
    if (call->config.at == NULL) return callgate_equal(stage, "prod");
    if (callgate_kind_of(call->config) != '{') return true;
    callgate_value list = callgate_member(call->config, "production"), item;
    if (list.at == NULL) return callgate_equal(stage, "prod");
    if (callgate_kind_of(list) != '[') return true;
    callgate_walk walk = callgate_inside(list);
    bool found = false;
    while (callgate_next(&walk, &item)) {
        if (callgate_kind_of(item) != '"') return true;
        found = found || callgate_same(callgate_plain(item), stage);
    }
    return found;
}

/* Whether the host found the path in a working directory. */
static bool is_inside(const callgate_context *context, callgate_text path) {
    for (size_t i = 0; i < context->target_count; i++) {
        const callgate_target *t = &context->targets[i];
        if (callgate_equal(t->kind, "path") && callgate_same(t->value, path)) return is_path(path) && t->error.size == 0 && !t->claimed && t->inside.size > 0;
    }
    return false;
}

static callgate_verdict ask(bool immune, callgate_text reason, const char *message) {
    callgate_verdict verdict = {CALLGATE_ASK, immune, callgate_of(message), reason};
    return verdict;
}

static callgate_verdict check(const callgate_call *call) {
    const struct input *in = call->input;
    struct target target;
    callgate_verdict no_opinion = {0};
    if (!is_operation(in->operation)) return ask(true, callgate_of("unknown operation"), NULL);
    if (!split(in->target, false, &target)) return ask(true, callgate_of("the target is not STAGE/SERVICE"), NULL);
    if (!callgate_equal(in->operation, "status") && !in->dry_run && is_production(call, target.stage))
        return ask(true, callgate_join(in->target, callgate_of(" is production"), callgate_of("")), "Deployments to production are confirmed by a person.");
    if (in->config.at != NULL && !is_inside(&call->context, in->config)) return ask(false, callgate_of("the configuration lies outside the working directories"), NULL);
    return no_opinion;
}

/* Names what is safe: an operation added later is not read-only. */
static callgate_read_only read_only(const callgate_call *call) {
    const struct input *in = call->input;
    struct target target;
    callgate_read_only answer = {false, {NULL, 0}};
    if (readable(in, &target) && callgate_equal(in->operation, "status")) {
        answer.read_only = true;
        answer.reason = callgate_of("status changes nothing");
    }
    return answer;
}

/* A rule: an operation, or none for all, and a pattern for each side. */
struct rule { callgate_text operation; struct target pattern; };

static bool read_rule(callgate_text content, struct rule *out) {
    size_t blank = callgate_find(content, ' ');
    out->operation = callgate_of(NULL);
    if (blank < content.size) {
        out->operation = callgate_cut(content, 0, blank);
        if (!is_operation(out->operation)) return false;
        content = callgate_cut(content, blank + 1, content.size);
    }
    return split(content, true, &out->pattern);
}

static bool covers(const struct rule *rule, const struct input *in, const struct target *target) {
    return (rule->operation.at == NULL || callgate_same(rule->operation, in->operation)) && callgate_wildcard(rule->pattern.stage, target->stage) &&
           callgate_wildcard(rule->pattern.service, target->service);
}

/* What cannot be read, call or rule, is covered by no allow rule and by every
 * deny and ask rule. */
static void match(const callgate_call *call, callgate_behavior behavior, const callgate_rule *rules, size_t count, bool *matched) {
    const struct input *in = call->input;
    struct target target;
    struct rule rule;
    bool known = readable(in, &target);
    for (size_t i = 0; i < count; i++) {
        if (known && read_rule(rules[i].content, &rule)) matched[i] = covers(&rule, in, &target);
        else matched[i] = behavior != CALLGATE_ALLOW;
    }
}

/* A call close to this one: another stage or another service. */
static callgate_text near_miss(callgate_text operation, struct target target, const char *stage, const char *service) {
    callgate_writer w = {0};
    callgate_open(&w, '{');
    callgate_name(&w, "operation");
    callgate_string(&w, operation);
    callgate_name(&w, "target");
    target.stage = callgate_join(target.stage, callgate_of(stage), callgate_of("/"));
    callgate_string(&w, callgate_join(target.stage, target.service, callgate_of(service)));
    callgate_close(&w, '}');
    return callgate_written(&w);
}

static void suggest(const callgate_call *call, callgate_suggestions *list) {
    const struct input *in = call->input;
    struct target target;
    if (!readable(in, &target) || check(call).bypass_immune) return;
    callgate_text exact = callgate_join(in->operation, callgate_of(" "), in->target);
    callgate_near_miss(callgate_propose(list, exact, callgate_of("this operation on this target")), near_miss(in->operation, target, "", "-2"));
    callgate_text stage = callgate_join(in->operation, callgate_of(" "), callgate_join(target.stage, callgate_of("/*"), callgate_of("")));
    callgate_text words = callgate_join(callgate_of("this operation on every target of "), target.stage, callgate_of(""));
    callgate_near_miss(callgate_propose(list, stage, words), near_miss(in->operation, target, "-2", ""));
}

static void describe(const callgate_call *call, callgate_description *d) {
    const struct input *in = call->input;
    struct target target;
    if (!readable(in, &target)) {
        d->targets_unknown = true;
        return;
    }
    d->title = callgate_join(in->operation, callgate_of(" "), in->target);
    d->action = callgate_join(callgate_of("tool:Deploy:"), d->title, callgate_of(in->dry_run ? " --dry-run" : ""));
    if (in->config.at != NULL && !is_path(in->config)) d->targets_unknown = true;
    else if (in->config.at != NULL) callgate_touch(&d->targets, "path", in->config, "read");
}

static const callgate_rule_example examples[] = {
    {"staging/*", CALLGATE_ALLOW, "{\"operation\":\"deploy\",\"target\":\"staging/web\"}", true, NULL},
    {"staging/*", CALLGATE_ALLOW, "{\"operation\":\"deploy\",\"target\":\"prod/web\"}", false, NULL},
    {"deploy staging/web", CALLGATE_ALLOW, "{\"operation\":\"rollback\",\"target\":\"staging/web\"}", false, NULL},
    {"prod/*", CALLGATE_DENY, "{\"operation\":\"status\",\"target\":\"prod/web\"}", true, NULL},
    {"nonsense", CALLGATE_DENY, "{\"operation\":\"status\",\"target\":\"prod/web\"}", true, NULL},
};

static const char *const aliases[] = {"deploy"};

static const callgate_tool tools[] = {{
    .name = "Deploy",
    .aliases = aliases,
    .alias_count = CALLGATE_COUNT(aliases),
    .input_schema = "{\"type\":\"object\",\"properties\":{\"operation\":{\"enum\":[\"status\",\"deploy\",\"rollback\"]},\"target\":{\"type\":\"string\"},"
                    "\"dry_run\":{\"type\":\"boolean\"},\"config\":{\"type\":\"string\"}},\"required\":[\"operation\",\"target\"],\"additionalProperties\":false}",
    .rule_help = "OPERATION and a pattern of STAGE/SERVICE, or the pattern alone for every operation; * stays between slashes: staging/*, status prod/*, deploy staging/web.",
    .rule_examples = examples,
    .rule_example_count = CALLGATE_COUNT(examples),
    .fields = fields,
    .field_count = CALLGATE_COUNT(fields),
    .input_size = sizeof(struct input),
    .check = check,
    .read_only = read_only,
    .match = match,
    .suggest = suggest,
    .describe = describe,
}};

static const callgate_module module = {.name = "deploy", .version = "1.0.0", .summary = "Judges deployments.", .tools = tools, .tool_count = CALLGATE_COUNT(tools), .fallback = NULL};

CALLGATE_SERVE(module)
