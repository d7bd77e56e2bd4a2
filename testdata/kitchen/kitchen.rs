//! A module that uses all of the SDK, for cmd/callgate/kitchen_test.go.

#[path = "../../sdk/rust/callgate.rs"]
mod callgate;

use callgate::{indices, object, Behavior, Call, Description, Effect, Mark, Module, Object, ReadOnly, Rule, Suggestion, Target, Tool, Value, Verdict};

callgate::input! { struct Pot { text: Option<String>, number: Option<f64>, boolean: Option<bool>, list: Option<Vec<Value>>, object: Option<Object>, any: Option<Value> } }
callgate::input! { struct Pan { text: String, number: f64, boolean: bool, list: Vec<Value>, object: Object, any: Value } }
callgate::input! { struct Lid {} }
callgate::input! { struct Mix { must: Value } }
callgate::input! { struct Broken { how: String } }

fn check_pot(c: &Call<Pot>) -> Verdict {
    let size = c.input.number.map_or("none", |n| if n >= 10.0 { "large" } else { "small" });
    let items = c.input.list.as_ref().map_or("-".to_string(), |list| list.len().to_string());
    let member = c.input.object.as_ref().filter(|o| o.0.get("a").is_some()).map_or("-", |_| "a");
    let any = c.input.any.as_ref().map_or("-", |_| "any");
    let target = c.context.targets.first().map_or("", |t| t.value.as_str());
    Verdict {
        behavior: Behavior::Allow,
        reason: [c.input.text.as_deref().unwrap_or(""), size, &items, member, any].join("|"),
        message: [c.context.cwd.as_str(), target, if c.config.is_some() { "config" } else { "-" }].join("|"),
        ..Verdict::default()
    }
}

fn suggest_pot(c: &Call<Pot>) -> Vec<Suggestion> {
    let text = c.input.text.clone().unwrap_or_default();
    let exact = Suggestion { near_misses: vec![object(&[("text", &text)])], content: Some(text), covers: c.tool.clone(), ..Suggestion::default() };
    vec![exact, Suggestion { description: c.tool.clone(), ..Suggestion::default() }]
}

fn describe_pot(c: &Call<Pot>) -> Description {
    let text = c.input.text.clone();
    let boolean = c.input.boolean == Some(true);
    let effect = |kind: &str, value: &str, certain, how: &str| Effect { kind: kind.into(), value: value.into(), certain, how: how.into() };
    let mut effects = Vec::new();
    if let Some(text) = &text {
        effects.push(effect("overwrites", text, c.effects, ""));
    }
    if boolean {
        effects.push(effect("deletes", "x", false, "tree"));
    }
    Description {
        action: text.clone().unwrap_or_default(),
        actions: vec!["a".into(), c.tool.clone()],
        title: c.tool.clone(),
        preview: c.unknown.join(","),
        language: "none".into(),
        targets: text.into_iter().map(|value| Target { kind: "path".into(), value, access: "write".into(), ..Target::default() }).collect(),
        moves: boolean,
        changes_shell: if boolean { vec!["directory".into(), "environment".into()] } else { Vec::new() },
        marks: if boolean { vec![Mark { kind: "tree".into(), value: "x".into(), access: "run".into() }] } else { Vec::new() },
        effects: if effects.is_empty() && c.input.number.is_none() { None } else { Some(effects) },
        ..Description::default()
    }
}

fn check_mix(c: &Call<Mix>) -> Verdict {
    let verdict = |behavior, reason: &str| Verdict { behavior, reason: reason.into(), ..Verdict::default() };
    match c.input.must.text().as_deref() {
        Some("deny") => verdict(Behavior::Deny, "no"),
        Some("immune") => Verdict { bypass_immune: true, message: "Ask.".into(), ..verdict(Behavior::Ask, "a person") },
        Some("ask") => verdict(Behavior::Ask, "perhaps"),
        Some("nothing") => Verdict::default(),
        _ => verdict(Behavior::Allow, "yes"),
    }
}

fn match_mix(_: &Call<Mix>, _: Behavior, rules: &[Rule]) -> Vec<usize> {
    let found: Vec<usize> = indices(rules, |rule| rule.content == "yes").into_iter().rev().collect();
    [found.clone(), found].concat()
}

// What an author may do wrong, by the input's member how.

fn check_broken(c: &Call<Broken>) -> Verdict {
    match c.input.how.as_str() {
        "immune allow" => Verdict { behavior: Behavior::Allow, bypass_immune: true, ..Verdict::default() },
        "immune deny" => Verdict { behavior: Behavior::Deny, bypass_immune: true, ..Verdict::default() },
        "throw" => panic!("the check broke"),
        _ => Verdict::default(),
    }
}

fn read_only_broken(c: &Call<Broken>) -> ReadOnly {
    if c.input.how == "throw" {
        panic!("the question broke");
    }
    ReadOnly { read_only: true, ..ReadOnly::default() }
}

fn match_broken(c: &Call<Broken>, _: Behavior, _: &[Rule]) -> Vec<usize> {
    match c.input.how.as_str() {
        "throw" => panic!("the match broke"),
        "index" => vec![0, 99],
        _ => Vec::new(),
    }
}

fn suggest_broken(c: &Call<Broken>) -> Vec<Suggestion> {
    let one = Suggestion { content: Some("x".into()), ..Suggestion::default() };
    match c.input.how.as_str() {
        "throw" => panic!("the suggestion broke"),
        "near miss" => vec![Suggestion { near_misses: vec!["{".into()], ..one }],
        "many" => vec![one; 33],
        _ => Vec::new(),
    }
}

fn describe_broken(c: &Call<Broken>) -> Description {
    let none = Description::default();
    let target = |kind: &str| Target { kind: kind.into(), value: "x".into(), access: "read".into(), ..Target::default() };
    match c.input.how.as_str() {
        "throw" => panic!("the description broke"),
        "many" => Description { targets: (0..257).map(|_| target("path")).collect(), ..none },
        "a million" => Description { targets: (0..1_000_000).map(|_| target("path")).collect(), ..none },
        "many marks" => Description { marks: (0..2049).map(|_| Mark { kind: "tree".into(), value: "x".into(), access: "read".into() }).collect(), ..none },
        "many actions" => Description { actions: vec!["a".into(); 4097], ..none },
        "many effects" => Description { effects: Some(vec![Effect { kind: "takes".into(), value: "x".into(), ..Effect::default() }; 257]), ..none },
        "kind" => Description { targets: vec![target("file")], ..none },
        _ => none,
    }
}

pub fn module() -> Module {
    Module {
        name: "kitchen",
        version: "1",
        summary: "",
        fallback: Some("Lid"),
        tools: vec![
            Box::new(Tool {
                aliases: &["pot_*", "pot_a*"],
                check: Some(check_pot),
                read_only: Some(|c| ReadOnly { read_only: true, reason: c.tool.clone() }),
                suggest: Some(suggest_pot),
                describe: Some(describe_pot),
                ..Tool::<Pot>::new("Pot")
            }),
            Box::new(Tool { read_only_tool: true, ..Tool::<Pan>::new("Pan") }),
            Box::new(Tool { aliases: &["mcp__*"], any_field: true, ..Tool::<Lid>::new("Lid") }),
            Box::new(Tool {
                check: Some(check_mix),
                read_only: Some(|_| ReadOnly { read_only: true, reason: "sure".into() }),
                matches: Some(match_mix),
                ..Tool::<Mix>::new("Mix")
            }),
            Box::new(Tool {
                check: Some(check_broken),
                read_only: Some(read_only_broken),
                matches: Some(match_broken),
                suggest: Some(suggest_broken),
                describe: Some(describe_broken),
                ..Tool::<Broken>::new("Broken")
            }),
        ],
    }
}

callgate::serve!(module);
