//! What the host asks, asked natively: rustc --edition 2021 --test deploy.rs
use super::callgate::{handle, Behavior};
use super::{module, EXAMPLES};

/// Asks one verb about an input; rest is more of the envelope, from a comma on.
fn ask(verb: &str, input: &str, rest: &str) -> String {
    let envelope = format!(r#"{{"tool":"Deploy","input":{input}{rest}}}"#);
    handle(&module(), verb, envelope.as_bytes()).unwrap()
}

const STAGING: &str = r#"{"operation":"deploy","target":"staging/web"}"#;
const PROD: &str = r#"{"operation":"deploy","target":"prod/web"}"#;
const PASSTHROUGH: &str = r#"{"behavior":"passthrough"}"#;

#[test]
fn production_is_asked_about() {
    let asked = r#"{"behavior":"ask","message":"Deployments to production are confirmed by a person.","reason":"TARGET is production","bypass_immune":true}"#;
    let check = |input, rest| ask("check_permissions", input, rest);
    assert_eq!(check(PROD, ""), asked.replace("TARGET", "prod/web"));
    assert_eq!(check(r#"{"operation":"deploy","target":"prod/web","dry_run":true}"#, ""), PASSTHROUGH);
    assert_eq!(check(PROD, r#","config":{"production":["live"]}"#), PASSTHROUGH);
    assert_eq!(check(STAGING, r#","config":{"production":"all"}"#), asked.replace("TARGET", "staging/web"));
    assert_eq!(check(STAGING, ""), PASSTHROUGH);
    assert_eq!(check(r#"{"operation":"stop","target":"dev/a"}"#, ""), r#"{"behavior":"ask","reason":"unknown operation","bypass_immune":true}"#);
    assert_eq!(check(r#"{"operation":"deploy","target":"dev"}"#, ""), r#"{"behavior":"ask","reason":"the target is not STAGE/SERVICE","bypass_immune":true}"#);
}

#[test]
fn a_configuration_outside_is_asked_about() {
    for (found, inside) in [(r#","inside":"/project""#, true), ("", false), (r#","inside":"/project","claimed":true"#, false), (r#","inside":"/project","error":"x""#, false)] {
        let context = format!(r#","context":{{"targets":[{{"kind":"path","value":"a.yaml","access":"read"{found}}}]}}"#);
        let got = ask("check_permissions", r#"{"operation":"status","target":"dev/a","config":"a.yaml"}"#, &context);
        let want = if inside { PASSTHROUGH } else { r#"{"behavior":"ask","reason":"the configuration lies outside the working directories"}"# };
        assert_eq!(got, want, "{found}");
    }
}

#[test]
fn status_is_read_only() {
    let read_only = |input| ask("check_read_only", input, "");
    assert_eq!(read_only(r#"{"operation":"status","target":"prod/web"}"#), r#"{"read_only":true,"reason":"status changes nothing"}"#);
    assert_eq!(read_only(STAGING), r#"{"read_only":false}"#);
    assert_eq!(read_only(r#"{"operation":"status","target":"prod/web","extra":1}"#), r#"{"read_only":false,"reason":"the input has unknown members: extra"}"#);
}

#[test]
fn rules_cover() {
    let unreadable = r#"{"operation":"stop","target":"staging/web"}"#;
    for (input, behavior, want) in [(STAGING, "allow", "[0,1]"), (STAGING, "deny", "[0,1,3]"), (PROD, "allow", "[]"), (unreadable, "allow", "[]"), (unreadable, "ask", "[0,1,2,3]")] {
        let rules = r#""rules":[{"content":"staging/*"},{"content":"deploy staging/web"},{"content":"status */*"},{"content":"nonsense"}]"#;
        let got = ask("match_rule", input, &format!(r#","behavior":"{behavior}",{rules}"#));
        assert_eq!(got, format!(r#"{{"matched":{want}}}"#), "{behavior} {input}");
    }
}

#[test]
fn suggestions_are_honest() {
    let want = concat!(
        r#"{"rules":[{"content":"deploy staging/web","description":"this operation on this target","near_misses":[{"operation":"deploy","target":"staging/web-2"}]},"#,
        r#"{"content":"deploy staging/*","description":"this operation on every target of staging","near_misses":[{"operation":"deploy","target":"staging-2/web"}]}]}"#
    );
    assert_eq!(ask("generate_suggestions", STAGING, ""), want);
    assert_eq!(ask("generate_suggestions", PROD, ""), r#"{"rules":[]}"#);
}

#[test]
fn calls_are_described() {
    let got = ask("describe_call", r#"{"operation":"deploy","target":"dev/a","dry_run":true,"config":"a.yaml"}"#, "");
    assert_eq!(got, r#"{"action":"tool:Deploy:deploy dev/a --dry-run","title":"deploy dev/a","targets":[{"kind":"path","value":"a.yaml","access":"read"}]}"#);
    assert_eq!(ask("describe_call", r#"{"operation":"deploy","target":"dev"}"#, ""), r#"{"targets_unknown":true}"#);
}

/// The host tries the examples when it loads the module.
#[test]
fn examples_hold() {
    for e in EXAMPLES {
        let behavior = if e.behavior == Behavior::Allow { "allow" } else { "deny" };
        let got = ask("match_rule", e.input, &format!(r#","behavior":"{behavior}","rules":[{{"content":"{}"}}]"#, e.content));
        assert_eq!(got, if e.matches { r#"{"matched":[0]}"# } else { r#"{"matched":[]}"# }, "{}", e.content);
    }
}
