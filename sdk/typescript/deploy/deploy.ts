import { boolean, defineTool, matching, optional, serve, text, utf8Length, wildcard } from "callgate";
import type { Call, Module, Verdict } from "callgate";

const operations = ["status", "deploy", "rollback"];

// What an agent sends: the members of the tool's schema.
const fields = { operation: text, target: text, dry_run: optional(boolean), config: optional(text) };
type ToolCall = Call<typeof fields>;

// parts takes a target apart: STAGE/SERVICE. Nothing else is readable.
function parts(target: string): { stage: string; service: string } | undefined {
  const found = /^([a-z0-9-]{1,63})\/([a-z0-9-]{1,63})$/.exec(target);
  return found ? { stage: found[1], service: found[2] } : undefined;
}

function readable(c: ToolCall): boolean {
  return operations.includes(c.input.operation) && parts(c.input.target) !== undefined;
}

// isProduction goes by the operator's list of stages; a list that does not read so
// makes every stage production.
function isProduction(c: ToolCall, stage: string): boolean {
  if (c.config === undefined) return stage === "prod";
  if (typeof c.config !== "object" || c.config === null || Array.isArray(c.config)) return true;
  const { production: stages = ["prod"] } = c.config;
  if (!Array.isArray(stages) || !stages.every((s) => typeof s === "string")) return true;
  return stages.includes(stage);
}

// isPath tells whether a text can be named as a target: the host takes no other.
function isPath(text: string): boolean {
  return /^[^\u0000-\u001f\u007f]+$/.test(text) && utf8Length(text) <= 4096;
}

// configInside tells whether the configuration's file lies in a working directory.
function configInside(c: ToolCall): boolean {
  const found = c.context.targets.find((t) => t.kind === "path" && t.value === c.input.config);
  return found !== undefined && isPath(found.value) && !found.error && !found.claimed && !!found.inside;
}

function check(c: ToolCall): Verdict {
  const { operation, target, dry_run, config } = c.input;
  if (!operations.includes(operation)) return { behavior: "ask", bypass_immune: true, reason: "unknown operation" };
  const at = parts(target);
  if (!at) return { behavior: "ask", bypass_immune: true, reason: "the target is not STAGE/SERVICE" };
  if (operation !== "status" && !dry_run && isProduction(c, at.stage)) {
    return {
      behavior: "ask", bypass_immune: true, reason: `${target} is production`,
      message: "Deployments to production are confirmed by a person.",
    };
  }
  if (config !== undefined && !configInside(c)) {
    return { behavior: "ask", reason: "the configuration lies outside the working directories" };
  }
  return {};
}

// ruleMatches judges a readable call; undefined when the rule does not read as one.
function ruleMatches(content: string, c: ToolCall): boolean | undefined {
  const rule = /^(?:(status|deploy|rollback) )?([a-z0-9*-]{1,63})\/([a-z0-9*-]{1,63})$/.exec(content);
  if (!rule) return undefined;
  const [, operation, stage, service] = rule;
  const at = parts(c.input.target)!;
  return (operation === undefined || operation === c.input.operation) && wildcard(stage, at.stage) && wildcard(service, at.service);
}

export const module: Module = {
  name: "deploy",
  version: "1.0.0",
  summary: "Judges deployments.",
  tools: [
    defineTool({
      name: "Deploy",
      aliases: ["deploy"],
      input_schema: {
        type: "object",
        properties: {
          operation: { enum: ["status", "deploy", "rollback"] },
          target: { type: "string" },
          dry_run: { type: "boolean" },
          config: { type: "string" },
        },
        required: ["operation", "target"],
        additionalProperties: false,
      },
      rule_help:
        "OPERATION and a pattern of STAGE/SERVICE, or the pattern alone for every operation; * stays between slashes: staging/*, status prod/*, deploy staging/web.",
      rule_examples: [
        { content: "staging/*", behavior: "allow", input: { operation: "deploy", target: "staging/web" }, match: true },
        { content: "staging/*", behavior: "allow", input: { operation: "deploy", target: "prod/web" }, match: false },
        { content: "deploy staging/web", behavior: "allow", input: { operation: "rollback", target: "staging/web" }, match: false },
        { content: "prod/*", behavior: "deny", input: { operation: "status", target: "prod/web" }, match: true },
        { content: "nonsense", behavior: "deny", input: { operation: "status", target: "prod/web" }, match: true },
      ],
      fields,
      check,

      // Name what is safe, never what is dangerous.
      checkReadOnly: (c) =>
        readable(c) && c.input.operation === "status" ? { read_only: true, reason: "status changes nothing" } : { read_only: false },

      // What cannot be read is covered by no allow rule and by every deny and ask rule.
      match(c, behavior, rules) {
        const doubt = behavior !== "allow";
        return matching(rules, (rule) => (readable(c) ? ruleMatches(rule.content, c) ?? doubt : doubt));
      },

      suggest(c) {
        const { operation, target } = c.input;
        const at = parts(target);
        if (!at || check(c).bypass_immune) return [];
        const { stage, service } = at;
        return [
          {
            content: `${operation} ${target}`, description: "this operation on this target",
            near_misses: [{ operation, target: `${target}-2` }],
          },
          {
            content: `${operation} ${stage}/*`, description: `this operation on every target of ${stage}`,
            near_misses: [{ operation, target: `${stage}-2/${service}` }],
          },
        ];
      },

      describe(c) {
        const { operation, target, dry_run, config } = c.input;
        if (!readable(c)) return { targets_unknown: true };
        return {
          action: `tool:Deploy:${operation} ${target}${dry_run ? " --dry-run" : ""}`,
          title: `${operation} ${target}`,
          ...(config === undefined ? {} : isPath(config) ? { targets: [{ kind: "path", value: config, access: "read" }] } : { targets_unknown: true }),
        };
      },
    }),
  ],
};

serve(module);
