/* What the host asks, asked natively: cc -std=c99 deploy_test.c -o deploy_test && ./deploy_test */
#include <stdio.h>
#include <string.h>

#include "deploy.c"

static int failed;

/* Asks one verb about an input; rest is more of the envelope, from a comma on. */
static void expect(const char *verb, const char *input, const char *rest, const char *want) {
    char envelope[2048];
    snprintf(envelope, sizeof envelope, "{\"tool\":\"Deploy\",\"input\":%s%s}", input, rest);
    callgate_answer answer = callgate_handle(&module, verb, callgate_of(envelope));
    if (answer.ok && callgate_equal(answer.text, want)) return;
    printf("%s %s%s:\n  got  %.*s\n  want %s\n", verb, input, rest, (int)answer.text.size, answer.text.at, want);
    failed = 1;
}

#define STAGING "{\"operation\":\"deploy\",\"target\":\"staging/web\"}"
#define PROD "{\"operation\":\"deploy\",\"target\":\"prod/web\"}"
#define CONFIGURED "{\"operation\":\"status\",\"target\":\"dev/a\",\"config\":\"a.yaml\"}"
#define RULES(behavior) ",\"behavior\":\"" behavior "\",\"rules\":[{\"content\":\"staging/*\"},{\"content\":\"deploy staging/web\"},{\"content\":\"status */*\"},{\"content\":\"nonsense\"}]"
#define FOUND(members) ",\"context\":{\"targets\":[{\"kind\":\"path\",\"value\":\"a.yaml\",\"access\":\"read\"" members "}]}"

static void production_is_asked_about(void) {
    expect("check_permissions", PROD, "",
           "{\"behavior\":\"ask\",\"message\":\"Deployments to production are confirmed by a person.\",\"reason\":\"prod/web is production\",\"bypass_immune\":true}");
    expect("check_permissions", "{\"operation\":\"deploy\",\"target\":\"prod/web\",\"dry_run\":true}", "", "{\"behavior\":\"passthrough\"}");
    expect("check_permissions", PROD, ",\"config\":{\"production\":[\"live\"]}", "{\"behavior\":\"passthrough\"}");
    expect("check_permissions", STAGING, ",\"config\":{\"production\":\"all\"}",
           "{\"behavior\":\"ask\",\"message\":\"Deployments to production are confirmed by a person.\",\"reason\":\"staging/web is production\",\"bypass_immune\":true}");
    expect("check_permissions", STAGING, "", "{\"behavior\":\"passthrough\"}");
    expect("check_permissions", "{\"operation\":\"stop\",\"target\":\"dev/a\"}", "", "{\"behavior\":\"ask\",\"reason\":\"unknown operation\",\"bypass_immune\":true}");
    expect("check_permissions", "{\"operation\":\"deploy\",\"target\":\"dev\"}", "", "{\"behavior\":\"ask\",\"reason\":\"the target is not STAGE/SERVICE\",\"bypass_immune\":true}");
}

static void a_configuration_outside_is_asked_about(void) {
    const char *outside = "{\"behavior\":\"ask\",\"reason\":\"the configuration lies outside the working directories\"}";
    expect("check_permissions", CONFIGURED, FOUND(",\"inside\":\"/project\""), "{\"behavior\":\"passthrough\"}");
    expect("check_permissions", CONFIGURED, FOUND(""), outside);
    expect("check_permissions", CONFIGURED, FOUND(",\"inside\":\"/project\",\"claimed\":true"), outside);
    expect("check_permissions", CONFIGURED, FOUND(",\"inside\":\"/project\",\"error\":\"too many links\""), outside);
    expect("check_permissions", CONFIGURED, "", outside);
}

static void status_is_read_only(void) {
    expect("check_read_only", "{\"operation\":\"status\",\"target\":\"prod/web\"}", "", "{\"read_only\":true,\"reason\":\"status changes nothing\"}");
    expect("check_read_only", STAGING, "", "{\"read_only\":false}");
    expect("check_read_only", "{\"operation\":\"status\",\"target\":\"prod/web\",\"extra\":1}", "", "{\"read_only\":false,\"reason\":\"the input has unknown members: extra\"}");
}

static void rules_cover(void) {
    expect("match_rule", STAGING, RULES("allow"), "{\"matched\":[0,1]}");
    expect("match_rule", STAGING, RULES("deny"), "{\"matched\":[0,1,3]}");
    expect("match_rule", PROD, RULES("allow"), "{\"matched\":[]}");
    expect("match_rule", "{\"operation\":\"stop\",\"target\":\"staging/web\"}", RULES("allow"), "{\"matched\":[]}");
    expect("match_rule", "{\"operation\":\"stop\",\"target\":\"staging/web\"}", RULES("ask"), "{\"matched\":[0,1,2,3]}");
}

static void suggestions_are_honest(void) {
    expect("generate_suggestions", STAGING, "",
           "{\"rules\":[{\"content\":\"deploy staging/web\",\"description\":\"this operation on this target\",\"near_misses\":[{\"operation\":\"deploy\",\"target\":\"staging/web-2\"}]},"
           "{\"content\":\"deploy staging/*\",\"description\":\"this operation on every target of staging\",\"near_misses\":[{\"operation\":\"deploy\",\"target\":\"staging-2/web\"}]}]}");
    expect("generate_suggestions", PROD, "", "{\"rules\":[]}");
}

static void calls_are_described(void) {
    expect("describe_call", "{\"operation\":\"deploy\",\"target\":\"dev/a\",\"dry_run\":true,\"config\":\"a.yaml\"}", "",
           "{\"action\":\"tool:Deploy:deploy dev/a --dry-run\",\"title\":\"deploy dev/a\",\"targets\":[{\"kind\":\"path\",\"value\":\"a.yaml\",\"access\":\"read\"}]}");
    expect("describe_call", "{\"operation\":\"deploy\",\"target\":\"dev\"}", "", "{\"targets_unknown\":true}");
}

/* The host tries the examples when it loads the module. */
static void examples_hold(void) {
    for (size_t i = 0; i < CALLGATE_COUNT(examples); i++) {
        char rest[512];
        snprintf(rest, sizeof rest, ",\"behavior\":\"%s\",\"rules\":[{\"content\":\"%s\"}]", examples[i].behavior == CALLGATE_ALLOW ? "allow" : "deny", examples[i].content);
        expect("match_rule", examples[i].input, rest, examples[i].match ? "{\"matched\":[0]}" : "{\"matched\":[]}");
    }
}

int main(void) {
    production_is_asked_about();
    a_configuration_outside_is_asked_about();
    status_is_read_only();
    rules_cover();
    suggestions_are_honest();
    calls_are_described();
    examples_hold();
    if (!failed) puts("ok");
    return failed;
}
