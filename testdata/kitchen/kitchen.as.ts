// A module that uses all of the SDK, for cmd/callgate/kitchen_test.go.
import { Call, Description, Effect, Kind, Mark, Module, ReadOnly, Rule, Suggestion, Target, Tool, Verdict, quote, serve } from "../../sdk/assemblyscript/callgate";
export { check_permissions, check_read_only, describe, describe_call, generate_suggestions, match_rule } from "../../sdk/assemblyscript/callgate";

function size(c: Call): string {
  return !c.has("number") ? "none" : c.number("number") >= 10 ? "large" : "small";
}

function fields(t: Tool, required: bool): Tool {
  t.field("text", Kind.text, required);
  t.field("number", Kind.number, required);
  t.field("boolean", Kind.boolean, required);
  t.field("list", Kind.list, required);
  t.field("object", Kind.object, required);
  t.field("any", Kind.any, required);
  return t;
}

const pot = fields(new Tool("Pot"), false);
pot.aliases = ["pot_*", "pot_a*"];
pot.check = (c: Call): Verdict => {
  const items = c.has("list") ? c.input.get("list")!.items.length.toString() : "-";
  const member = c.has("object") && c.input.get("object")!.get("a") ? "a" : "-";
  const targets = c.context.targets;
  return new Verdict(
    "allow", c.text("text") + "|" + size(c) + "|" + items + "|" + member + "|" + (c.has("any") ? "any" : "-"),
    c.context.cwd + "|" + (targets.length > 0 ? targets[0].value : "") + "|" + (c.config ? "config" : "-"),
  );
};
pot.check_read_only = (c: Call): ReadOnly => new ReadOnly(true, c.tool);
pot.suggest = (c: Call): Suggestion[] => [new Suggestion(c.text("text"), "", ['{"text":' + quote(c.text("text")) + "}"], c.tool), new Suggestion(null, c.tool)];
pot.describe = (c: Call): Description => {
  const d = new Description();
  d.action = c.text("text");
  d.actions = ["a", c.tool];
  d.title = c.tool;
  d.preview = c.unknown.join(",");
  d.language = "none";
  if (c.has("text")) d.targets.push(new Target("path", c.text("text"), "write"));
  const effects: Effect[] = [];
  if (c.has("text")) effects.push(new Effect("overwrites", c.text("text"), c.effects));
  if (c.boolean("boolean")) effects.push(new Effect("deletes", "x", false, "tree"));
  if (effects.length > 0 || c.has("number")) d.effects = effects;
  if (c.boolean("boolean")) {
    d.moves = true;
    d.changes_shell = ["directory", "environment"];
    d.marks.push(new Mark("tree", "x", "run"));
  }
  return d;
};

const pan = fields(new Tool("Pan"), true);
pan.read_only = true;

const lid = new Tool("Lid");
lid.aliases = ["mcp__*"];
lid.any_field = true;

const mix = new Tool("Mix");
mix.field("must", Kind.any, true);
mix.check = (c: Call): Verdict => {
  const must = c.input.get("must")!;
  if (must.kind == Kind.text) {
    if (must.text == "deny") return new Verdict("deny", "no");
    if (must.text == "immune") return new Verdict("ask", "a person", "Ask.", true);
    if (must.text == "ask") return new Verdict("ask", "perhaps");
    if (must.text == "nothing") return new Verdict();
  }
  return new Verdict("allow", "yes");
};
mix.check_read_only = (c: Call): ReadOnly => new ReadOnly(true, "sure");
mix.match_all = (c: Call, behavior: string, rules: Rule[]): i32[] => {
  const found: i32[] = [];
  for (let i = rules.length - 1; i >= 0; i--) if (rules[i].content == "yes") found.push(i);
  return found.concat(found);
};

// What an author may do wrong, by the input's member how.
const broken = new Tool("Broken");
broken.field("how", Kind.text, true);
broken.check = (c: Call): Verdict => {
  const how = c.text("how");
  if (how == "behavior") return new Verdict("permit");
  if (how == "immune allow") return new Verdict("allow", "", "", true);
  if (how == "immune deny") return new Verdict("deny", "", "", true);
  if (how == "throw") throw new Error("the check broke");
  return new Verdict();
};
broken.check_read_only = (c: Call): ReadOnly => {
  if (c.text("how") == "throw") throw new Error("the question broke");
  return new ReadOnly(true);
};
broken.match_all = (c: Call, behavior: string, rules: Rule[]): i32[] => {
  const how = c.text("how");
  if (how == "throw") throw new Error("the match broke");
  if (how == "index") return [0, 99];
  if (how == "negative") return [-1];
  return [];
};
broken.suggest = (c: Call): Suggestion[] => {
  const how = c.text("how");
  const list: Suggestion[] = [];
  if (how == "throw") throw new Error("the suggestion broke");
  if (how == "near miss") list.push(new Suggestion("x", "", ["{"]));
  if (how == "many") for (let i = 0; i < 33; i++) list.push(new Suggestion("x"));
  return list;
};
broken.describe = (c: Call): Description => {
  const how = c.text("how");
  const d = new Description();
  if (how == "throw") throw new Error("the description broke");
  const targets = how == "many" ? 257 : how == "a million" ? 1000000 : 0;
  for (let i = 0; i < targets; i++) d.targets.push(new Target("path", "x", "read"));
  if (how == "many marks") for (let i = 0; i < 2049; i++) d.marks.push(new Mark("tree", "x", "read"));
  if (how == "many actions") for (let i = 0; i < 4097; i++) d.actions.push("a");
  const effects: Effect[] = [];
  if (how == "many effects") for (let i = 0; i < 257; i++) effects.push(new Effect("takes", "x", false));
  d.effects = effects;
  if (how == "kind") d.targets.push(new Target("file", "x", "read"));
  if (how == "text") d.title = String.fromCharCode(0xd800);
  return d;
};

const module = new Module("kitchen", "1", "");
module.tools = [pot, pan, lid, mix, broken];
module.fallback = "Lid";
serve(module);
