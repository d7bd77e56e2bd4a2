import { Call, Description, Effect, Kind, Module, ReadOnly, Rule, Suggestion, Tool, Verdict, ask, expect, quote, report, test, wildcard } from "./callgate";
// The SDK's own tests: a module whose describe runs them. A throw would end them all;
// what authors throw is tried by cmd/callgate/kitchen_test.go.
export { check_permissions, check_read_only, generate_suggestions, match_rule } from "./callgate";

function moduleOf(tool: Tool): Module {
  const m = new Module("m", "1", "");
  m.tools = [tool];
  return m;
}

// eager says yes to everything: what is left of it is the SDK's own caution.
function eager(any_field: bool = false): Module {
  const t = new Tool("T");
  t.aliases = ["t"];
  t.any_field = any_field;
  t.field("command", Kind.text, false);
  t.field("count", Kind.number, false);
  t.field("items", Kind.list, false);
  t.field("on", Kind.boolean, false);
  t.field("free", Kind.any, false);
  t.field("map", Kind.object, false);
  t.check = (c: Call): Verdict => new Verdict("allow");
  t.check_read_only = (c: Call): ReadOnly => new ReadOnly(true);
  t.match = (c: Call, behavior: string, rule: Rule): bool => true;
  t.suggest = (c: Call): Suggestion[] => [new Suggestion("yes")];
  t.describe = (c: Call): Description => {
    const d = new Description();
    d.title = c.text("command");
    return d;
  };
  return moduleOf(t);
}

function plainTool(any_field: bool = false): Tool {
  const t = new Tool("T");
  t.any_field = any_field;
  return t;
}

function raw(m: Module, verb: string, input: string, behavior: string = "allow"): string {
  return ask(m, verb, '{"tool":"T","behavior":"' + behavior + '","rules":[{"content":"a"},{"content":"b"}],"later":[],"context":{"cwd":"/","future":1},"input":' + input + "}");
}

function has(got: string, part: string): void {
  expect(got.includes(part) ? part : got, part);
}

function lacks(got: string, part: string): void {
  expect(got.includes(part) ? got : "", "");
}

function deep(n: i32): string {
  return "[".repeat(n) + "]".repeat(n);
}

// rule tries a rule of the default match as one that allows and as one that denies.
function rule(content: string, input: string, allow: bool, deny: bool): void {
  const m = moduleOf(plainTool(true));
  const rest = '","rules":[{"content":' + quote(content) + '}],"tool":"T","input":' + input + "}";
  expect(content + " allows " + input + ask(m, "match_rule", '{"behavior":"allow' + rest), content + " allows " + input + '{"matched":[' + (allow ? "0" : "") + "]}");
  expect(content + " denies " + input + ask(m, "match_rule", '{"behavior":"deny' + rest), content + " denies " + input + '{"matched":[' + (deny ? "0" : "") + "]}");
}

function saying(name: string): Tool {
  const t = new Tool(name);
  t.check = (c: Call): Verdict => new Verdict("ask", c.tool);
  t.read_only = name.length % 2 == 0;
  return t;
}

export function describe(): i32 {
  test("an input with the declared shape is the author's", () => {
    const inputs = ['{"command":"x","count":2,"items":[1],"on":true,"free":{"any":1},"map":{}}', "{}", '{"command":null}'];
    for (let i = 0; i < inputs.length; i++) {
      expect(raw(eager(), "check_permissions", inputs[i]), '{"behavior":"allow"}');
      expect(raw(eager(), "check_read_only", inputs[i]), '{"read_only":true}');
      expect(raw(eager(), "match_rule", inputs[i]), '{"matched":[0,1]}');
      expect(raw(eager(), "generate_suggestions", inputs[i]), '{"rules":[{"content":"yes"}]}');
    }
  });
  test("unknown members lose every allowance", () => {
    const inputs = ['{"Command":"x"}', '{"__proto__":{}}', '{"constructor":1}', '{"":1}', '{"command":"x","x":null}'];
    for (let i = 0; i < inputs.length; i++) {
      has(raw(eager(), "check_permissions", inputs[i]), '"behavior":"passthrough"');
      has(raw(eager(), "check_read_only", inputs[i]), '"read_only":false');
      expect(raw(eager(), "match_rule", inputs[i]), '{"matched":[]}');
      expect(raw(eager(), "match_rule", inputs[i], "deny"), '{"matched":[0,1]}');
      expect(raw(eager(), "generate_suggestions", inputs[i]), '{"rules":[]}');
      has(raw(eager(), "describe_call", inputs[i]), '"analysed":false');
      has(raw(moduleOf(plainTool()), "describe_call", inputs[i]), '"analysed":false');
      expect(raw(eager(true), "check_read_only", inputs[i]), '{"read_only":true}');
      lacks(raw(eager(true), "describe_call", inputs[i]), "analysed");
    }
  });
  test("an input of another shape is asked about, and denied by every rule", () => {
    const inputs = ['{"command":5}', '{"count":"5"}', '{"count":1e999}', '{"items":{}}', '{"on":1}', '{"map":[]}', "[]", '"x"', "null"];
    for (let i = 0; i < inputs.length; i++) {
      has(raw(eager(), "check_permissions", inputs[i]), '"behavior":"ask"');
      has(raw(eager(), "check_permissions", inputs[i]), '"bypass_immune":true');
      has(raw(eager(), "check_read_only", inputs[i]), '"read_only":false');
      expect(raw(eager(), "match_rule", inputs[i]), '{"matched":[]}');
      expect(raw(eager(), "match_rule", inputs[i], "deny"), '{"matched":[0,1]}');
      expect(raw(eager(), "match_rule", inputs[i], "ask"), '{"matched":[0,1]}');
      expect(raw(eager(), "generate_suggestions", inputs[i]), '{"rules":[]}');
      has(raw(eager(), "describe_call", inputs[i]), '"targets_unknown":true');
    }
    has(raw(eager(), "check_permissions", '{"count":"5"}'), 'count');
    expect(ask(eager(), "check_read_only", '{"tool":"T"}').includes('"read_only":false') ? "no" : "yes", "no");
  });
  test("a required member that is missing or null is asked about", () => {
    const t = plainTool();
    t.read_only = true;
    t.field("a", Kind.text, true);
    const inputs = ["{}", '{"a":null}', '{"A":"x"}'];
    for (let i = 0; i < inputs.length; i++) {
      has(raw(moduleOf(t), "check_permissions", inputs[i]), '"bypass_immune":true');
      has(raw(moduleOf(t), "check_permissions", inputs[i]), "a");
      has(raw(moduleOf(t), "check_read_only", inputs[i]), '"read_only":false');
      expect(raw(moduleOf(t), "match_rule", inputs[i], "deny"), '{"matched":[0,1]}');
    }
    expect(raw(moduleOf(t), "check_permissions", '{"a":""}'), '{"behavior":"passthrough"}');
  });
  test("JSON is strict", () => {
    const wrong = [
      "", "null", "[]", '{"tool":"T","input":{}} {}', '{"tool":"T","tool":"T","input":{}}', '{"tool":"T","input":{"free":[{"a":1,"a":2}]}}',
      '{"tool":"T","input":{"command":"a","c\\u006fmmand":"b"}}', '{"tool":"T","input":{"command":"\\ud800"}}', '{"tool":"T","input":{"command":"\\udc00"}}',
      '{"tool":"T","input":{"command":"\\a"}}', '{"tool":"T","input":{"command":"\\x41"}}', '{"tool":"T","input":{"command":"a\nb"}}', '{"tool":"T","input":{"count":01}}',
      '{"tool":"T","input":{"count":.5}}', '{"tool":"T","input":{"count":1.}}', '{"tool":"T","input":{"count":+1}}', '{"tool":"T","input":{"free":NaN}}',
      '{"tool":"T","input":{"free":[1,]}}', '{"tool":"T","input":{"free":{"a":1,}}}', '{"tool":"T","input":{', '{"tool":"T","input":{"free":tru}}', "\ufeff{}",
      '{"Tool":"T","input":{}}', '{"tool":"Other","input":{}}', '{"tool":"T","input":{},"context":{"cwd":5}}', '{"tool":"T","input":{},"behavior":"passthrough"}',
      '{"tool":"T","behavior":"deny","input":{"free":' + deep(999) + "}}", '{"tool":"T","input":{"free":' + "[".repeat(20000),
    ];
    for (let i = 0; i < wrong.length; i++) {
      const answer = ask(eager(), wrong[i].includes("passthrough") ? "match_rule" : "check_permissions", wrong[i]);
      expect(answer.startsWith("error: ") ? "" : wrong[i].substring(0, 80) + answer, "");
    }
    expect(ask(eager(), "match_rule", '{"tool":"T","behavior":"deny","rules":[],"input":{"free":' + deep(998) + "}}"), '{"matched":[]}');
  });
  test("read-only yields to check", () => {
    const t = plainTool();
    t.read_only = true;
    expect(raw(moduleOf(t), "check_read_only", "{}"), '{"read_only":true}');
    t.check = (c: Call): Verdict => new Verdict("deny");
    expect(raw(moduleOf(t), "check_read_only", "{}"), '{"read_only":false}');
    t.check = (c: Call): Verdict => new Verdict("ask", "a person", "", true);
    expect(raw(moduleOf(t), "check_read_only", "{}"), '{"read_only":false,"reason":"a person"}');
    t.check = (c: Call): Verdict => new Verdict("ask");
    expect(raw(moduleOf(t), "check_read_only", "{}"), '{"read_only":true}');
  });
  test("defaults", () => {
    const m = moduleOf(plainTool(true));
    const input = '{ "count": 1.0, "command": "\\u00e9" }';
    expect(raw(m, "check_permissions", input), '{"behavior":"passthrough"}');
    expect(raw(m, "check_read_only", input), '{"read_only":false}');
    expect(raw(m, "match_rule", input), '{"matched":[]}');
    expect(raw(m, "describe_call", input), '{"targets":[]}');
    const exact = quote('{"command":"\u00e9","count":1.0}');
    expect(raw(m, "generate_suggestions", input), '{"rules":[{"content":' + exact + ',"description":"exactly this input"},{"content":null,"description":"every call of T"}]}');
    const long = raw(m, "generate_suggestions", '{"a":"' + "\u20ac".repeat(700) + '"}'); // of 2,100 bytes
    expect(long, '{"rules":[{"content":null,"description":"every call of T"}]}');
    expect(
      ask(m, "describe", ""),
      '{"abi":1,"name":"m","version":"1","summary":"","tools":[{"name":"T","aliases":[],"input_schema":{"type":"object"},"read_only":false,"edits_files":false,"always_changes":true,"rule_help":"","rule_examples":[]}]}',
    );
  });
  test("the default rules", () => {
    rule('{"b":1,"a":"x"}', '{ "a": "\\u0078", "b": 1 }', true, true);
    rule('{"a":"x"}', '{"a":"x","b":1}', false, false);
    rule('{"n":9007199254740993}', '{"n":9007199254740992}', false, true);
    rule('{"n":9007199254740993}', '{"n":9007199254740995}', false, false);
    rule('{"n":1.0}', '{"n":1}', false, true);
    rule('{"n":[1,{"m":20}]}', '{"n":[1e0,{"m":2e1}]}', false, true);
    rule('{"n":-0}', '{"n":0.0}', false, true);
    rule('{"n":"1"}', '{"n":1}', false, false);
    rule('{"n":1e999}', '{"n":1e998}', false, true);
    rule("n:5", '{"n":5.0}', false, true);
    rule("n:05", '{"n":5.0}', false, true);
    rule("n:.5e1", '{"n":5.0}', false, true);
    rule("n:5x", '{"n":5.0}', false, false);
    rule("n:5", '{"n":[4,5e0]}', false, true);
    rule("Target:prod", '{"target":"prod"}', false, true);
    rule("target:*", '{"target":["a"]}', true, true);
    rule("target:*staging*", '{"target":["prod","staging"]}', false, true);
    rule("target:prod-*", '{"target":{"name":"prod-1"}}', false, true);
    rule("target:prod-*", '{"target":{"name":"dev-1"}}', false, false);
    rule("target:staging", '{"target":"staging","__proto__":{"target":"prod"}}', false, true);
    rule("target:prod", '{"constructor":{"prototype":{"target":"prod"}}}', false, true);
    rule('{"__proto__":{}}', '{"__proto__":{}}', true, true);
    rule('{"A":"x"}', '{"a":"x"}', false, false);
    rule("target:staging-*", '{"target":"staging-web","force":true}', true, true);
    rule("target:*", '{"target":"a:b*c"}', true, true);
    rule("target:a*a", '{"target":"a"}', false, false);
    rule("target:", '{"target":""}', true, true);
    rule("target:*", "{}", false, false);
    rule("on:true", '{"on":true}', true, true);
    rule('target:["staging","prod"]', '{"target":["staging","prod"]}', true, true);
    rule("target", '{"target":"target"}', false, true);
  });
  test("names: exact, then the longest glob, then the fallback", () => {
    const m = new Module("m", "1", "");
    m.fallback = "other"; // of odd length, as the globs of odd length: not read-only
    m.tools = [saying("mcp__*"), saying("mcp__git__*"), saying("mcp__git__push"), saying("other")];
    expect(ask(m, "check_read_only", '{"tool":"mcp__git__push","input":{}}'), '{"read_only":true}');
    expect(ask(m, "check_read_only", '{"tool":"mcp__git__pull","input":{}}'), '{"read_only":false}');
    expect(ask(m, "check_read_only", '{"tool":"mcp__x","input":{}}'), '{"read_only":true}');
    expect(ask(m, "check_read_only", '{"tool":"mcp_x","input":{}}'), '{"read_only":false}');
    expect(ask(m, "check_permissions", '{"tool":"mcp_x","input":{}}'), '{"behavior":"ask","reason":"mcp_x"}');
  });
  test("modules that are none are refused", () => {
    has(ask(new Module("", "1", ""), "describe", ""), "error: ");
    has(ask(new Module("m", "1", ""), "describe", ""), "error: ");
    has(ask(moduleOf(new Tool("")), "describe", ""), "error: ");
    const twice = new Module("m", "1", "");
    twice.tools = [new Tool("A"), new Tool("A")];
    has(ask(twice, "describe", ""), '"A"');
  });
  test("more than the host takes is an error", () => {
    const t = plainTool();
    t.describe = (c: Call): Description => {
      const d = new Description();
      for (let i = 0; i < 4097; i++) d.actions.push("a");
      return d;
    };
    t.suggest = (c: Call): Suggestion[] => {
      const list: Suggestion[] = [];
      for (let i = 0; i < 33; i++) list.push(new Suggestion("a"));
      return list;
    };
    expect(raw(moduleOf(t), "describe_call", "{}"), "error: describe answered 4097 actions: at most 4096");
    expect(raw(moduleOf(t), "generate_suggestions", "{}"), "error: suggest answered 33 rules: at most 32");
  });
  test("effects and covers are for hosts that read them", () => {
    const t = new Tool("T");
    t.field("path", Kind.text, true);
    t.field("count", Kind.number, false);
    t.describe = (c: Call): Description => {
      const d = new Description();
      const effects: Effect[] = [];
      const count = c.has("count") ? <i32>c.number("count") : 1;
      for (let i = 0; i < count; i++) effects.push(new Effect("deletes", c.text("path"), c.effects, "tree"));
      d.effects = effects;
      return d;
    };
    t.suggest = (c: Call): Suggestion[] => [new Suggestion("x", "", [], "part")];
    const m = moduleOf(t);
    const deletes = '{"kind":"deletes","value":"a","certain":true,"how":"tree"}';
    const more = '{"kind":"runs","value":"unreadable","certain":false}';
    has(ask(m, "describe_call", '{"tool":"T","input":{"path":"a"},"effects":true}'), '"effects":[' + deletes + "]}");
    lacks(ask(m, "describe_call", '{"tool":"T","input":{"path":"a"}}'), "effects");
    lacks(ask(m, "describe_call", '{"tool":"T","input":{"path":"a"},"effects":false}'), "effects");
    has(ask(m, "describe_call", '{"tool":"T","input":{"path":"a","count":0},"effects":true}'), '"effects":[]}');
    has(ask(m, "describe_call", '{"tool":"T","input":{"path":"a","x":1},"effects":true}'), '"effects":[' + deletes + "," + more + "]}");
    lacks(ask(m, "describe_call", '{"tool":"T","input":{"path":7},"effects":true}'), "effects");
    has(ask(m, "describe_call", '{"tool":"T","input":{"path":"a","count":256,"x":1},"effects":true}'), deletes + "]}");
    has(ask(m, "describe_call", '{"tool":"T","input":{"path":"a","count":257}}'), "error: describe answered 257 effects");
    expect(ask(m, "generate_suggestions", '{"tool":"T","input":{"path":"a"},"covers":true}'), '{"rules":[{"content":"x","covers":"part"}]}');
    expect(ask(m, "generate_suggestions", '{"tool":"T","input":{"path":"a"}}'), '{"rules":[{"content":"x"}]}');
  });
  test("wildcards", () => {
    expect([wildcard("a*b*", "axxbyy"), wildcard("*", ""), wildcard("a", "ab"), wildcard("a*a", "a"), wildcard("**", "x")].toString(), "true,true,false,false,true");
  });
  return report();
}
