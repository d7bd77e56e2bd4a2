import { any, ask, boolean, defineTool, equal, handle, list, matching, number, object, optional, serveTests, text, wildcard } from "./callgate";
import type { Json, Module, Spec, Verb } from "./callgate";

const fields = { command: optional(text), count: optional(number), items: optional(list), on: optional(boolean), free: optional(any), map: optional(object) };

// eager says yes to everything: what is left of it is the SDK's own caution.
function eager(more: Partial<Spec<typeof fields>> = {}): Module {
  const tool = defineTool({
    name: "T", aliases: ["t"], fields,
    check: () => ({ behavior: "allow" }),
    checkReadOnly: () => ({ read_only: true }),
    match: (_, __, rules) => matching(rules, () => true),
    suggest: () => [{ content: "yes" }],
    describe: (c) => ({ action: "tool:T:" + c.input.command }),
    ...more,
  });
  return { name: "m", version: "1", tools: [tool] };
}
const plainTool = (more: Partial<Spec<{}>> = {}): Module => ({ name: "m", version: "1", tools: [defineTool({ name: "T", ...more })] });
const raw = (m: Module, verb: Verb, input: string, more = ""): any =>
  JSON.parse(handle(m, verb, `{"tool":"T","behavior":"allow","rules":[{"content":"a"},{"content":"b"}],"later":[],"context":{"cwd":"/","future":1}${more},"input":${input}}`));

function throws(what: string, f: () => unknown): void {
  let got: unknown;
  try {
    got = f();
  } catch {
    return;
  }
  throw new Error(`${what}: got ${JSON.stringify(got)}, want an error`);
}

const deep = (n: number) => "[".repeat(n) + "]".repeat(n);

serveTests({
  "an input with the declared shape is the author's"() {
    for (const input of ['{"command":"x","count":2,"items":[1],"on":true,"free":{"any":1},"map":{}}', "{}", '{"command":null}']) {
      equal(raw(eager(), "check_permissions", input), { behavior: "allow" });
      equal(raw(eager(), "check_read_only", input), { read_only: true });
      equal(raw(eager(), "match_rule", input), { matched: [0, 1] });
      equal(raw(eager(), "generate_suggestions", input), { rules: [{ content: "yes" }] });
    }
  },
  "unknown members lose every allowance"() {
    for (const input of ['{"Command":"x"}', '{"__proto__":{}}', '{"constructor":1}', '{"hasOwnProperty":1}', '{"":1}']) {
      equal(raw(eager(), "check_permissions", input).behavior, "passthrough");
      equal(raw(eager(), "check_read_only", input).read_only, false);
      equal(raw(eager(), "match_rule", input), { matched: [] });
      equal(raw(eager(), "generate_suggestions", input), { rules: [] });
      equal(raw(eager(), "describe_call", input).analysed, false);
      equal(raw(eager({ any_field: true }), "check_read_only", input), { read_only: true });
      equal(raw(eager(), "match_rule", input, ',"behaviour":1'), { matched: [] });
    }
  },
  "an input of another shape is asked about, and denied by every rule"() {
    for (const input of ['{"command":5}', '{"count":"5"}', '{"items":{}}', '{"on":1}', '{"map":[]}', "[]", '"x"', "null"]) {
      const v = raw(eager(), "check_permissions", input);
      equal([v.behavior, v.bypass_immune], ["ask", true]);
      equal(raw(eager(), "check_read_only", input).read_only, false);
      equal(raw(eager(), "match_rule", input), { matched: [] });
      equal(raw(eager(), "generate_suggestions", input), { rules: [] });
      equal(raw(eager(), "describe_call", input), { targets_unknown: true });
      for (const behavior of ["deny", "ask"])
        equal(ask(eager(), "match_rule", { tool: "T", input: JSON.parse(input), behavior, rules: [{ content: "a" }, { content: "b" }] }), { matched: [0, 1] });
    }
    equal(raw(eager(), "check_permissions", '{"count":"5"}').reason.includes('"count"'), true);
    const required = { name: "m", version: "1", tools: [defineTool({ name: "T", fields: { a: text } })] };
    for (const input of ["{}", '{"a":null}']) equal(raw(required, "check_permissions", input).bypass_immune, true);
  },
  "JSON is strict"() {
    for (const envelope of [
      "", "null", "[]", '{"tool":"T","input":{}} {}', '{"tool":"T","tool":"T","input":{}}', '{"tool":"T","input":{"free":[{"a":1,"a":2}]}}',
      '{"tool":"T","input":{"command":"a","c\\u006fmmand":"b"}}', '{"tool":"T","input":{"command":"\\ud800"}}', '{"tool":"T","input":{"command":"\ud800"}}',
      '{"tool":"T","input":{"command":"\\a"}}', '{"tool":"T","input":{"command":"\\x41"}}', '{"tool":"T","input":{"command":"a\nb"}}', '{"tool":"T","input":{"count":01}}',
      '{"tool":"T","input":{"count":.5}}', '{"tool":"T","input":{"count":1.}}', '{"tool":"T","input":{"count":+1}}', '{"tool":"T","input":{"free":NaN}}',
      '{"tool":"T","input":{"free":[1,]}}', '{"tool":"T","input":{"free":{"a":1,}}}', '{"tool":"T","input":{', '{"tool":"T","input":{"free":tru}}', "\ufeff{}",
      '{"Tool":"T","input":{}}', '{"tool":"Other","input":{}}', '{"tool":"T","input":{},"context":{"cwd":5}}', '{"tool":"T","input":{},"behavior":"passthrough"}',
      '{"tool":"T","behavior":"deny","input":{"free":' + deep(999) + "}}", '{"tool":"T","input":{"free":' + "[".repeat(20000),
    ])
      throws(envelope.slice(0, 80), () => handle(eager(), envelope.includes("passthrough") ? "match_rule" : "check_permissions", envelope));
    equal(JSON.parse(handle(eager(), "match_rule", '{"tool":"T","behavior":"deny","rules":[],"input":{"free":' + deep(998) + "}}")), { matched: [] });
  },
  "members named as JavaScript's own are members"() {
    const m = eager({ describe: (c) => ({ title: JSON.stringify([Object.keys(c.input.map!), (c.input.map as any).__proto__, (c.input as any).toString === undefined]) }) });
    equal(raw(m, "describe_call", '{"map":{"__proto__":1,"constructor":2}}').title, '[["__proto__","constructor"],1,true]');
  },
  "an author's slips are errors"() {
    const slips: [Verb, Partial<Spec<typeof fields>>][] = [
      ["check_permissions", { check: () => { throw new Error("boom"); } }],
      ["check_permissions", { check: () => ({ behavior: "yes" }) as any }],
      ["check_permissions", { check: () => ({ behavior: "deny", bypass_immune: true }) }],
      ["check_permissions", { check: () => ({ behaviour: "deny" }) as any }],
      ["check_permissions", { check: () => Promise.resolve({ behavior: "deny" }) as any }],
      ["check_permissions", { check: () => ({ behavior: "ask", bypass_immune: "yes" }) as any }],
      ["check_permissions", { check: () => ({ reason: "\ud800" }) }],
      ["check_read_only", { checkReadOnly: () => true as any }],
      ["match_rule", { match: () => [2] }],
      ["match_rule", { match: () => [-1] }],
      ["match_rule", { match: () => [0.5] }],
      ["match_rule", { match: () => true as any }],
      ["generate_suggestions", { suggest: () => [{ contents: "x" }] as any }],
    ];
    slips.forEach(([verb, slip], i) => throws(`slip ${i}`, () => raw(eager(slip), verb, "{}")));
  },
  "read-only yields to check"() {
    for (const v of [{ behavior: "deny" as const }, { behavior: "ask" as const, bypass_immune: true }])
      equal(raw(plainTool({ read_only: true, check: () => v }), "check_read_only", "{}").read_only, false);
    equal(raw(plainTool({ read_only: true }), "check_read_only", "{}"), { read_only: true });
  },
  "defaults"() {
    const m = plainTool({ any_field: true });
    const input = '{ "count": 1.0, "command": "\\u00e9" }';
    equal(raw(m, "check_permissions", input), { behavior: "passthrough" });
    equal(raw(m, "match_rule", input), { matched: [] });
    equal(raw(m, "describe_call", input), {});
    equal(raw(m, "generate_suggestions", input), {
      rules: [{ content: '{"command":"é","count":1.0}', description: "exactly this input" }, { content: null, description: "every call of T" }],
    });
    equal(JSON.parse(handle(m, "describe", "")), {
      abi: 1, name: "m", version: "1", summary: "",
      tools: [{ name: "T", aliases: [], input_schema: { type: "object" }, read_only: false, edits_files: false, always_changes: true, rule_help: "", rule_examples: [] }],
    });
  },
  "the default rules"() {
    const table: [string, string, boolean, boolean][] = [
      ['{"b":1,"a":"x"}', '{ "a": "\\u0078", "b": 1 }', true, true],
      ['{"a":"x"}', '{"a":"x","b":1}', false, false],
      ['{"n":9007199254740993}', '{"n":9007199254740992}', false, true],
      ['{"n":9007199254740993}', '{"n":9007199254740995}', false, false],
      ['{"n":1.0}', '{"n":1}', false, true],
      ['{"n":[1,{"m":20}]}', '{"n":[1e0,{"m":2e1}]}', false, true],
      ['{"n":-0}', '{"n":0.0}', false, true],
      ['{"n":"1"}', '{"n":1}', false, false],
      ['{"n":1e999}', '{"n":1e998}', false, true],
      ["n:5", '{"n":5.0}', false, true],
      ["n:5", '{"n":[4,5e0]}', false, true],
      ["Target:prod", '{"target":"prod"}', false, true],
      ["target:*", '{"target":["a"]}', true, true],
      ["target:*staging*", '{"target":["prod","staging"]}', false, true],
      ["target:prod-*", '{"target":{"name":"prod-1"}}', false, true],
      ["target:prod-*", '{"target":{"name":"dev-1"}}', false, false],
      ["target:staging", '{"target":"staging","__proto__":{"target":"prod"}}', false, true],
      ["target:prod", '{"constructor":{"prototype":{"target":"prod"}}}', false, true],
      ['{"__proto__":{}}', '{"__proto__":{}}', true, true],
      ['{"A":"x"}', '{"a":"x"}', false, false],
      ["target:staging-*", '{"target":"staging-web","force":true}', true, true],
      ["target:staging-*", '{"target":"prod"}', false, false],
      ["target:*", '{"target":"a:b*c"}', true, true],
      ["target:a*b*c", '{"target":"axbxc"}', true, true],
      ["target:a*a", '{"target":"a"}', false, false],
      ["target:", '{"target":""}', true, true],
      ["target:*", "{}", false, false],
      ["n:5", '{"n":5}', true, true],
      ["on:true", '{"on":true}', true, true],
      ["target:prod", '{"target":["staging","prod"]}', false, true],
      ['target:["staging","prod"]', '{"target":["staging","prod"]}', true, true],
      ["target", '{"target":"target"}', false, true],
    ];
    const m = plainTool({ any_field: true });
    for (const [content, input, allow, deny] of table)
      for (const [behavior, want] of [["allow", allow], ["deny", deny]]) {
        const envelope = `{"tool":"T","input":${input},"behavior":"${behavior}","rules":[${JSON.stringify({ content })}]}`;
        equal([content, input, behavior, JSON.parse(handle(m, "match_rule", envelope)).matched.length === 1], [content, input, behavior as Json, want as Json]);
      }
  },
  "names: exact, then the longest glob, then the fallback"() {
    const saying = (name: string) => defineTool({ name, check: (c) => ({ reason: `${name} for ${c.tool}` }) });
    const m: Module = { name: "m", version: "1", fallback: "other", tools: ["mcp__*", "mcp__git__*", "mcp__git__push", "other"].map(saying) };
    for (const [name, want] of [["mcp__git__push", "mcp__git__push"], ["mcp__git__pull", "mcp__git__*"], ["mcp__x", "mcp__*"], ["mcp_x", "other"]])
      equal(ask(m, "check_permissions", { tool: name, input: {} }).reason, `${want} for ${name}`);
  },
  "modules that are none are refused"() {
    for (const m of [{}, { name: "m", version: "1", tools: [] }, { name: "m", version: "1", tools: [defineTool({ name: "" })] }, { name: "m", version: "1", tools: [defineTool({ name: "A" }), defineTool({ name: "A" })] }])
      throws(JSON.stringify(m), () => handle(m as Module, "describe", ""));
  },
  "effects and covers are for hosts that read them"() {
    const m = eager({
      describe: (c) => ({ effects: Array.from({ length: c.input.count ?? 1 }, () => ({ kind: "deletes" as const, value: c.input.command ?? "", certain: c.effects, how: "tree" as const })) }),
      suggest: () => [{ content: "x", covers: "part" }],
    });
    const deletes = { kind: "deletes", value: "a", certain: true, how: "tree" };
    equal(raw(m, "describe_call", '{"command":"a"}', ',"effects":true'), { effects: [deletes] });
    equal(raw(m, "describe_call", '{"command":"a"}'), {});
    equal(raw(m, "describe_call", '{"command":"a"}', ',"effects":false'), {});
    equal(raw(m, "describe_call", '{"count":0}', ',"effects":true'), { effects: [] });
    equal(raw(m, "describe_call", '{"command":"a","x":1}', ',"effects":true'), { effects: [deletes, { kind: "runs", value: "unreadable", certain: false }], analysed: false });
    equal(raw(m, "describe_call", '{"command":7}', ',"effects":true'), { targets_unknown: true });
    equal(raw(m, "describe_call", '{"command":"a","count":256,"x":1}', ',"effects":true').effects.length, 256);
    throws("257 effects", () => raw(m, "describe_call", '{"count":257}'));
    throws("an effect of no kind", () => raw(eager({ describe: () => ({ effects: [{ value: "a", sure: true } as any] }) }), "describe_call", "{}", ',"effects":true'));
    equal(raw(m, "generate_suggestions", "{}", ',"covers":true'), { rules: [{ content: "x", covers: "part" }] });
    equal(raw(m, "generate_suggestions", "{}"), { rules: [{ content: "x" }] });
  },
  "wildcards"() {
    equal([wildcard("a*b*", "axxbyy"), wildcard("*", ""), wildcard("a", "ab"), wildcard("a*a", "a"), wildcard("**", "x")], [true, true, false, false, true]);
  },
});
