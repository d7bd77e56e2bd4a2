// The Callgate SDK for tool modules in AssemblyScript: declare the tools, answer up to
// five questions with plain functions, call serve, and export the six verbs. Whatever
// an author leaves out has a safe default, an input that is not understood is never
// allowed, and what throws is an error, which never lets a call run.
//
// Members are named as on the wire (docs/abi.md). One file, no dependency.

// The host.

@external("extism:host/env", "input_length") declare function env_input_length(): u64;
@external("extism:host/env", "input_load_u8") declare function env_input_load_u8(at: u64): u32;
@external("extism:host/env", "input_load_u64") declare function env_input_load_u64(at: u64): u64;
@external("extism:host/env", "alloc") declare function env_alloc(length: u64): u64;
@external("extism:host/env", "store_u8") declare function env_store_u8(at: u64, value: u32): void;
@external("extism:host/env", "store_u64") declare function env_store_u64(at: u64, value: u64): void;
@external("extism:host/env", "output_set") declare function env_output_set(at: u64, length: u64): void;
@external("extism:host/env", "error_set") declare function env_error_set(at: u64): void;

function readInput(): StaticArray<u8> {
  const length = env_input_length();
  const bytes = new StaticArray<u8>(<i32>length);
  const to = changetype<usize>(bytes);
  let i: u64 = 0;
  for (; i + 8 <= length; i += 8) store<u64>(to + <usize>i, env_input_load_u64(i));
  for (; i < length; i++) store<u8>(to + <usize>i, <u8>env_input_load_u8(i));
  return bytes;
}

function put(bytes: ArrayBuffer): u64 {
  const length = <u64>bytes.byteLength;
  const from = changetype<usize>(bytes);
  const at = env_alloc(length);
  let i: u64 = 0;
  for (; i + 8 <= length; i += 8) env_store_u64(at + i, load<u64>(from + <usize>i));
  for (; i < length; i++) env_store_u8(at + i, load<u8>(from + <usize>i));
  return at;
}

/** fail is what `throw` becomes (asc --use abort=callgate/fail): the host hears the message. */
export function fail(message: string | null, file: string | null, line: u32, column: u32): void {
  let text = message ? message : "the module failed";
  if (line > 0 && file) text += " (" + file + ":" + line.toString() + ":" + column.toString() + ")";
  env_error_set(put(String.UTF8.encode(text)));
  unreachable();
}

// What an author declares.

/** The kinds of JSON values; any is for fields alone. */
export enum Kind { text, number, boolean, list, object, any, null }

/** A member of the input: its kind, and whether a call must have it (null counts as left out). */
export class Field {
  constructor(public name: string, public kind: Kind, public required: bool) {}
}

/** One thing a call touches: describe gives kind, value and access, the host finds the rest. */
export class Target {
  resolved: string = "";
  lexical: string = "";
  exists: bool = false;
  inside: string = "";
  claimed: bool = false;
  error: string = "";
  repo: Json | null = null;
  constructor(public kind: string, public value: string, public access: string) {}
}

/** What surrounds a call. Absent texts are "", lists []; mode and annotations are so in match and check_read_only. */
export class Context {
  agent: string = "";
  session: string = "";
  user: string = "";
  mode: string = "";
  cwd: string = "";
  working_directories: string[] = [];
  project_root: string = "";
  home: string = "";
  kind: string = "";
  dialect: string = "";
  shell_changed: string[] = [];
  resumed: bool = false;
  approver: string = "";
  active_skills: string[] = [];
  annotations: Json | null = null;
  targets: Target[] = [];
  targets_unknown: bool = false;
}

/** One call: its input, as it came too, the members that no field names, and the operator's config. */
export class Call {
  unknown: string[] = [];
  context: Context = new Context();
  config: Json | null = null;
  /** In describe: the host reads effects. */
  effects: bool = false;
  constructor(public tool: string, public input: Json, public raw: string) {}
  /** Whether the call gave the field. */
  has(name: string): bool {
    const member = this.input.get(name);
    return member != null && member.kind != Kind.null;
  }
  /** A field's value; "", false, 0 when the call left it out. */
  text(name: string): string {
    return this.has(name) ? this.input.get(name)!.text : "";
  }
  boolean(name: string): bool {
    return this.text(name) == "true";
  }
  number(name: string): f64 {
    return this.has(name) ? parseFloat(this.text(name)) : 0;
  }
}

/** The tool's own opinion; new Verdict() is a passthrough. bypass_immune goes with ask only. */
export class Verdict {
  constructor(public behavior: string = "passthrough", public reason: string = "", public message: string = "", public bypass_immune: bool = false) {}
}
/** Whether a call provably changes nothing; a call that check denies or asks bypass-immune never counts so. */
export class ReadOnly {
  constructor(public read_only: bool = false, public reason: string = "") {}
}
/** A rule of the tool: its content, and what relative path patterns begin at ("": the first working directory). */
export class Rule {
  constructor(public content: string, public root: string) {}
}
/** A rule that would allow the call next time; content null is the whole tool. near_misses are at most 4 JSON objects; covers is the part of the call that the rule is for, "" where the content shows it. */
export class Suggestion {
  constructor(public content: string | null, public description: string = "", public near_misses: string[] = [], public covers: string = "") {}
}
/** One thing a call does that only Callgate's protection of itself looks at: docs/abi.md lists the kinds. */
export class Mark {
  constructor(public kind: string, public value: string, public access: string) {}
}
/** One thing that a call does to one object: docs/abi.md lists kinds, values and hows. Rules name it and cards show it, in Callgate's words; it allows nothing. certain: false where the call may do less. */
export class Effect {
  constructor(public kind: string, public value: string, public certain: bool, public how: string = "") {}
}
/** An answer that may be left out. */
export enum Answer { unsaid, yes, no }
/** What a call does, for people, for profiles and for the host's look at targets. targets_unknown: it may touch what cannot be named. analysed: the actions say all; unsaid: unless targets_unknown. effects: all that the call does of their kinds; null says nothing, and then a rule about effects asks; left out for a host that does not read them. */
export class Description {
  action: string = "";
  actions: string[] = [];
  title: string = "";
  preview: string = "";
  language: string = "";
  targets: Target[] = [];
  targets_unknown: bool = false;
  analysed: Answer = Answer.unsaid;
  moves: bool = false;
  changes_shell: string[] = [];
  marks: Mark[] = [];
  effects: Effect[] | null = null;
}
/** What a rule matches; the host tries it when the module is loaded. input is JSON. */
export class RuleExample {
  constructor(public content: string, public behavior: string, public input: string, public match: bool, public cwd: string = "") {}
}

/** A tool: its names, its documents, its input, and up to five functions, each with a safe default. */
export class Tool {
  aliases: string[] = [];
  input_schema: string = '{"type":"object"}';
  read_only: bool = false;
  edits_files: bool = false;
  rule_help: string = "";
  rule_examples: RuleExample[] = [];
  fields: Field[] = [];
  /** Members that no field names are no reason for caution. */
  any_field: bool = false;
  /** Default: passthrough. */
  check: ((call: Call) => Verdict) | null = null;
  /** Whether the call provably changes nothing. Default: the static read_only. */
  check_read_only: ((call: Call) => ReadOnly) | null = null;
  /** Whether a rule matches, for calls of one part. Default: the input as JSON, or `param:value`. */
  match: ((call: Call, behavior: string, rule: Rule) => bool) | null = null;
  /** For calls of several parts, instead of match: the indices of the rules that decide. */
  match_all: ((call: Call, behavior: string, rules: Rule[]) => i32[]) | null = null;
  /** Default: the exact input, then the whole tool. */
  suggest: ((call: Call) => Suggestion[]) | null = null;
  /** Default: nothing. */
  describe: ((call: Call) => Description) | null = null;
  constructor(public name: string) {}
  /** Declares a member of the input. */
  field(name: string, kind: Kind, required: bool): void {
    this.fields.push(new Field(name, kind, required));
  }
}

/** One wasm file. Two tools may not share a name. */
export class Module {
  tools: Tool[] = [];
  /** The tool that answers for names that none of tools has; without it such a call is an error. */
  fallback: string = "";
  constructor(public name: string, public version: string, public summary: string) {}
}

// The exports.

let served: Module | null = null;

/** serve makes module the one that the exports answer for. */
export function serve(module: Module): void {
  served = module;
}

function respond(verb: string): i32 {
  problem = "";
  const module = served;
  const output = module ? handle(module, verb, readInput()) : "";
  if (!module) problem = "the module serves nothing: call serve";
  if (problem.length > 0) {
    env_error_set(put(String.UTF8.encode(problem)));
    return 1;
  }
  // A lone surrogate in what an author answered is an error.
  const bytes = String.UTF8.encode(output, false, String.UTF8.ErrorMode.ERROR);
  env_output_set(put(bytes), <u64>bytes.byteLength);
  return 0;
}
// The exports of the ABI: a module hands them on, `export { ... } from "./callgate"`.
export function describe(): i32 { return respond("describe"); }
export function check_permissions(): i32 { return respond("check_permissions"); }
export function check_read_only(): i32 { return respond("check_read_only"); }
export function match_rule(): i32 { return respond("match_rule"); }
export function generate_suggestions(): i32 { return respond("generate_suggestions"); }
export function describe_call(): i32 { return respond("describe_call"); }

// problem is why the call in hand cannot be answered; "" when it can.
let problem: string = "";
function refuse(why: string): void {
  if (problem.length == 0) problem = why;
}

/** handle answers one verb; "" when it cannot, and lastProblem says why. */
export function handle(module: Module, verb: string, input: StaticArray<u8>): string {
  problem = "";
  if (verb == "describe") return describeModule(module);
  const root = new Parser(input).read();
  if (!root) return "";
  const envelope = new Envelope(root, input);
  const tool = problem.length == 0 ? findTool(module, envelope.tool) : null;
  if (!tool) return "";
  const answer = new Reading(tool, envelope).answer(verb);
  return problem.length == 0 ? answer : "";
}
export function lastProblem(): string { return problem; }

function describeModule(m: Module): string {
  if (m.name == "" || m.version == "" || m.tools.length == 0) refuse("a module needs a name, a version and at least one tool");
  const taken = new Set<string>();
  const out = new Writer();
  out.add('{"abi":1,"name":').quote(m.name).add(',"version":').quote(m.version).add(',"summary":').quote(m.summary).add(',"tools":[');
  for (let i = 0; i < m.tools.length; i++) {
    const t = m.tools[i];
    const names = [t.name].concat(t.aliases);
    for (let n = 0; n < names.length; n++) {
      if (names[n] == "" || taken.has(names[n])) refuse("a tool without a name, or two tools that claim the name " + quote(names[n]));
      taken.add(names[n]);
    }
    if (problem.length > 0) return "";
    if (i > 0) out.add(",");
    out.add('{"name":').quote(t.name).add(',"aliases":').texts(t.aliases).add(',"input_schema":').json(t.input_schema);
    out.add(',"read_only":').bool(t.read_only).add(',"edits_files":').bool(t.edits_files);
    out.add(',"always_changes":').bool(!t.check_read_only && !t.read_only).add(',"rule_help":').quote(t.rule_help).add(',"rule_examples":[');
    for (let n = 0; n < t.rule_examples.length; n++) {
      const e = t.rule_examples[n];
      out.add(n > 0 ? ',{"content":' : '{"content":').quote(e.content).add(',"behavior":').quote(e.behavior).add(',"input":').json(e.input);
      out.add(',"match":').bool(e.match).member("cwd", e.cwd).add("}");
    }
    out.add("]}");
  }
  return problem.length == 0 ? out.add("]}").toString() : "";
}

// An exact name before a glob, of globs the longest, and then the fallback.
function findTool(m: Module, name: string): Tool | null {
  let found: Tool | null = null;
  let longest = -1;
  for (let i = 0; i < m.tools.length; i++) {
    const names = [m.tools[i].name].concat(m.tools[i].aliases);
    for (let n = 0; n < names.length; n++) {
      const own = names[n];
      if (own == name) return m.tools[i];
      if (own.length > longest && own.includes("*") && wildcard(own, name)) {
        found = m.tools[i];
        longest = own.length;
      }
    }
  }
  if (found) return found;
  if (m.fallback == "" || m.fallback == name) {
    refuse("module " + m.name + " has no tool " + quote(name));
    return null;
  }
  return findTool(m, m.fallback);
}

// Reading is one call as far as it could be read.
class Reading {
  call: Call;
  problem: string = ""; // why the input does not have its shape; "" when it has
  complete: bool = true;
  constructor(public tool: Tool, public envelope: Envelope) {
    const input = envelope.input;
    const call = new Call(envelope.tool, input ? input : new Json(Kind.object, ""), input ? decode(envelope.bytes, input.from, input.to) : "");
    call.context = envelope.context;
    call.config = envelope.config;
    call.effects = envelope.effects;
    this.call = call;
    if (input && input.kind == Kind.object) this.compare(input);
    else this.problem = input ? "it is no object" : "there is none";
  }

  // compare holds the input against the fields.
  compare(input: Json): void {
    const tool = this.tool;
    const call = this.call;
    const known = new Set<string>();
    for (let i = 0; i < tool.fields.length; i++) {
      const f = tool.fields[i];
      known.add(f.name);
      const member = input.get(f.name);
      if (this.problem.length > 0) continue;
      if (!member || member.kind == Kind.null) {
        if (f.required) this.problem = "the member " + quote(f.name) + " is missing";
      } else if (f.kind != Kind.any && (f.kind != member.kind || (f.kind == Kind.number && !isFinite(parseFloat(member.text))))) {
        this.problem = "the member " + quote(f.name) + " does not have its type";
      }
    }
    const names = input.names();
    for (let i = 0; i < names.length; i++) if (!known.has(names[i])) call.unknown.push(names[i]);
    call.unknown.sort();
    this.complete = tool.any_field || call.unknown.length == 0;
  }

  strangers(): string {
    return "the input has unknown members: " + new Writer().texts(this.call.unknown).toString();
  }

  answer(verb: string): string {
    const out = new Writer();
    if (verb == "check_permissions") {
      const v = this.check();
      out.add('{"behavior":').quote(v.behavior).member("message", v.message).member("reason", v.reason);
      if (v.bypass_immune) out.add(',"bypass_immune":true');
      out.add("}");
    } else if (verb == "check_read_only") {
      const r = this.readOnly();
      out.add('{"read_only":').bool(r.read_only).member("reason", r.reason).add("}");
    } else if (verb == "match_rule") {
      const matched = this.match();
      out.add('{"matched":[');
      for (let i = 0; i < matched.length; i++) out.add(i > 0 ? "," : "").add(matched[i].toString());
      out.add("]}");
    } else if (verb == "generate_suggestions") {
      this.suggest(out);
    } else if (verb == "describe_call") {
      this.describe(out);
    } else {
      refuse("unknown verb " + quote(verb));
    }
    return out.toString();
  }

  check(): Verdict {
    if (this.problem.length > 0) {
      const why = "he input does not have the shape ";
      return new Verdict("ask", "t" + why + "this tool expects: " + this.problem, "T" + why + this.tool.name + " expects: " + this.problem + ".", true);
    }
    const f = this.tool.check;
    const v = f ? f(this.call) : new Verdict();
    if (v.behavior != "allow" && v.behavior != "deny" && v.behavior != "ask" && v.behavior != "passthrough") throw new Error("check answered the behavior " + quote(v.behavior));
    if (v.bypass_immune && v.behavior != "ask") throw new Error("check answered a bypass-immune " + v.behavior + ": only an ask can be");
    if (v.behavior == "allow" && !this.complete) return new Verdict("passthrough", this.strangers());
    return v;
  }

  readOnly(): ReadOnly {
    if (this.problem.length > 0) return new ReadOnly(false, this.problem);
    if (!this.complete) return new ReadOnly(false, this.strangers());
    const f = this.tool.check_read_only;
    const answer = f ? f(this.call) : new ReadOnly(this.tool.read_only);
    if (!answer.read_only) return answer;
    const v = this.check();
    return v.behavior == "deny" || v.bypass_immune ? new ReadOnly(false, v.reason) : answer;
  }

  match(): i32[] {
    const rules = this.envelope.rules;
    const behavior = this.envelope.behavior;
    if (behavior != "allow" && behavior != "deny" && behavior != "ask") refuse("match for the behavior " + quote(behavior) + ": want allow, deny or ask");
    if (problem.length > 0 || (behavior == "allow" && (this.problem.length > 0 || !this.complete))) return [];
    const all = this.tool.match_all;
    if (all && this.problem.length == 0) {
      const given = all(this.call, behavior, rules).slice(0).sort();
      const once: i32[] = [];
      for (let i = 0; i < given.length; i++) {
        if (given[i] < 0 || given[i] >= rules.length) throw new Error("match answered a rule that there is not");
        if (i == 0 || given[i] != given[i - 1]) once.push(given[i]);
      }
      return once;
    }
    const matched: i32[] = [];
    const f = this.tool.match;
    for (let i = 0; i < rules.length; i++) {
      if (this.problem.length > 0 || (f ? f(this.call, behavior, rules[i]) : matchParameters(this.call.input, behavior, rules[i].content))) matched.push(i);
    }
    return matched;
  }

  suggest(out: Writer): void {
    let rules: Suggestion[] = [];
    const f = this.tool.suggest;
    if (this.problem.length == 0 && this.complete) {
      if (f) {
        rules = f(this.call);
      } else {
        const exact = this.call.input.toString();
        if (String.UTF8.byteLength(exact) <= maxSuggestion) rules.push(new Suggestion(exact, "exactly this input"));
        rules.push(new Suggestion(null, "every call of " + this.call.tool));
      }
    }
    limit("suggest", "rules", rules.length, 32);
    out.add('{"rules":[');
    for (let i = 0; i < rules.length; i++) {
      const r = rules[i];
      const content = r.content;
      out.add(i > 0 ? ',{"content":' : '{"content":');
      if (content) out.quote(content);
      else out.add("null");
      out.member("description", r.description);
      if (this.envelope.covers) out.member("covers", r.covers);
      if (r.near_misses.length > 0) {
        out.add(',"near_misses":[');
        for (let n = 0; n < r.near_misses.length; n++) out.add(n > 0 ? "," : "").json(r.near_misses[n]);
        out.add("]");
      }
      out.add("}");
    }
    out.add("]}");
  }

  describe(out: Writer): void {
    let d = new Description();
    const f = this.tool.describe;
    if (this.problem.length > 0) d.targets_unknown = true;
    else if (f) d = f(this.call);
    if (this.problem.length == 0 && !this.complete) d.analysed = Answer.no;
    limit("describe", "targets", d.targets.length, 256);
    limit("describe", "marks", d.marks.length, 2048);
    limit("describe", "actions", d.actions.length, 4096);
    const effects = d.effects;
    if (effects) limit("describe", "effects", effects.length, maxEffects);
    if (problem.length > 0) return;
    out.add('{"targets":[');
    for (let i = 0; i < d.targets.length; i++) out.thing(i, d.targets[i].kind, d.targets[i].value, d.targets[i].access);
    out.add("]").member("action", d.action).member("title", d.title).member("preview", d.preview).member("language", d.language);
    if (d.actions.length > 0) out.add(',"actions":').texts(d.actions);
    if (d.targets_unknown) out.add(',"targets_unknown":true');
    if (d.analysed != Answer.unsaid) out.add(',"analysed":').bool(d.analysed == Answer.yes);
    if (d.moves) out.add(',"moves":true');
    if (d.changes_shell.length > 0) out.add(',"changes_shell":').texts(d.changes_shell);
    if (d.marks.length > 0) {
      out.add(',"marks":[');
      for (let i = 0; i < d.marks.length; i++) out.thing(i, d.marks[i].kind, d.marks[i].value, d.marks[i].access);
      out.add("]");
    }
    if (effects && this.call.effects) this.does(effects, out);
    out.add("}");
  }

  does(effects: Effect[], out: Writer): void {
    out.add(',"effects":[');
    for (let i = 0; i < effects.length; i++) out.effect(i, effects[i]);
    // Of an input with unknown members the effects are never all.
    if (!this.complete && effects.length < maxEffects) out.effect(effects.length, new Effect("runs", "unreadable", false));
    out.add("]");
  }
}

const maxEffects = 256;

// limit refuses what the host would refuse in words of its own.
function limit(by: string, what: string, count: i32, most: i32): void {
  if (count > most) refuse(by + " answered " + count.toString() + " " + what + ": at most " + most.toString());
}

const maxSuggestion = 2000; // bytes of a suggested rule: a longer one nobody reads

// The default rules: a rule's content is the input as JSON or `param:value`. An allow
// rule speaks of one plain value; a deny or ask rule also of what lists and objects
// hold, of names in another case and numbers written otherwise. Content of neither
// form allows nothing and denies everything. Source: sdk/go/tool, MatchParameters.
export function matchParameters(input: Json, behavior: string, content: string): bool {
  const before = problem;
  problem = "";
  const exact = new Parser(bytesOf(content)).read();
  problem = before;
  const allow = behavior == "allow";
  if (exact) return exact.toString() == input.toString() || (!allow && exact.toString(true) == input.toString(true));
  const inherits = input.get("__proto__") != null || input.get("constructor") != null || input.get("prototype") != null;
  const at = content.indexOf(":");
  if (at < 0 || inherits) return !allow;
  const name = content.substring(0, at);
  const pattern = content.substring(at + 1);
  if (allow) {
    const value = input.get(name);
    if (!value) return false;
    return value.nested() && pattern != "*" ? value.toString() == pattern : wildcard(pattern, value.plain());
  }
  const names = input.names();
  for (let i = 0; i < names.length; i++) {
    const same = names[i].toLowerCase() == name.toLowerCase() || names[i].toUpperCase() == name.toUpperCase();
    if (same && input.get(names[i])!.caughtBy(pattern)) return true;
  }
  return false;
}

/** wildcard tells whether text matches pattern, in which * stands for any run of characters. */
export function wildcard(pattern: string, text: string): bool {
  const parts = pattern.split("*");
  if (parts.length == 1) return pattern == text;
  const last = parts[parts.length - 1];
  if (!text.startsWith(parts[0])) return false;
  let at = parts[0].length;
  for (let i = 1; i < parts.length - 1; i++) {
    const found = text.indexOf(parts[i], at);
    if (found < 0) return false;
    at = found + parts[i].length;
  }
  return text.length - last.length >= at && text.endsWith(last);
}

// JSON.

/** A JSON value. text is a string's characters, a number as it is written, true or false. */
export class Json {
  from: i32 = 0; // where it lies in the input
  to: i32 = 0;
  items: Json[] = [];
  members: Map<string, Json> | null = null;
  constructor(public kind: Kind, public text: string) {}
  /** An object's member; null when there is none, or the value is no object. */
  get(name: string): Json | null {
    const members = this.members;
    return members && members.has(name) ? members.get(name) : null;
  }
  /** The names of an object's members, as they came; none for another kind. */
  names(): string[] {
    const members = this.members;
    return members ? members.keys() : [];
  }
  /** Whether it is a list or an object. */
  nested(): bool {
    return this.kind == Kind.list || this.kind == Kind.object;
  }
  /** A text's characters, any other value as JSON. */
  plain(): string {
    return this.kind == Kind.text ? this.text : this.toString();
  }
  /** The value with its names sorted and no blanks; numbers as they are written, or as a float64 has them. */
  toString(rounded: bool = false): string {
    const out = new Writer();
    this.write(out, rounded);
    return out.toString();
  }
  write(out: Writer, rounded: bool): void {
    if (this.kind == Kind.text) {
      out.quote(this.text);
    } else if (this.kind == Kind.number) {
      out.add(rounded ? round(this.text) : this.text);
    } else if (this.kind == Kind.list) {
      out.add("[");
      for (let i = 0; i < this.items.length; i++) {
        if (i > 0) out.add(",");
        this.items[i].write(out, rounded);
      }
      out.add("]");
    } else if (this.kind == Kind.object) {
      const names = this.names().sort();
      out.add("{");
      for (let i = 0; i < names.length; i++) {
        if (i > 0) out.add(",");
        out.quote(names[i]).add(":");
        this.get(names[i])!.write(out, rounded);
      }
      out.add("}");
    } else {
      out.add(this.kind == Kind.null ? "null" : this.text);
    }
  }
  caughtBy(pattern: string): bool {
    if (wildcard(pattern, this.plain())) return true;
    if (this.kind == Kind.number) return round(pattern) == round(this.text);
    for (let i = 0; i < this.items.length; i++) if (this.items[i].caughtBy(pattern)) return true;
    const names = this.names();
    for (let i = 0; i < names.length; i++) if (this.get(names[i])!.caughtBy(pattern)) return true;
    return false;
  }
}

// round is the one spelling of a number as programs read it that have no more than a
// float64; a text that is none stays.
function round(text: string): string {
  return isNumber(text) ? (parseFloat(text) + 0.0).toString() : text;
}

// isNumber takes more than JSON does: 01.5, .5, 1. and +1 are written by people.
function isNumber(text: string): bool {
  let at = afterSign(text, 0);
  const whole = at;
  at = afterDigits(text, at);
  let digits = at - whole;
  if (at < text.length && text.charCodeAt(at) == 0x2e) {
    const part = at + 1;
    at = afterDigits(text, part);
    digits += at - part;
  }
  if (digits == 0) return false;
  if (at < text.length && (text.charCodeAt(at) | 0x20) == 0x65) {
    const power = afterSign(text, at + 1);
    at = afterDigits(text, power);
    if (at == power) return false;
  }
  return at == text.length;
}
function afterSign(text: string, at: i32): i32 {
  return at < text.length && (text.charCodeAt(at) == 0x2b || text.charCodeAt(at) == 0x2d) ? at + 1 : at;
}
function afterDigits(text: string, at: i32): i32 {
  while (at < text.length && text.charCodeAt(at) >= 0x30 && text.charCodeAt(at) <= 0x39) at++;
  return at;
}

function bytesOf(text: string): StaticArray<u8> {
  const encoded = String.UTF8.encode(text);
  const bytes = new StaticArray<u8>(encoded.byteLength);
  memory.copy(changetype<usize>(bytes), changetype<usize>(encoded), encoded.byteLength);
  return bytes;
}

function decode(bytes: StaticArray<u8>, from: i32, to: i32): string {
  return String.UTF8.decodeUnsafe(changetype<usize>(bytes) + from, to - from);
}

/** quote spells a text as JSON. */
export function quote(text: string): string {
  return new Writer().quote(text).toString();
}

const maxDepth = 1000;

// Parser reads one strict JSON value: no name twice, no invalid UTF-8, no lone
// surrogate, nothing behind it, at most maxDepth levels. What is wrong goes to problem.
class Parser {
  at: i32 = 0;
  depth: i32 = 0;
  units: StaticArray<u16>; // of the string in hand: never more than bytes
  constructor(public bytes: StaticArray<u8>) {
    this.units = new StaticArray<u16>(bytes.length);
  }
  read(): Json | null {
    const value = this.value();
    this.skip();
    if (problem.length == 0 && this.at < this.bytes.length) this.fail("something behind the value");
    return problem.length == 0 ? value : null;
  }
  fail(what: string): void {
    refuse("JSON: " + what + " at byte " + (this.at + 1).toString());
  }
  peek(): i32 {
    return this.at < this.bytes.length ? <i32>unchecked(this.bytes[this.at]) : -1;
  }
  skip(): i32 {
    let c = this.peek();
    while (c == 0x20 || c == 0x0a || c == 0x0d || c == 0x09) {
      this.at++;
      c = this.peek();
    }
    return c;
  }
  word(text: string): bool {
    if (this.at + text.length > this.bytes.length || decode(this.bytes, this.at, this.at + text.length) != text) return false;
    this.at += text.length;
    return true;
  }
  value(): Json {
    const c = this.skip();
    const node = new Json(Kind.null, "");
    node.from = this.at;
    if (c == 0x7b || c == 0x5b) {
      if (++this.depth > maxDepth) this.fail("more than " + maxDepth.toString() + " levels");
      else this.nested(node, c == 0x7b);
      this.depth--;
    } else if (c == 0x22) {
      node.kind = Kind.text;
      node.text = this.string();
    } else if (c == 0x74 || c == 0x66 || c == 0x6e) {
      node.kind = c == 0x6e ? Kind.null : Kind.boolean;
      node.text = c == 0x74 ? "true" : c == 0x66 ? "false" : "";
      if (!this.word(c == 0x6e ? "null" : node.text)) this.fail("no value");
    } else {
      node.kind = Kind.number;
      this.number();
      node.text = problem.length == 0 ? decode(this.bytes, node.from, this.at) : "";
    }
    node.to = this.at;
    return node;
  }
  nested(node: Json, object: bool): void {
    const end = object ? 0x7d : 0x5d;
    node.kind = object ? Kind.object : Kind.list;
    const members = new Map<string, Json>();
    if (object) node.members = members;
    this.at++;
    if (this.skip() == end) {
      this.at++;
      return;
    }
    for (;;) {
      let name = "";
      if (object) {
        if (this.skip() != 0x22) return this.fail("no name");
        name = this.string();
        if (problem.length > 0) return;
        if (members.has(name)) return this.fail("the name " + quote(name) + " for the second time");
        if (this.skip() != 0x3a) return this.fail("no colon");
        this.at++;
      }
      const value = this.value();
      if (problem.length > 0) return;
      if (object) members.set(name, value);
      else node.items.push(value);
      const c = this.skip();
      if (c != 0x2c && c != end) return this.fail(c < 0 ? "the end, too early" : "no comma and no end");
      this.at++;
      if (c == end) return;
    }
  }
  digits(): void {
    const from = this.at;
    while (this.peek() >= 0x30 && this.peek() <= 0x39) this.at++;
    if (this.at == from) this.fail(this.at < this.bytes.length ? "no value" : "the end, too early");
  }
  number(): void {
    if (this.peek() == 0x2d) this.at++;
    if (this.peek() == 0x30) this.at++;
    else this.digits();
    if (this.peek() == 0x2e) {
      this.at++;
      this.digits();
    }
    if (this.peek() == 0x65 || this.peek() == 0x45) {
      this.at++;
      if (this.peek() == 0x2b || this.peek() == 0x2d) this.at++;
      this.digits();
    }
  }
  string(): string {
    let n = 0;
    let high = false; // the unit before begins a pair
    for (this.at++; ; ) {
      const c = this.peek();
      let unit = c;
      if (c == 0x22) break;
      if (c < 0x20) {
        this.fail(c < 0 ? "a string that does not end" : "a control character in a string");
        return "";
      }
      if (c == 0x5c) {
        unit = this.escape();
      } else if (c < 0x80) {
        this.at++;
      } else {
        unit = this.character();
        if (unit > 0xffff) {
          if (high) break;
          unchecked((this.units[n++] = <u16>(0xd7c0 + (unit >> 10))));
          unit = 0xdc00 | (unit & 0x3ff);
          high = true;
        }
      }
      if (problem.length > 0) return "";
      if (high != ((unit & 0xfc00) == 0xdc00)) {
        high = true;
        break;
      }
      high = (unit & 0xfc00) == 0xd800;
      unchecked((this.units[n++] = <u16>unit));
    }
    if (high) {
      this.fail("half a character (a lone surrogate)");
      return "";
    }
    this.at++;
    return String.UTF16.decodeUnsafe(changetype<usize>(this.units), n << 1);
  }
  escape(): i32 {
    this.at++;
    const c = this.peek();
    this.at++;
    if (c == 0x75) {
      let unit = 0;
      for (let i = 0; i < 4; i++) {
        const h = this.peek();
        const digit = h >= 0x30 && h <= 0x39 ? h - 0x30 : (h | 0x20) >= 0x61 && (h | 0x20) <= 0x66 && h > 0 ? (h | 0x20) - 0x57 : -1;
        if (digit < 0) this.fail("an unknown escape");
        unit = (unit << 4) | digit;
        this.at++;
      }
      return unit;
    }
    if (c == 0x22 || c == 0x5c || c == 0x2f) return c;
    if (c == 0x62) return 0x08;
    if (c == 0x66) return 0x0c;
    if (c == 0x6e) return 0x0a;
    if (c == 0x72) return 0x0d;
    if (c == 0x74) return 0x09;
    this.fail("an unknown escape");
    return 0;
  }
  // character reads one of two to four bytes: no overlong form, no surrogate.
  character(): i32 {
    let c = this.peek();
    this.at++;
    const more = c >= 0xf0 ? 3 : c >= 0xe0 ? 2 : 1;
    let bad = c < 0xc2 || c > 0xf4;
    c &= 0x3f >> more;
    for (let i = 0; i < more; i++) {
      const next = this.peek();
      if (next < 0 || (next & 0xc0) != 0x80) bad = true;
      c = (c << 6) | (next & 0x3f);
      this.at++;
    }
    if (bad || c < (more == 3 ? 0x10000 : more == 2 ? 0x800 : 0x80) || c > 0x10ffff || (c & 0xfffff800) == 0xd800) this.fail("invalid UTF-8");
    return c;
  }
}

// Writer puts an answer together.
class Writer {
  units: StaticArray<u16> = new StaticArray<u16>(256);
  length: i32 = 0;
  room(more: i32): void {
    if (this.length + more <= this.units.length) return;
    const larger = new StaticArray<u16>((this.length + more) * 2);
    memory.copy(changetype<usize>(larger), changetype<usize>(this.units), this.length << 1);
    this.units = larger;
  }
  unit(c: i32): void {
    unchecked((this.units[this.length++] = <u16>c));
  }
  add(text: string): Writer {
    this.room(text.length);
    memory.copy(changetype<usize>(this.units) + (this.length << 1), changetype<usize>(text), text.length << 1);
    this.length += text.length;
    return this;
  }
  bool(value: bool): Writer {
    return this.add(value ? "true" : "false");
  }
  /** Escapes what JSON must have escaped, and nothing else. */
  quote(text: string): Writer {
    this.room(text.length * 6 + 2);
    this.unit(0x22);
    for (let i = 0; i < text.length; i++) {
      const c = text.charCodeAt(i);
      const short = c == 0x22 || c == 0x5c ? c : c == 0x08 ? 0x62 : c == 0x0c ? 0x66 : c == 0x0a ? 0x6e : c == 0x0d ? 0x72 : c == 0x09 ? 0x74 : 0;
      if (short != 0) {
        this.unit(0x5c);
        this.unit(short);
      } else if (c < 0x20) {
        this.add("\\u00");
        this.unit(c < 16 ? 0x30 : 0x31);
        this.unit((c & 15) < 10 ? 0x30 + (c & 15) : 0x57 + (c & 15));
      } else {
        this.unit(c);
      }
    }
    this.unit(0x22);
    return this;
  }
  /** A member behind others; left out when it is empty. */
  member(name: string, value: string): Writer {
    return value == "" ? this : this.add(',"').add(name).add('":').quote(value);
  }
  texts(list: string[]): Writer {
    this.add("[");
    for (let i = 0; i < list.length; i++) {
      if (i > 0) this.add(",");
      this.quote(list[i]);
    }
    return this.add("]");
  }
  thing(index: i32, kind: string, value: string, access: string): void {
    this.add(index > 0 ? ',{"kind":' : '{"kind":').quote(kind).add(',"value":').quote(value).add(',"access":').quote(access).add("}");
  }
  effect(index: i32, e: Effect): void {
    this.add(index > 0 ? ',{"kind":' : '{"kind":').quote(e.kind).add(',"value":').quote(e.value).add(',"certain":').bool(e.certain).member("how", e.how).add("}");
  }
  /** JSON that an author wrote. */
  json(text: string): Writer {
    if (!new Parser(bytesOf(text)).read()) throw new Error("the module's own JSON: " + problem);
    return this.add(text);
  }
  toString(): string {
    return String.UTF16.decodeUnsafe(changetype<usize>(this.units), this.length << 1);
  }
}

// Envelope is what every verb but describe gets. Members it does not name are ignored:
// later versions may add some.
class Envelope {
  tool: string;
  input: Json | null;
  config: Json | null = null;
  context: Context = new Context();
  behavior: string;
  rules: Rule[] = [];
  effects: bool; // the host reads these members
  covers: bool;
  constructor(root: Json, public bytes: StaticArray<u8>) {
    if (root.kind != Kind.object) refuse("envelope: no object");
    this.tool = textOf(root, "tool");
    this.input = root.get("input");
    this.behavior = textOf(root, "behavior");
    this.effects = boolOf(root, "effects");
    this.covers = boolOf(root, "covers");
    const config = root.get("config");
    if (config && config.kind != Kind.null) this.config = config;
    if (this.tool == "") refuse("envelope: no tool");
    const rules = listOf(root, "rules");
    for (let i = 0; i < rules.length; i++) this.rules.push(new Rule(textOf(rules[i], "content"), textOf(rules[i], "root")));
    const context = memberOf(root, "context", Kind.object);
    if (context) readContext(context, this.context);
  }
}

function memberOf(m: Json, name: string, kind: Kind): Json | null {
  if (m.kind != Kind.object && m.kind != Kind.null) refuse("envelope: no object where one has to be");
  const member = m.get(name);
  if (!member || member.kind == Kind.null) return null;
  if (member.kind != kind) refuse("envelope: " + quote(name) + " does not have its type");
  return member;
}
function textOf(m: Json, name: string): string {
  const member = memberOf(m, name, Kind.text);
  return member ? member.text : "";
}
function boolOf(m: Json, name: string): bool {
  const member = memberOf(m, name, Kind.boolean);
  return member ? member.text == "true" : false;
}
function listOf(m: Json, name: string): Json[] {
  const member = memberOf(m, name, Kind.list);
  return member ? member.items : [];
}
function textsOf(m: Json, name: string): string[] {
  const items = listOf(m, name);
  const texts: string[] = [];
  for (let i = 0; i < items.length; i++) {
    if (items[i].kind != Kind.text && items[i].kind != Kind.null) refuse("envelope: " + quote(name) + " holds what is no text");
    texts.push(items[i].text);
  }
  return texts;
}

function readContext(m: Json, c: Context): void {
  c.agent = textOf(m, "agent");
  c.session = textOf(m, "session");
  c.user = textOf(m, "user");
  c.mode = textOf(m, "mode");
  c.cwd = textOf(m, "cwd");
  c.working_directories = textsOf(m, "working_directories");
  c.project_root = textOf(m, "project_root");
  c.home = textOf(m, "home");
  c.kind = textOf(m, "kind");
  c.dialect = textOf(m, "dialect");
  c.shell_changed = textsOf(m, "shell_changed");
  c.resumed = boolOf(m, "resumed");
  c.approver = textOf(m, "approver");
  c.active_skills = textsOf(m, "active_skills");
  c.annotations = m.get("annotations");
  c.targets_unknown = boolOf(m, "targets_unknown");
  const targets = listOf(m, "targets");
  for (let i = 0; i < targets.length; i++) {
    const t = targets[i];
    const found = new Target(textOf(t, "kind"), textOf(t, "value"), textOf(t, "access"));
    found.resolved = textOf(t, "resolved");
    found.lexical = textOf(t, "lexical");
    found.exists = boolOf(t, "exists");
    found.inside = textOf(t, "inside");
    found.claimed = boolOf(t, "claimed");
    found.error = textOf(t, "error");
    found.repo = memberOf(t, "repo", Kind.object);
    c.targets.push(found);
  }
}

// Unit tests: a file of tests is a module of its own, whose describe runs them;
// `callgate tool test` builds and runs it.

let tested: Writer = new Writer();
let tests: i32 = 0;
let failures: string = "";

/** test runs one test, in which expect says what fails. */
export function test(name: string, run: () => void): void {
  failures = "";
  run();
  tested.add(tests++ > 0 ? ',{"name":' : '{"name":').quote(name).member("failed", failures).add("}");
}

/** expect fails the test in hand unless got is want. */
export function expect(got: string, want: string): void {
  if (got != want) failures += "got " + got + ", want " + want + "; ";
}

/** ask answers one verb, as the host would hear it; "error: ..." when it cannot. */
export function ask(module: Module, verb: string, envelope: string): string {
  const output = handle(module, verb, bytesOf(envelope));
  return problem.length > 0 ? "error: " + problem : output;
}

/** report is what a module of tests answers to describe. */
export function report(): i32 {
  const bytes = String.UTF8.encode('{"tests":[' + tested.toString() + "]}");
  tested = new Writer(); // the host may have asked before
  tests = 0;
  env_output_set(put(bytes), <u64>bytes.byteLength);
  return 0;
}
