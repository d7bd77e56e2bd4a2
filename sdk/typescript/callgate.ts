// The Callgate SDK for tool modules in TypeScript and JavaScript: declare the tools,
// answer up to five questions with plain functions, and call serve. Whatever an
// author leaves out has a safe default, an input that is not understood is never
// allowed, and an exception is an error, which never lets a call run.
//
// Members are named as on the wire (docs/abi.md). One file, no dependency.

// What an author declares.

/** A JSON value. */
export type Json = null | boolean | number | string | Json[] | { [name: string]: Json };
/** What a rule or a verdict says of a call. */
export type Behavior = "allow" | "deny" | "ask";
/** The exports of a module: what the host asks it. */
export type Verb = "describe" | "check_permissions" | "check_read_only" | "match_rule" | "generate_suggestions" | "describe_call";
type Kind = "text" | "number" | "boolean" | "list" | "object" | "any";

/** A member of the input: its type, and whether a call must have it. */
export interface Field<T, Required extends boolean = boolean> {
  readonly kind: Kind;
  readonly required: Required;
  readonly value?: T; // for the type alone
}
/** The members of an input by their names; a call with others is not allowed by itself or by a rule. */
export type Fields = { readonly [name: string]: Field<unknown> };

const field = <T>(kind: Kind): Field<T, true> => ({ kind, required: true });
/** A string. */
export const text = /* @__PURE__ */ field<string>("text");
/** A number, rounded to a double; one beyond all doubles does not fit. */
export const number = /* @__PURE__ */ field<number>("number");
/** true or false. */
export const boolean = /* @__PURE__ */ field<boolean>("boolean");
/** A list of any values. */
export const list = /* @__PURE__ */ field<Json[]>("list");
/** An object with any members; it has no prototype. */
export const object = /* @__PURE__ */ field<{ [name: string]: Json }>("object");
/** Any value but null, which counts as left out. */
export const any = /* @__PURE__ */ field<Json>("any");
/** A field that a call may leave out; null counts as left out. */
export const optional = <T>(of: Field<T>): Field<T, false> => ({ kind: of.kind, required: false });

type Of<F> = F extends Field<infer T> ? T : never;
/** The input that fields declare, with their types. Its objects have no prototype. */
export type Input<F extends Fields> = { readonly [K in keyof F as F[K]["required"] extends true ? K : never]: Of<F[K]> } & {
  readonly [K in keyof F as F[K]["required"] extends true ? never : K]?: Of<F[K]>;
};

/** One thing a call touches: describe gives kind, value and access, the host finds the rest. */
export interface Target {
  kind: "path" | "host" | "mcp";
  value: string;
  access: "read" | "write" | "run";
}
/** A target as the host found it. An allowance needs `resolved` and `lexical` to agree and no `error`. */
export interface FoundTarget extends Target {
  readonly resolved?: string;
  readonly lexical?: string;
  readonly exists?: boolean;
  readonly inside?: string;
  readonly claimed?: boolean;
  readonly error?: string;
  readonly repo?: { readonly root?: string; readonly dirty?: readonly string[] };
}

/** What surrounds a call. Absent texts are "", lists []; mode and annotations are so in match and checkReadOnly. */
export interface Context {
  readonly agent: string;
  readonly session: string;
  readonly user: string;
  readonly mode: "" | "default" | "accept_edits" | "explore" | "bypass" | "trusted" | "dont_ask";
  readonly cwd: string;
  readonly working_directories: readonly string[];
  readonly project_root: string;
  readonly home: string;
  readonly kind: string;
  readonly dialect: string;
  readonly shell_changed: readonly string[];
  readonly resumed: boolean;
  readonly approver: string;
  readonly active_skills: readonly string[];
  readonly annotations?: Json;
  readonly targets: readonly FoundTarget[];
  readonly targets_unknown: boolean;
}

/** One call: its input as declared and as it came, the members that no field names, and the operator's config. */
export interface Call<F extends Fields = Fields> {
  readonly tool: string;
  readonly input: Input<F>;
  readonly raw: string;
  readonly unknown: readonly string[];
  readonly context: Context;
  readonly config?: Json;
  /** In describe: the host reads effects. */
  readonly effects: boolean;
}
/** The tool's own opinion; {} is a passthrough. bypass_immune goes with ask only. */
export interface Verdict {
  behavior?: Behavior | "passthrough";
  message?: string;
  reason?: string;
  bypass_immune?: boolean;
}
/** Whether a call provably changes nothing; a call that check denies or asks bypass-immune never counts so. */
export interface ReadOnly {
  read_only: boolean;
  reason?: string;
}
/** A rule of the tool: its content, and what relative path patterns begin at ("": the first working directory). */
export interface Rule {
  readonly content: string;
  readonly root: string;
}
/** A rule that would allow the call next time; content null is the whole tool. At most 4 near misses. covers: the part of the call that the rule is for, such as one command of a line; left out where the content shows it. */
export interface Suggestion {
  content: string | null;
  description?: string;
  covers?: string;
  near_misses?: { [name: string]: Json }[];
}
/** One thing a call does that only Callgate's protection of itself looks at: docs/abi.md lists the kinds. */
export interface Mark {
  kind: "tree" | "program" | "process" | "service" | "terminal" | "endpoint";
  value: string;
  access: "read" | "write" | "run";
}
/** One thing that a call does to one object: docs/abi.md says what value and how are. Rules name it and cards show it, in Callgate's words; it allows nothing. certain: not where the call may do less. */
export interface Effect {
  kind: "shows" | "takes" | "reaches" | "publishes" | "installs" | "deletes" | "overwrites" | "changes_permissions" | "tests" | "runs";
  value: string;
  certain?: boolean;
  how?: "get" | "send" | "public" | "force" | "tree" | "glob" | "decisive";
}
/** What a call does, for people, for profiles and for the host's look at targets; {} says nothing. targets_unknown: it may touch what cannot be named. analysed: the actions say all; default: unless targets_unknown. effects: all that the call does of their kinds; left out says nothing, and then a rule about effects asks; the SDK leaves them out for a host that does not read them. */
export interface Description {
  action?: string;
  actions?: string[];
  title?: string;
  preview?: string;
  language?: string;
  targets?: Target[];
  targets_unknown?: boolean;
  analysed?: boolean;
  moves?: boolean;
  changes_shell?: ("directory" | "environment")[];
  marks?: Mark[];
  effects?: Effect[];
}
/** What a rule matches, or must not; the host tries it when the module is loaded. cwd: default /project. */
export interface RuleExample {
  content: string;
  behavior: Behavior;
  input: { [name: string]: Json };
  match: boolean;
  cwd?: string;
}

/** A tool: its names, its documents, its input, and up to five functions, each with a safe default. */
export interface Spec<F extends Fields> {
  name: string;
  aliases?: string[];
  input_schema?: { [name: string]: Json };
  read_only?: boolean;
  edits_files?: boolean;
  rule_help?: string;
  rule_examples?: RuleExample[];
  fields?: F;
  /** Members that no field names are no reason for caution. */
  any_field?: boolean;
  /** Default: passthrough. */
  check?(call: Call<F>): Verdict;
  /** Whether the call provably changes nothing. Default: the static read_only. */
  checkReadOnly?(call: Call<F>): ReadOnly;
  /** The indices of the rules that decide. Default: the input as JSON, or `param:value`, as for tools that nobody knows. */
  match?(call: Call<F>, behavior: Behavior, rules: readonly Rule[]): number[];
  /** Default: the exact input, then the whole tool. */
  suggest?(call: Call<F>): Suggestion[];
  /** Default: nothing. */
  describe?(call: Call<F>): Description;
}

/** A tool that defineTool made. */
export interface Tool {
  readonly names: readonly string[];
  describe(): Json;
  answer(verb: Verb, envelope: Envelope): unknown;
}
/** One wasm file. Two tools may not share a name. */
export interface Module {
  name: string;
  version: string;
  summary?: string;
  tools: Tool[];
  /** The tool that answers for names that none of tools has; without it such a call is an error. */
  fallback?: string;
}

/** serve makes module the one that the exports answer for. */
export function serve(module: Module): void {
  (globalThis as any).callgate = (verb: Verb, input: string) => handle(module, verb, input);
}

/** matching returns the indices of the rules that match: the usual body of Spec.match. */
export function matching(rules: readonly Rule[], match: (rule: Rule) => boolean): number[] {
  const indices: number[] = [];
  rules.forEach((rule, i) => {
    if (match(rule)) indices.push(i);
  });
  return indices;
}

/** utf8Length is how many bytes a text takes: what the limits of docs/abi.md count. */
export function utf8Length(text: string): number {
  let bytes = text.length;
  for (let i = 0; i < text.length; i++) {
    const c = text.charCodeAt(i);
    if (c >= 0x800 && (c < 0xd800 || c > 0xdfff)) bytes += 2; // of a surrogate pair, each half takes two
    else if (c >= 0x80) bytes++;
  }
  return bytes;
}

/** handle answers one verb, as the exports do: input and output are as docs/abi.md says; an error is thrown. */
export function handle(module: Module, verb: Verb, input: string): string {
  if (verb === "describe") return encode(describeModule(module));
  const envelope = readEnvelope(input);
  return encode(findTool(module, envelope.tool).answer(verb, envelope));
}

function describeModule(m: Module): unknown {
  if (!m.name || !m.version || !m.tools || m.tools.length === 0) throw new Error("a module needs a name, a version and at least one tool");
  const taken = new Set<string>();
  for (const tool of m.tools)
    for (const name of tool.names) {
      if (taken.has(name)) throw new Error(`two tools claim the name ${quote(name)}`);
      taken.add(name);
    }
  return { abi: 1, name: m.name, version: m.version, summary: m.summary ?? "", tools: m.tools.map((t) => t.describe()) };
}

// An exact name before a glob, of globs the longest, and then the fallback.
function findTool(m: Module, name: string): Tool {
  let found: Tool | undefined;
  let longest = -1;
  for (const tool of m.tools)
    for (const own of tool.names) {
      if (own === name) return tool;
      if (own.length > longest && own.includes("*") && wildcard(own, name)) {
        found = tool;
        longest = own.length;
      }
    }
  if (found) return found;
  if (m.fallback === undefined || m.fallback === name) throw new Error(`module ${m.name} has no tool ${quote(name)}`);
  return findTool(m, m.fallback);
}

// What the SDK puts around an author's functions.

/** defineTool makes a tool; see Spec. */
export function defineTool<const F extends Fields = {}>(spec: Spec<F>): Tool {
  return {
    names: [spec.name, ...(spec.aliases ?? [])],
    describe() {
      if (!spec.name) throw new Error("a tool has no name");
      return {
        name: spec.name, aliases: spec.aliases ?? [], input_schema: spec.input_schema ?? { type: "object" },
        read_only: spec.read_only ?? false, edits_files: spec.edits_files ?? false,
        always_changes: !spec.checkReadOnly && !spec.read_only,
        rule_help: spec.rule_help ?? "", rule_examples: (spec.rule_examples ?? []) as unknown as Json,
      };
    },
    answer(verb, envelope) {
      const r = new Reading(spec, envelope);
      switch (verb) {
        case "check_permissions": return r.check();
        case "check_read_only": return r.checkReadOnly();
        case "match_rule": return { matched: r.match() };
        case "generate_suggestions": return { rules: r.suggest() };
        case "describe_call": return r.describe();
      }
      throw new Error(`unknown verb ${quote(verb)}`);
    },
  };
}

// Reading is one call as far as it could be read.
class Reading<F extends Fields> {
  private readonly call: Call<F>;
  private problem = ""; // why the input does not have its shape; "" when it has
  private readonly complete: boolean;

  constructor(private readonly spec: Spec<F>, private readonly envelope: Envelope) {
    const input: any = Object.create(null);
    const unknown: string[] = [];
    const node = envelope.input;
    if (node?.kind !== "{") {
      this.problem = node ? "it is no object" : "there is none";
    } else {
      for (const name of Object.keys(spec.fields ?? {})) {
        const { kind, required } = spec.fields![name];
        const member = node.members!.get(name);
        if (!member || member.kind === "n") {
          if (required) this.problem ||= `the member ${quote(name)} is missing`;
        } else if (kind !== "any" && (kindOf[member.kind] !== kind || (kind === "number" && !Number.isFinite(Number(member.text))))) {
          this.problem ||= `the member ${quote(name)} is no ${kind}`;
        } else {
          input[name] = plain(member);
        }
      }
      for (const name of node.members!.keys()) if (!Object.prototype.hasOwnProperty.call(spec.fields ?? {}, name)) unknown.push(name);
    }
    unknown.sort();
    this.complete = spec.any_field === true || unknown.length === 0;
    const { tool, context, config } = envelope;
    this.call = { tool, input, raw: node ? envelope.text.slice(node.from, node.to) : "", unknown, context, config, effects: envelope.effects };
  }

  private strangers(): string {
    return `the input has unknown members: ${this.call.unknown.map(quote).join(", ")}`;
  }

  check(): Verdict {
    if (this.problem) {
      return {
        behavior: "ask", bypass_immune: true,
        reason: `the input does not have the shape this tool expects: ${this.problem}`,
        message: `The input does not have the shape ${this.spec.name} expects: ${this.problem}.`,
      };
    }
    const v = answered<Verdict>("check", this.spec.check?.(this.call) ?? {}, verdictMembers);
    const behavior = v.behavior ?? "passthrough";
    if (!["allow", "deny", "ask", "passthrough"].includes(behavior)) throw new Error(`check answered the behavior ${quote(String(behavior))}`);
    if (v.bypass_immune && behavior !== "ask") throw new Error(`check answered a bypass-immune ${behavior}: only an ask can be`);
    if (behavior === "allow" && !this.complete) return { behavior: "passthrough", reason: this.strangers() };
    return { ...v, behavior };
  }

  checkReadOnly(): ReadOnly {
    if (this.problem) return { read_only: false, reason: this.problem };
    if (!this.complete) return { read_only: false, reason: this.strangers() };
    const given = this.spec.checkReadOnly ? this.spec.checkReadOnly(this.call) : { read_only: this.spec.read_only ?? false };
    const answer = answered<ReadOnly>("checkReadOnly", given, readOnlyMembers);
    if (!answer.read_only) return { ...answer, read_only: false };
    const v = this.check();
    return v.behavior === "deny" || v.bypass_immune ? { read_only: false, reason: v.reason } : answer;
  }

  match(): number[] {
    const { behavior, rules } = this.envelope;
    if (behavior === "allow") {
      if (this.problem || !this.complete) return [];
    } else if (behavior !== "deny" && behavior !== "ask") {
      throw new Error(`match for the behavior ${quote(behavior)}: want allow, deny or ask`);
    } else if (this.problem) {
      return rules.map((_, i) => i);
    }
    const given = this.spec.match
      ? this.spec.match(this.call, behavior, rules)
      : new Parameters(this.envelope.input!, behavior).matching(rules);
    if (!Array.isArray(given) || !given.every((i) => Number.isInteger(i) && i >= 0 && i < rules.length)) {
      throw new Error(`match answered ${String(given)} for ${rules.length} rules`);
    }
    return [...new Set(given)].sort((a, b) => a - b);
  }

  suggest(): Suggestion[] {
    if (this.problem || !this.complete) return [];
    if (this.spec.suggest) return limited("suggest", "rules", this.spec.suggest(this.call)).map((s) => suggested(s, this.envelope.covers));
    const exact = canonical(this.envelope.input!);
    const tool: Suggestion = { content: null, description: `every call of ${this.call.tool}` };
    return utf8Length(exact) <= maxSuggestion ? [{ content: exact, description: "exactly this input" }, tool] : [tool];
  }

  describe(): Description {
    if (this.problem) return { targets_unknown: true };
    const d = answered<Description>("describe", this.spec.describe?.(this.call) ?? {}, descriptionMembers);
    for (const what of ["actions", "effects", "marks", "targets"] as const) limited("describe", what, d[what] ?? []);
    const targets = d.targets?.map(({ kind, value, access }) => ({ kind, value, access }));
    const effects = this.call.effects ? d.effects?.map(effected) : undefined;
    // Of an input with unknown members the effects are never all.
    if (effects && !this.complete && effects.length < limits.effects) effects.push(effected({ kind: "runs", value: "unreadable" }));
    return { ...d, targets, effects, ...(this.complete ? {} : { analysed: false }) };
  }
}

const maxSuggestion = 2000; // bytes of a suggested rule: a longer one nobody reads

// What functions may answer, by member: typeof, or "list".
const verdictMembers = { behavior: "string", message: "string", reason: "string", bypass_immune: "boolean" };
const readOnlyMembers = { read_only: "boolean", reason: "string" };
const suggestionMembers = { content: "string", description: "string", covers: "string", near_misses: "list" };
const effectMembers = { kind: "string", value: "string", certain: "boolean", how: "string" };
const descriptionMembers = {
  action: "string", actions: "list", title: "string", preview: "string", language: "string", targets: "list",
  targets_unknown: "boolean", analysed: "boolean", moves: "boolean", changes_shell: "list", marks: "list", effects: "list",
};

function effected(effect: Effect): Effect {
  const { kind, value, certain, how } = answered<Effect>("describe", effect, effectMembers);
  return { kind, value, certain: certain ?? false, how };
}

function suggested(suggestion: Suggestion, covers: boolean): Suggestion {
  const s = answered<Suggestion>("suggest", suggestion, suggestionMembers);
  if (s.content === undefined) throw new Error("suggest answered a rule without content: null is the whole tool");
  for (const miss of s.near_misses ?? []) {
    if (typeof miss !== "object" || miss === null || Array.isArray(miss)) throw new Error("suggest answered near_misses that are no JSON objects");
  }
  return covers ? s : { ...s, covers: undefined };
}

const limits: { [what: string]: number } = { rules: 32, targets: 256, marks: 2048, actions: 4096, effects: 256 };

// limited refuses what the host would refuse in words of its own.
function limited<T>(by: string, what: string, list: T[]): T[] {
  if (!Array.isArray(list)) throw new Error(`${by} answered no list of ${what}`);
  if (list.length > limits[what]) throw new Error(`${by} answered ${list.length} ${what}: at most ${limits[what]}`);
  return list;
}

// answered refuses an answer with members that mean nothing: a slip of the pen must
// not become the default.
function answered<T>(what: string, answer: unknown, members: { [name: string]: string }): T {
  if (typeof answer !== "object" || answer === null || Array.isArray(answer)) throw new Error(`${what} answered no object`);
  for (const [name, value] of Object.entries(answer)) {
    const want = Object.prototype.hasOwnProperty.call(members, name) ? members[name] : "";
    const fits = value === undefined || (want === "list" ? Array.isArray(value) : typeof value === want) || (name === "content" && value === null);
    if (!want || !fits) throw new Error(`${what} answered an object whose member ${quote(name)} is ${want ? `no ${want}` : "unknown"}`);
  }
  if (answer instanceof Promise) throw new Error(`${what} answered a promise: nothing waits here`);
  return answer as T;
}

// The default rules: a rule's content is the input as JSON or `param:value`. An allow
// rule speaks of one plain value; a deny or ask rule also of what lists and objects
// hold, of names in another case and numbers written otherwise. Content of neither
// form allows nothing and denies everything. Source: sdk/go/tool, MatchParameters.
class Parameters {
  private readonly inherits: boolean;
  constructor(private readonly input: Node, private readonly behavior: Behavior) {
    this.inherits = ["__proto__", "constructor", "prototype"].some((name) => input.members!.has(name));
  }

  matching(rules: readonly Rule[]): number[] {
    const whole = canonical(this.input);
    return matching(rules, (rule) => {
      let exact: Node | undefined;
      try {
        exact = parse(rule.content);
      } catch {
        return this.param(rule.content);
      }
      return canonical(exact) === whole || (this.behavior !== "allow" && canonical(exact, rounded) === canonical(this.input, rounded));
    });
  }

  private param(content: string): boolean {
    const at = content.indexOf(":");
    const name = content.slice(0, at);
    const pattern = content.slice(at + 1);
    if (this.behavior === "allow") {
      const value = at < 0 || this.inherits ? undefined : this.input.members!.get(name);
      if (!value) return false;
      const nested = value.kind === "[" || value.kind === "{";
      return nested && pattern !== "*" ? canonical(value) === pattern : wildcard(pattern, plainText(value));
    }
    if (at < 0 || this.inherits) return true;
    for (const [own, value] of this.input.members!) if (sameName(own, name) && catches(value, pattern)) return true;
    return false;
  }
}

function sameName(a: string, b: string): boolean {
  return a === b || a.toLowerCase() === b.toLowerCase() || a.toUpperCase() === b.toUpperCase();
}

function catches(value: Node, pattern: string): boolean {
  const open = [value];
  for (let node = open.pop(); node; node = open.pop()) {
    if (wildcard(pattern, plainText(node))) return true;
    if (node.kind === "0" && rounded(pattern) === rounded(node.text)) return true;
    if (node.items) open.push(...node.items);
    if (node.members) open.push(...node.members.values());
  }
  return false;
}

function plainText(node: Node): string {
  return node.kind === '"' ? node.text : canonical(node);
}

// rounded is the one spelling of a number as programs read it that have no more than
// a float64; a text that is none stays.
function rounded(number: string): string {
  return /^[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?$/.test(number) ? String(Number(number) + 0) : number;
}

/** wildcard tells whether text matches pattern, in which * stands for any run of characters. */
export function wildcard(pattern: string, text: string): boolean {
  const parts = pattern.split("*");
  if (parts.length === 1) return pattern === text;
  const last = parts.pop()!;
  if (!text.startsWith(parts[0])) return false;
  let at = parts[0].length;
  for (const part of parts.slice(1)) {
    const found = text.indexOf(part, at);
    if (found < 0) return false;
    at = found + part.length;
  }
  return text.length - last.length >= at && text.endsWith(last);
}

// Strict JSON: JSON.parse takes duplicate names and rounds numbers. No recursion: the
// stack of the engine holds no thousand calls.

interface Node {
  kind: "{" | "[" | '"' | "0" | "t" | "f" | "n";
  from: number; // where it lies in the text
  to: number;
  text: string; // a string's characters, a number as it is written
  members?: Map<string, Node>;
  items?: Node[];
}
const kindOf: { [kind: string]: Kind | "null" } = { "{": "object", "[": "list", '"': "text", "0": "number", t: "boolean", f: "boolean", n: "null" };
const maxDepth = 1000;
// The method is ES2024's, younger than most compilers' libraries.
const halfCharacter = (s: string): boolean => !(s as unknown as { isWellFormed(): boolean }).isWellFormed();

/** quote spells a text as JSON. */
export function quote(s: string): string {
  return JSON.stringify(s);
}

// parse reads one JSON value and nothing after it; the errors say where.
function parse(json: string): Node {
  let at = 0;
  const fail = (what: string): never => {
    throw new Error(`JSON: ${what} at character ${at + 1}`);
  };
  if (halfCharacter(json)) fail("half a character (a lone surrogate)");
  const blanks = /[ \t\n\r]*/y;
  const numbers = /-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?/y;
  const run = (of: RegExp): string => {
    of.lastIndex = at;
    const found = of.exec(json);
    if (!found) return "";
    at = of.lastIndex;
    return found[0];
  };
  const skip = (): string => {
    const c = json[at];
    if (c === " " || c === "\n" || c === "\t" || c === "\r") run(blanks);
    return json[at];
  };
  const string = (): string => {
    let end = at;
    let slashes: number; // before the quote: an odd number keeps it in the string
    do {
      end = json.indexOf('"', end + 1);
      if (end < 0) fail("a string that does not end");
      for (slashes = 0; json[end - 1 - slashes] === "\\"; slashes++);
    } while (slashes % 2 === 1);
    const raw = json.slice(at, end + 1);
    for (let i = raw.indexOf("\\"); i >= 0; i = raw.indexOf("\\", i + 2)) {
      // QuickJS takes \x41 and the like.
      if (!'"\\/bfnrtu'.includes(raw[i + 1]) || (raw[i + 1] === "u" && !/^[0-9a-fA-F]{4}$/.test(raw.slice(i + 2, i + 6)))) fail("an unknown escape");
    }
    let s = "";
    try {
      s = JSON.parse(raw);
    } catch {
      fail("a string with a control character");
    }
    if (halfCharacter(s)) fail("half a character (a lone surrogate)");
    at = end + 1;
    return s;
  };
  const name = (of: Node): string => {
    if (skip() !== '"') fail("no name");
    const n = string();
    if (of.members!.has(n)) fail(`the name ${quote(n)} for the second time`);
    if (skip() !== ":") fail("no colon");
    at++;
    return n;
  };
  const open: Node[] = []; // lists and objects that are not closed
  const names: string[] = []; // of the member of each that is being read; "" in lists
  for (;;) {
    const c = skip();
    const node: Node = { kind: "n", from: at, to: at, text: "" };
    if (c === "{" || c === "[") {
      if (open.length === maxDepth) fail(`more than ${maxDepth} levels`);
      at++;
      node.kind = c;
      if (c === "{") node.members = new Map();
      else node.items = [];
      if (skip() !== (c === "{" ? "}" : "]")) {
        open.push(node);
        names.push(c === "{" ? name(node) : "");
        continue;
      }
      at++;
    } else if (c === '"') {
      node.kind = c;
      node.text = string();
    } else if (json.startsWith("true", at) || json.startsWith("null", at) || json.startsWith("false", at)) {
      node.kind = c as "t" | "f" | "n";
      at += c === "f" ? 5 : 4;
    } else {
      node.kind = "0";
      node.text = run(numbers);
      if (!node.text) fail(at < json.length ? "no value" : "the end, too early");
    }
    // A value has ended, and with it perhaps some that hold it.
    let ended = node;
    for (;;) {
      ended.to = at;
      const holder = open[open.length - 1];
      const next = skip();
      if (!holder) {
        if (next !== undefined) fail("something behind the value");
        return ended;
      }
      if (holder.members) holder.members.set(names[names.length - 1], ended);
      else holder.items!.push(ended);
      if (next === ",") {
        at++;
        if (holder.members) names[names.length - 1] = name(holder);
        break;
      }
      if (next !== (holder.members ? "}" : "]")) fail(next === undefined ? "the end, too early" : "no comma and no end");
      at++;
      open.pop();
      names.pop();
      ended = holder;
    }
  }
}

// canonical writes a value with its names sorted and no blanks; numbers as they are
// written, or as `numbers` has them.
function canonical(node: Node, numbers = (text: string) => text): string {
  let out = "";
  const left: (Node | string)[] = [node]; // what is to be written, the next last
  for (let next = left.pop(); next !== undefined; next = left.pop()) {
    if (typeof next === "string") {
      out += next;
    } else if (next.items) {
      out += "[";
      left.push("]");
      for (let i = next.items.length - 1; i >= 0; i--) left.push(next.items[i], i > 0 ? "," : "");
    } else if (next.members) {
      out += "{";
      left.push("}");
      const names = [...next.members.keys()].sort();
      for (let i = names.length - 1; i >= 0; i--) left.push(next.members.get(names[i])!, `${i > 0 ? "," : ""}${quote(names[i])}:`);
    } else {
      out += next.kind === '"' ? quote(next.text) : next.kind === "0" ? numbers(next.text) : words[next.kind];
    }
  }
  return out;
}
const words: { [kind: string]: string } = { t: "true", f: "false", n: "null" };

// plain is a value as JavaScript has it; objects have no prototype, so that a member
// named __proto__ is a member.
function plain(node: Node): any {
  const left: [Node, any, string | number][] = [];
  const put = (n: Node, to: any, key: string | number) => {
    if (n.items || n.members) {
      to[key] = n.items ? [] : Object.create(null);
      left.push([n, to[key], ""]);
    } else {
      to[key] = n.kind === '"' ? n.text : n.kind === "0" ? Number(n.text) : n.kind === "n" ? null : n.kind === "t";
    }
  };
  const root: any = [];
  put(node, root, 0);
  for (let next = left.pop(); next; next = left.pop()) {
    const [n, to] = next;
    n.items?.forEach((item, i) => put(item, to, i));
    n.members?.forEach((member, name) => put(member, to, name));
  }
  return root[0];
}

// encode writes an answer; texts with half a character are refused.
function encode(answer: unknown): string {
  return JSON.stringify(answer, (name, value) => {
    if (halfCharacter(name) || (typeof value === "string" && halfCharacter(value))) throw new Error("the answer holds half a character (a lone surrogate)");
    return value;
  });
}

// The envelope. Members it does not name are ignored: later versions may add some.

interface Envelope {
  text: string;
  tool: string;
  input?: Node;
  config?: Json;
  context: Context;
  behavior: Behavior;
  rules: Rule[];
  effects: boolean; // the host reads these members
  covers: boolean;
}

function readEnvelope(json: string): Envelope {
  const root = parse(json);
  if (root.kind !== "{") throw new Error("envelope: no object");
  const m = root.members!;
  const config = m.get("config");
  const e: Envelope = {
    text: json, tool: textOf(m, "tool"), input: m.get("input"), config: config && config.kind !== "n" ? plain(config) : undefined,
    context: readContext(m.get("context")), behavior: textOf(m, "behavior") as Behavior,
    rules: objectsOf(m, "rules").map((r) => ({ content: textOf(r, "content"), root: textOf(r, "root") })),
    effects: booleanOf(m, "effects"), covers: booleanOf(m, "covers"),
  };
  if (!e.tool) throw new Error("envelope: no tool");
  return e;
}

type Members = Map<string, Node>;

function memberOf(m: Members, name: string, kind: Kind): Node | undefined {
  const node = m.get(name);
  if (!node || node.kind === "n") return undefined;
  if (kindOf[node.kind] !== kind) throw new Error(`envelope: ${quote(name)} is no ${kind}`);
  return node;
}
const textOf = (m: Members, name: string): string => memberOf(m, name, "text")?.text ?? "";
const booleanOf = (m: Members, name: string): boolean => memberOf(m, name, "boolean")?.kind === "t";
const textsOf = (m: Members, name: string): string[] =>
  (memberOf(m, name, "list")?.items ?? []).map((item) => textOf(new Map([[name, item]]), name));
const objectsOf = (m: Members, name: string): Members[] =>
  (memberOf(m, name, "list")?.items ?? []).map((item) => memberOf(new Map([[name, item]]), name, "object")?.members ?? new Map());

function readContext(node?: Node): Context {
  const m: Members = (node && memberOf(new Map([["context", node]]), "context", "object")?.members) || new Map();
  const annotations = m.get("annotations");
  return {
    agent: textOf(m, "agent"), session: textOf(m, "session"), user: textOf(m, "user"), mode: textOf(m, "mode") as Context["mode"],
    cwd: textOf(m, "cwd"), working_directories: textsOf(m, "working_directories"), project_root: textOf(m, "project_root"),
    home: textOf(m, "home"), kind: textOf(m, "kind"), dialect: textOf(m, "dialect"), shell_changed: textsOf(m, "shell_changed"),
    resumed: booleanOf(m, "resumed"), approver: textOf(m, "approver"), active_skills: textsOf(m, "active_skills"),
    annotations: annotations && plain(annotations), targets: objectsOf(m, "targets").map(readTarget), targets_unknown: booleanOf(m, "targets_unknown"),
  };
}

function readTarget(m: Members): FoundTarget {
  const repo = memberOf(m, "repo", "object")?.members;
  return {
    kind: textOf(m, "kind") as Target["kind"], value: textOf(m, "value"), access: textOf(m, "access") as Target["access"],
    resolved: textOf(m, "resolved"), lexical: textOf(m, "lexical"), exists: booleanOf(m, "exists"), inside: textOf(m, "inside"),
    claimed: booleanOf(m, "claimed"), error: textOf(m, "error"), repo: repo && { root: textOf(repo, "root"), dirty: textsOf(repo, "dirty") },
  };
}

// Unit tests: a file of tests is a module of its own, which `callgate tool test`
// builds and runs.

/** serveTests makes the tests what the module's describe runs: a test fails by throwing. */
export function serveTests(tests: { [name: string]: () => void }): void {
  (globalThis as any).callgate = () =>
    JSON.stringify({
      tests: Object.entries(tests).map(([name, test]) => {
        try {
          test();
          return { name };
        } catch (e) {
          return { name, failed: String(e) || "something was thrown" };
        }
      }),
    });
}

/** ask asks module one verb, with what a test gives of the envelope, and returns its answer. */
export function ask(module: Module, verb: Verb, envelope: { tool: string; input: Json; [name: string]: unknown }): any {
  return JSON.parse(handle(module, verb, JSON.stringify({ context: {}, ...envelope })));
}

/** equal throws unless both are the same JSON, whatever the order of their names. */
export function equal(got: unknown, want: unknown): void {
  const spell = (value: unknown) => canonical(parse(JSON.stringify(value ?? null)));
  if (spell(got) !== spell(want)) throw new Error(`got ${spell(got)}, want ${spell(want)}`);
}
