import { ask, expect, report, test } from "../callgate";
import { module } from "./deploy";
// A file of tests is a module of its own, whose describe runs them.
export { check_permissions, check_read_only, generate_suggestions, match_rule } from "../callgate";

function call(operation: string, target: string, more: string = ""): string {
  return '{"tool":"Deploy","input":{"operation":"' + operation + '","target":"' + target + '"}' + more + "}";
}

export function describe(): i32 {
  test("production is asked about", () => {
    expect(
      ask(module, "check_permissions", call("deploy", "prod/web")),
      '{"behavior":"ask","message":"Deployments to production are confirmed by a person.","reason":"prod/web is production","bypass_immune":true}',
    );
  });
  test("staging is left to the rules", () => {
    expect(ask(module, "check_permissions", call("deploy", "staging/web")), '{"behavior":"passthrough"}');
  });
  test("status changes nothing", () => {
    expect(ask(module, "check_read_only", call("status", "prod/web")), '{"read_only":true,"reason":"status changes nothing"}');
  });
  test("a rule that does not read so allows nothing and denies everything", () => {
    const rules = ',"rules":[{"content":"nonsense"},{"content":"staging/*"},{"content":"prod/*"}],"behavior":';
    expect(ask(module, "match_rule", call("status", "staging/web", rules + '"allow"')), '{"matched":[1]}');
    expect(ask(module, "match_rule", call("status", "staging/web", rules + '"deny"')), '{"matched":[0,1]}');
  });
  test("a name that comes twice is an error", () => {
    const answer = ask(module, "check_permissions", '{"tool":"Deploy","input":{"target":"a","target":"b"}}');
    expect(answer.split(" at ")[0], 'error: JSON: the name "target" for the second time');
  });
  return report();
}
