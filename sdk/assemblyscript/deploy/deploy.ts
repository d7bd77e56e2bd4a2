import { Call, Description, Json, Kind, Module, ReadOnly, Rule, RuleExample, Suggestion, Target, Tool, Verdict, quote, serve, wildcard } from "../callgate";
export { check_permissions, check_read_only, describe, describe_call, generate_suggestions, match_rule } from "../callgate";

const operations: string[] = ["status", "deploy", "rollback"];

// only tells whether a text is 1 to 63 of a-z, 0-9, - or one more.
function only(text: string, more: string): bool {
  for (let i = 0; i < text.length; i++) {
    const c = text.charCodeAt(i);
    if (!((c >= 0x61 && c <= 0x7a) || (c >= 0x30 && c <= 0x39) || c == 0x2d || more.includes(text.charAt(i)))) return false;
  }
  return text.length > 0 && text.length <= 63;
}

// isPath tells whether a text can be named as a target: the host takes no other.
function isPath(text: string): bool {
  for (let i = 0; i < text.length; i++) {
    const c = text.charCodeAt(i);
    if (c < 0x20 || c == 0x7f) return false;
  }
  return text.length > 0 && String.UTF8.byteLength(text) <= 4096;
}

// parts takes STAGE/SERVICE apart; anything else has none.
function parts(text: string, more: string = ""): string[] {
  const found = text.split("/");
  return found.length == 2 && only(found[0], more) && only(found[1], more) ? found : [];
}

function readable(c: Call): bool {
  return operations.includes(c.text("operation")) && parts(c.text("target")).length > 0;
}

// isProduction goes by the operator's list of stages; a list that does not read so
// makes every stage production.
function isProduction(config: Json | null, stage: string): bool {
  if (config && config.kind != Kind.object) return true;
  const stages = config ? config.get("production") : null;
  if (!stages) return stage == "prod";
  if (stages.kind != Kind.list) return true;
  let found = false;
  for (let i = 0; i < stages.items.length; i++) {
    if (stages.items[i].kind != Kind.text) return true;
    if (stages.items[i].text == stage) found = true;
  }
  return found;
}

// configInside tells whether the configuration's file lies in a working directory.
function configInside(c: Call): bool {
  for (let i = 0; i < c.context.targets.length; i++) {
    const t = c.context.targets[i];
    if (t.kind == "path" && t.value == c.text("config")) return isPath(t.value) && t.error == "" && !t.claimed && t.inside != "";
  }
  return false;
}

function check(c: Call): Verdict {
  const operation = c.text("operation");
  const target = c.text("target");
  if (!operations.includes(operation)) return new Verdict("ask", "unknown operation", "", true);
  const at = parts(target);
  if (at.length == 0) return new Verdict("ask", "the target is not STAGE/SERVICE", "", true);
  if (operation != "status" && !c.boolean("dry_run") && isProduction(c.config, at[0])) {
    return new Verdict("ask", target + " is production", "Deployments to production are confirmed by a person.", true);
  }
  if (c.has("config") && !configInside(c)) {
    return new Verdict("ask", "the configuration lies outside the working directories");
  }
  return new Verdict();
}

// What cannot be read is covered by no allow rule and by every deny and ask rule.
function match(c: Call, behavior: string, rule: Rule): bool {
  const doubt = behavior != "allow";
  const words = rule.content.split(" ");
  const pattern = parts(words[words.length - 1], "*");
  const reads = pattern.length > 0 && (words.length == 1 || (words.length == 2 && operations.includes(words[0])));
  if (!reads || !readable(c)) return doubt;
  const at = parts(c.text("target"));
  return (words.length == 1 || words[0] == c.text("operation")) && wildcard(pattern[0], at[0]) && wildcard(pattern[1], at[1]);
}

function near(operation: string, target: string): string[] {
  return ['{"operation":' + quote(operation) + ',"target":' + quote(target) + "}"];
}

function suggest(c: Call): Suggestion[] {
  const operation = c.text("operation");
  const target = c.text("target");
  const at = parts(target);
  if (at.length == 0 || check(c).bypass_immune) return [];
  return [
    new Suggestion(operation + " " + target, "this operation on this target", near(operation, target + "-2")),
    new Suggestion(operation + " " + at[0] + "/*", "this operation on every target of " + at[0], near(operation, at[0] + "-2/" + at[1])),
  ];
}

function describeCall(c: Call): Description {
  const d = new Description();
  if (!readable(c)) {
    d.targets_unknown = true;
    return d;
  }
  d.title = c.text("operation") + " " + c.text("target");
  d.action = "tool:Deploy:" + d.title + (c.boolean("dry_run") ? " --dry-run" : "");
  if (c.has("config")) {
    if (isPath(c.text("config"))) d.targets.push(new Target("path", c.text("config"), "read"));
    else d.targets_unknown = true;
  }
  return d;
}

const tool = new Tool("Deploy");
tool.aliases = ["deploy"];
tool.input_schema =
  '{"type":"object","properties":{"operation":{"enum":["status","deploy","rollback"]},"target":{"type":"string"},"dry_run":{"type":"boolean"},"config":{"type":"string"}},"required":["operation","target"],"additionalProperties":false}';
tool.rule_help =
  "OPERATION and a pattern of STAGE/SERVICE, or the pattern alone for every operation; * stays between slashes: staging/*, status prod/*, deploy staging/web.";
tool.rule_examples = [
  new RuleExample("staging/*", "allow", '{"operation":"deploy","target":"staging/web"}', true),
  new RuleExample("staging/*", "allow", '{"operation":"deploy","target":"prod/web"}', false),
  new RuleExample("deploy staging/web", "allow", '{"operation":"rollback","target":"staging/web"}', false),
  new RuleExample("prod/*", "deny", '{"operation":"status","target":"prod/web"}', true),
  new RuleExample("nonsense", "deny", '{"operation":"status","target":"prod/web"}', true),
];
tool.field("operation", Kind.text, true);
tool.field("target", Kind.text, true);
tool.field("dry_run", Kind.boolean, false);
tool.field("config", Kind.text, false);
tool.check = check;
// Name what is safe, never what is dangerous.
tool.check_read_only = (c: Call): ReadOnly =>
  readable(c) && c.text("operation") == "status" ? new ReadOnly(true, "status changes nothing") : new ReadOnly();
tool.match = match;
tool.suggest = suggest;
tool.describe = describeCall;

export const module = new Module("deploy", "1.0.0", "Judges deployments.");
module.tools = [tool];
serve(module);
