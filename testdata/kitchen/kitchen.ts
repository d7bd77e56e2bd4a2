// A module that uses all of the SDK, for cmd/callgate/kitchen_test.go.
import { any, boolean, defineTool, list, matching, number, object, optional, serve, text } from "callgate";
import type { Call, Description, Effect, Json, Verdict } from "callgate";

const fields = {
  text: optional(text), number: optional(number), boolean: optional(boolean), list: optional(list), object: optional(object), any: optional(any),
};

function size(n: number | undefined): string {
  return n === undefined ? "none" : n >= 10 ? "large" : "small";
}

const pot = defineTool({
  name: "Pot", aliases: ["pot_*", "pot_a*"], fields,
  check: (c): Verdict => ({
    behavior: "allow",
    reason: `${c.input.text ?? ""}|${size(c.input.number)}|${c.input.list?.length ?? "-"}|${c.input.object && "a" in c.input.object ? "a" : "-"}|${c.input.any === undefined ? "-" : "any"}`,
    message: `${c.context.cwd}|${c.context.targets[0]?.value ?? ""}|${c.config === undefined ? "-" : "config"}`,
  }),
  checkReadOnly: (c) => ({ read_only: true, reason: c.tool }),
  suggest: (c) => [{ content: c.input.text ?? "", covers: c.tool, near_misses: [{ text: c.input.text ?? "" }] }, { content: null, description: c.tool }],
  describe(c): Description {
    const d: Description = { action: c.input.text, actions: ["a", c.tool], title: c.tool, preview: c.unknown.join(","), language: "none" };
    if (c.input.text !== undefined) d.targets = [{ kind: "path", value: c.input.text, access: "write" }];
    const effects: Effect[] = [];
    if (c.input.text !== undefined) effects.push({ kind: "overwrites", value: c.input.text, certain: c.effects });
    if (c.input.boolean) effects.push({ kind: "deletes", value: "x", how: "tree" });
    if (effects.length > 0 || c.input.number !== undefined) d.effects = effects;
    if (c.input.boolean) {
      d.moves = true;
      d.changes_shell = ["directory", "environment"];
      d.marks = [{ kind: "tree", value: "x", access: "run" }];
    }
    return d;
  },
});
const pan = defineTool({ name: "Pan", read_only: true, fields: { text, number, boolean, list, object, any } });
const lid = defineTool({ name: "Lid", aliases: ["mcp__*"], any_field: true });
const mix = defineTool({
  name: "Mix", fields: { must: any },
  check(c): Verdict {
    switch (c.input.must) {
      case "deny": return { behavior: "deny", reason: "no" };
      case "immune": return { behavior: "ask", bypass_immune: true, reason: "a person", message: "Ask." };
      case "ask": return { behavior: "ask", reason: "perhaps" };
      case "nothing": return {};
    }
    return { behavior: "allow", reason: "yes" };
  },
  checkReadOnly: () => ({ read_only: true, reason: "sure" }),
  match(_, _behavior, rules) {
    const found = matching(rules, (rule) => rule.content === "yes").reverse();
    return [...found, ...found];
  },
});

const things = (n: number) => Array.from({ length: n }, () => ({ kind: "path" as const, value: "x", access: "read" as const }));

// What an author may do wrong, by the input's member how.
const broken = defineTool({
  name: "Broken", fields: { how: text },
  check(c: Call<any>): any {
    switch (c.input.how) {
      case "behavior": return { behavior: "permit" };
      case "immune allow": return { behavior: "allow", bypass_immune: true };
      case "immune deny": return { behavior: "deny", bypass_immune: true };
      case "throw": throw new Error("the check broke");
    }
    return {};
  },
  checkReadOnly(c: Call<any>) {
    if (c.input.how === "throw") throw new Error("the question broke");
    return { read_only: true };
  },
  match(c: Call<any>) {
    if (c.input.how === "throw") throw new Error("the match broke");
    return c.input.how === "index" ? [0, 99] : c.input.how === "negative" ? [-1] : [];
  },
  suggest(c: Call<any>): any {
    if (c.input.how === "throw") throw new Error("the suggestion broke");
    if (c.input.how === "near miss") return [{ content: "x", near_misses: ["{"] }];
    return Array.from({ length: c.input.how === "many" ? 33 : 0 }, () => ({ content: "x" }));
  },
  describe(c: Call<any>): any {
    switch (c.input.how) {
      case "throw": throw new Error("the description broke");
      case "many": return { targets: things(257) };
      case "a million": return { targets: things(1_000_000) };
      case "many marks": return { marks: things(2049).map((t) => ({ ...t, kind: "tree" })) };
      case "many actions": return { actions: Array.from({ length: 4097 }, () => "a") };
      case "many effects": return { effects: Array.from({ length: 257 }, () => ({ kind: "takes", value: "x" })) };
      case "kind": return { targets: [{ kind: "file", value: "x", access: "read" }] };
      case "text": return { title: "\ud800" };
    }
    return {};
  },
});

export const module = { name: "kitchen", version: "1", tools: [pot, pan, lid, mix, broken], fallback: "Lid" };
serve(module);
