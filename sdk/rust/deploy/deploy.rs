//! Judges calls of a tool that brings services to their stages.

#[path = "../callgate.rs"]
mod callgate;

use callgate::{indices, object, wildcard, Behavior, Call, Context, Description, Kind, Module, ReadOnly, Rule, RuleExample, Suggestion, Target, Tool, Verdict};

callgate::input! {
    /// What the agent sends.
    struct Input {
        /// status, deploy, rollback
        operation: String,
        /// STAGE/SERVICE
        target: String,
        dry_run: Option<bool>,
        /// A path.
        config: Option<String>,
    }
}

fn is_operation(text: &str) -> bool {
    matches!(text, "status" | "deploy" | "rollback")
}

/// Whether text is 1 to 63 of [a-z0-9-]; a pattern may also hold stars.
fn is_word(text: &str, pattern: bool) -> bool {
    matches!(text.len(), 1..=63) && text.bytes().all(|b| matches!(b, b'a'..=b'z' | b'0'..=b'9' | b'-') || pattern && b == b'*')
}

/// The two sides of STAGE/SERVICE.
fn split(text: &str, pattern: bool) -> Option<(&str, &str)> {
    text.split_once('/').filter(|(stage, service)| is_word(stage, pattern) && is_word(service, pattern))
}

/// The two sides of the target of a call that can be read.
fn readable(input: &Input) -> Option<(&str, &str)> {
    split(&input.target, false).filter(|_| is_operation(&input.operation))
}

/// The operator's list of production stages. A configuration of another shape makes
/// every stage production.
fn is_production(call: &Call<Input>, stage: &str) -> bool {
    match &call.config {
        None => stage == "prod",
        Some(config) if config.kind() != Kind::Object => true,
        Some(config) => match config.get("production") {
            None => stage == "prod",
            Some(list) => list.kind() != Kind::List || list.items().any(|item| item.text().map_or(true, |text| text == stage)),
        },
    }
}

/// Whether the host found the path in a working directory.
fn is_inside(context: &Context, path: &str) -> bool {
    let found = context.targets.iter().find(|t| t.kind == "path" && t.value == path);
    is_path(path) && found.map_or(false, |t| t.error.is_empty() && !t.claimed && !t.inside.is_empty())
}

/// Whether text can be named as a target: the host takes no other.
fn is_path(text: &str) -> bool {
    matches!(text.len(), 1..=4096) && text.bytes().all(|b| b >= 0x20 && b != 0x7f)
}

fn immune(reason: &str, message: &str) -> Verdict {
    Verdict { behavior: Behavior::Ask, bypass_immune: true, reason: reason.into(), message: message.into() }
}

fn check(call: &Call<Input>) -> Verdict {
    let input = &call.input;
    if !is_operation(&input.operation) {
        return immune("unknown operation", "");
    }
    let stage = match split(&input.target, false) {
        Some((stage, _)) => stage,
        None => return immune("the target is not STAGE/SERVICE", ""),
    };
    if input.operation != "status" && input.dry_run != Some(true) && is_production(call, stage) {
        return immune(&[&input.target, " is production"].concat(), "Deployments to production are confirmed by a person.");
    }
    if input.config.as_ref().map_or(false, |path| !is_inside(&call.context, path)) {
        return Verdict { behavior: Behavior::Ask, reason: "the configuration lies outside the working directories".into(), ..Verdict::default() };
    }
    Verdict::default()
}

/// Names what is safe: an operation added later is not read-only.
fn read_only(call: &Call<Input>) -> ReadOnly {
    if readable(&call.input).is_some() && call.input.operation == "status" {
        return ReadOnly { read_only: true, reason: "status changes nothing".into() };
    }
    ReadOnly::default()
}

/// Whether a rule covers the call; None when the rule does not read as one.
fn covers(content: &str, operation: &str, stage: &str, service: &str) -> Option<bool> {
    let (only, pattern) = match content.split_once(' ') {
        Some((only, _)) if !is_operation(only) => return None,
        Some((only, pattern)) => (Some(only), pattern),
        None => (None, content),
    };
    let (stages, services) = split(pattern, true)?;
    Some(only.map_or(true, |only| only == operation) && wildcard(stages, stage) && wildcard(services, service))
}

/// What cannot be read, call or rule, is covered by no allow rule and by every deny
/// and ask rule.
fn matches(call: &Call<Input>, behavior: Behavior, rules: &[Rule]) -> Vec<usize> {
    indices(rules, |rule| {
        let covered = readable(&call.input).and_then(|(stage, service)| covers(&rule.content, &call.input.operation, stage, service));
        covered.unwrap_or(behavior != Behavior::Allow)
    })
}

/// A rule with a call close to this one that it does not cover.
fn propose(operation: &str, pattern: &[&str], description: &[&str], near_miss: &[&str]) -> Suggestion {
    Suggestion {
        content: Some([operation, " ", &pattern.concat()].concat()),
        description: description.concat(),
        near_misses: vec![object(&[("operation", operation), ("target", &near_miss.concat())])],
        ..Suggestion::default()
    }
}

fn suggest(call: &Call<Input>) -> Vec<Suggestion> {
    let operation = call.input.operation.as_str();
    match readable(&call.input) {
        Some((stage, service)) if !check(call).bypass_immune => vec![
            propose(operation, &[stage, "/", service], &["this operation on this target"], &[stage, "/", service, "-2"]),
            propose(operation, &[stage, "/*"], &["this operation on every target of ", stage], &[stage, "-2/", service]),
        ],
        _ => Vec::new(),
    }
}

fn describe(call: &Call<Input>) -> Description {
    let input = &call.input;
    if readable(input).is_none() {
        return Description { targets_unknown: true, ..Description::default() };
    }
    let title = [&input.operation, " ", &input.target].concat();
    let target = |value: &str| Target { kind: "path".into(), value: value.into(), access: "read".into(), ..Target::default() };
    Description {
        action: ["tool:Deploy:", &title, if input.dry_run == Some(true) { " --dry-run" } else { "" }].concat(),
        title,
        targets_unknown: input.config.as_ref().map_or(false, |path| !is_path(path)),
        targets: input.config.iter().filter(|path| is_path(path)).map(|path| target(path)).collect(),
        ..Description::default()
    }
}

const fn example(content: &'static str, behavior: Behavior, input: &'static str, matches: bool) -> RuleExample {
    RuleExample { content, behavior, input, matches, cwd: "" }
}

const EXAMPLES: &[RuleExample] = &[
    example("staging/*", Behavior::Allow, r#"{"operation":"deploy","target":"staging/web"}"#, true),
    example("staging/*", Behavior::Allow, r#"{"operation":"deploy","target":"prod/web"}"#, false),
    example("deploy staging/web", Behavior::Allow, r#"{"operation":"rollback","target":"staging/web"}"#, false),
    example("prod/*", Behavior::Deny, r#"{"operation":"status","target":"prod/web"}"#, true),
    example("nonsense", Behavior::Deny, r#"{"operation":"status","target":"prod/web"}"#, true),
];

const INPUT_SCHEMA: &str = r#"{"type":"object","properties":{"operation":{"enum":["status","deploy","rollback"]},"target":{"type":"string"},"dry_run":{"type":"boolean"},"config":{"type":"string"}},"required":["operation","target"],"additionalProperties":false}"#;

pub fn module() -> Module {
    Module {
        name: "deploy",
        version: "1.0.0",
        summary: "Judges deployments.",
        fallback: None,
        tools: vec![Box::new(Tool {
            aliases: &["deploy"],
            input_schema: INPUT_SCHEMA,
            rule_help: "OPERATION and a pattern of STAGE/SERVICE, or the pattern alone for every operation; * stays between slashes: staging/*, status prod/*, deploy staging/web.",
            rule_examples: EXAMPLES,
            check: Some(check),
            read_only: Some(read_only),
            matches: Some(matches),
            suggest: Some(suggest),
            describe: Some(describe),
            ..Tool::<Input>::new("Deploy")
        })],
    }
}

callgate::serve!(module);

// Without these lines no unit test would run.
#[cfg(test)]
#[path = "deploy_test.rs"]
mod tests;
