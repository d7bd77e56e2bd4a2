import { ask, equal, serveTests } from "callgate";
import { module } from "./deploy.js";

const tool = "Deploy";

serveTests({
  "production is asked about"() {
    const verdict = ask(module, "check_permissions", { tool, input: { operation: "deploy", target: "prod/web" } });
    equal(verdict, {
      behavior: "ask", bypass_immune: true, reason: "prod/web is production",
      message: "Deployments to production are confirmed by a person.",
    });
  },
  "staging is left to the rules"() {
    const verdict = ask(module, "check_permissions", { tool, input: { operation: "deploy", target: "staging/web" } });
    equal(verdict, { behavior: "passthrough" });
  },
  "status changes nothing"() {
    const answer = ask(module, "check_read_only", { tool, input: { operation: "status", target: "prod/web" } });
    equal(answer, { read_only: true, reason: "status changes nothing" });
  },
  "a rule that does not read so allows nothing and denies everything"() {
    const input = { operation: "status", target: "staging/web" };
    const rules = ["nonsense", "staging/*", "prod/*"].map((content) => ({ content }));
    equal(ask(module, "match_rule", { tool, input, behavior: "allow", rules }), { matched: [1] });
    equal(ask(module, "match_rule", { tool, input, behavior: "deny", rules }), { matched: [0, 1] });
  },
  "what is suggested matches"() {
    const input = { operation: "deploy", target: "staging/web" };
    const { rules } = ask(module, "generate_suggestions", { tool, input });
    equal(ask(module, "match_rule", { tool, input, behavior: "allow", rules }), { matched: [0, 1] });
    for (const rule of rules)
      for (const near of rule.near_misses)
        equal(ask(module, "match_rule", { tool, input: near, behavior: "allow", rules: [rule] }), { matched: [] });
  },
});
