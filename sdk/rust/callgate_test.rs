//! What callgate.rs promises whatever the tool: rustc --edition 2021 --test callgate_test.rs
#[path = "callgate.rs"]
mod callgate;

use callgate::*;

callgate::input! {
    #[derive(Debug)]
    struct In {
        text: String,
        number: Option<f64>,
        boolean: Option<bool>,
        list: Option<Vec<Value>>,
        object: Option<Object>,
        any: Option<Value>,
        dashed as "a-b": Option<String>,
    }
}

callgate::input! { struct Nothing {} }

/// A module of eager authors: what is left of the answers is the SDK's own caution.
fn module() -> Module {
    let anything = |name| Tool::<Nothing> { any_field: true, ..Tool::new(name) };
    let immune_deny = |_: &Call<Nothing>| Verdict { behavior: Behavior::Deny, bypass_immune: true, ..Default::default() };
    let immune = |_: &Call<Nothing>| Verdict { behavior: Behavior::Ask, bypass_immune: true, ..Default::default() };
    let deny = |_: &Call<Nothing>| Verdict { behavior: Behavior::Deny, ..Default::default() };
    let eager = Tool::<In> {
        check: Some(|_| Verdict { behavior: Behavior::Allow, ..Default::default() }),
        read_only: Some(|_| ReadOnly { read_only: true, ..Default::default() }),
        matches: Some(|_, _, rules| (0..rules.len()).rev().chain(0..1).collect()),
        suggest: Some(|call| vec![Suggestion { content: Some("yes".into()), description: call.tool.clone(), ..Default::default() }]),
        describe: Some(|call| {
            let input = &call.input;
            let given = [input.list.is_some(), input.object.is_some(), input.any.is_some()].iter().all(|&given| given);
            Description {
                title: input.text.clone(),
                moves: given && input.boolean == Some(true) && input.number == Some(2.5) && input.dashed.as_deref() == Some("d"),
                marks: vec![Mark { kind: "tree".into(), value: "/a".into(), access: "write".into() }],
                ..Default::default()
            }
        }),
        ..Tool::new("T")
    };
    Module {
        name: "m",
        version: "1",
        summary: "",
        fallback: None,
        tools: vec![
            Box::new(eager),
            Box::new(anything("Default")),
            Box::new(Tool { check: Some(immune_deny), ..anything("ImmuneDeny") }),
            Box::new(Tool { matches: Some(|_, _, rules| vec![rules.len()]), ..anything("Beyond") }),
            Box::new(Tool { check: Some(immune), read_only_tool: true, ..anything("Immune") }),
            Box::new(Tool { check: Some(deny), read_only_tool: true, ..anything("Denies") }),
            Box::new(anything("mcp__*")),
        ],
    }
}

fn put(verb: &str, tool: &str, behavior: &str, rules: &str, input: &str) -> Result<String, String> {
    let envelope = format!(r#"{{"tool":"{tool}","behavior":"{behavior}","rules":{rules},"later":[],"context":{{"cwd":"/","future":1}},"input":{input}}}"#);
    handle(&module(), verb, envelope.as_bytes())
}

fn ask(verb: &str, tool: &str, input: &str) -> String {
    put(verb, tool, "allow", r#"[{"content":"a"},{"content":"b"}]"#, input).unwrap()
}

#[test]
fn trusted_inputs_are_the_authors() {
    for input in [r#"{"text":"x"}"#, r#"{"text":"x","number":2.5,"list":[1],"object":{},"any":7}"#, r#"{"text":"","number":null}"#] {
        assert_eq!(ask("check_permissions", "T", input), r#"{"behavior":"allow"}"#);
        assert_eq!(ask("check_read_only", "T", input), r#"{"read_only":true}"#);
        assert_eq!(ask("match_rule", "T", input), r#"{"matched":[0,1]}"#);
        assert_eq!(ask("generate_suggestions", "T", input), r#"{"rules":[{"content":"yes","description":"T"}]}"#);
    }
    let full = r#"{"text":"x","number":2.5,"boolean":true,"list":[1],"object":{},"any":7,"a-b":"d"}"#;
    assert_eq!(ask("describe_call", "T", full), r#"{"title":"x","moves":true,"marks":[{"kind":"tree","value":"/a","access":"write"}]}"#);
}

#[test]
fn unknown_members_lose_every_allowance() {
    let input = r#"{"text":"x","Text":"y"}"#;
    assert_eq!(ask("check_permissions", "T", input), r#"{"behavior":"passthrough","reason":"the input has unknown members: Text"}"#);
    assert_eq!(ask("check_read_only", "T", input), r#"{"read_only":false,"reason":"the input has unknown members: Text"}"#);
    assert_eq!(ask("match_rule", "T", input), r#"{"matched":[]}"#);
    assert_eq!(ask("generate_suggestions", "T", input), r#"{"rules":[]}"#);
    assert!(ask("describe_call", "T", input).contains(r#""analysed":false"#));
}

#[test]
fn effects_and_covers_are_for_hosts_that_read_them() {
    fn one(call: &Call<In>) -> Description {
        let effect = Effect { kind: "deletes".into(), value: call.input.text.clone(), certain: call.effects, how: "tree".into() };
        Description { effects: Some(vec![effect; call.input.number.map_or(1, |n| n as usize)]), ..Default::default() }
    }
    let covers = |_: &Call<In>| vec![Suggestion { content: Some("x".into()), covers: "part".into(), ..Default::default() }];
    let m = Module { tools: vec![Box::new(Tool::<In> { describe: Some(one), suggest: Some(covers), ..Tool::new("T") })], ..module() };
    let put = |verb: &str, input: &str, more: &str| handle(&m, verb, format!(r#"{{"tool":"T","input":{input}{more}}}"#).as_bytes());
    let deletes = r#"{"kind":"deletes","value":"a","certain":true,"how":"tree"}"#;
    let more = r#"{"kind":"runs","value":"unreadable","certain":false}"#;
    for (input, asks, want) in [
        (r#"{"text":"a"}"#, r#","effects":true"#, format!(r#"{{"effects":[{deletes}]}}"#)),
        (r#"{"text":"a"}"#, "", "{}".into()),
        (r#"{"text":"a"}"#, r#","effects":false"#, "{}".into()),
        (r#"{"text":"a","number":0}"#, r#","effects":true"#, r#"{"effects":[]}"#.into()),
        (r#"{"text":"a","x":1}"#, r#","effects":true"#, format!(r#"{{"analysed":false,"effects":[{deletes},{more}]}}"#)),
        (r#"{"text":7}"#, r#","effects":true"#, r#"{"targets_unknown":true}"#.into()),
    ] {
        assert_eq!(put("describe_call", input, asks).unwrap(), want, "{input} {asks}");
    }
    let full = put("describe_call", r#"{"text":"a","number":256,"x":1}"#, r#","effects":true"#).unwrap();
    assert!(!full.contains("unreadable"));
    assert!(put("describe_call", r#"{"text":"a","number":257}"#, "").unwrap_err().contains("effects"));
    assert_eq!(put("generate_suggestions", r#"{"text":"a"}"#, r#","covers":true"#).unwrap(), r#"{"rules":[{"content":"x","covers":"part"}]}"#);
    assert_eq!(put("generate_suggestions", r#"{"text":"a"}"#, "").unwrap(), r#"{"rules":[{"content":"x"}]}"#);
}

#[test]
fn inputs_without_the_shape_are_asked_about() {
    for (input, member) in [
        ("{}", "text"),
        (r#"{"text":null}"#, "text"),
        (r#"{"text":5}"#, "text"),
        (r#"{"text":"x","number":"5"}"#, "number"),
        (r#"{"text":"x","number":1e999}"#, "number"),
        (r#"{"text":"x","boolean":0}"#, "boolean"),
        (r#"{"text":"x","list":{}}"#, "list"),
        (r#"{"text":"x","object":[]}"#, "object"),
        ("[]", "a list"),
        ("null", "null"),
    ] {
        let verdict = ask("check_permissions", "T", input);
        assert!(verdict.contains(r#""behavior":"ask""#) && verdict.contains(r#""bypass_immune":true"#) && verdict.contains(member), "{verdict}");
        assert!(ask("check_read_only", "T", input).contains(r#""read_only":false"#));
        assert_eq!(ask("match_rule", "T", input), r#"{"matched":[]}"#);
        assert_eq!(put("match_rule", "T", "deny", r#"[{"content":"a"},{"content":"b"}]"#, input).unwrap(), r#"{"matched":[0,1]}"#);
        assert_eq!(ask("generate_suggestions", "T", input), r#"{"rules":[]}"#);
        assert_eq!(ask("describe_call", "T", input), r#"{"targets_unknown":true}"#);
    }
}

#[test]
fn functions_left_out_have_safe_defaults() {
    let input = r#"{ "count": 1, "command": "\u00e9" }"#;
    assert_eq!(ask("check_permissions", "Default", input), r#"{"behavior":"passthrough"}"#);
    assert_eq!(ask("check_read_only", "Default", input), r#"{"read_only":false}"#);
    assert_eq!(ask("match_rule", "Default", input), r#"{"matched":[]}"#);
    let suggested = r#"{"rules":[{"content":"{\"command\":\"é\",\"count\":1}","description":"exactly this input"},{"content":null,"description":"every call of Default"}]}"#;
    assert_eq!(ask("generate_suggestions", "Default", input), suggested);
    assert_eq!(ask("describe_call", "Default", input), "{}");
    assert!(ask("generate_suggestions", "mcp__git", "{}").contains("every call of mcp__git"));
}

#[test]
fn mistakes_are_errors() {
    for (tool, verb) in [("ImmuneDeny", "check_permissions"), ("Beyond", "match_rule"), ("Other", "check_permissions"), ("T", "run")] {
        assert!(put(verb, tool, "allow", "[]", "{}").is_err(), "{tool} {verb}");
    }
    assert!(put("match_rule", "T", "passthrough", "[]", "{}").is_err());
    assert_eq!(ask("check_read_only", "Denies", "{}"), r#"{"read_only":false}"#);
    assert_eq!(ask("check_read_only", "Immune", "{}"), r#"{"read_only":false}"#);
    let twice = Module { tools: vec![Box::new(Tool::<Nothing>::new("A")), Box::new(Tool::<Nothing>::new("A"))], ..module() };
    assert!(handle(&twice, "describe", b"").is_err());
    assert!(handle(&module(), "check_permissions", b"{\"tool\":\"T\",\"input\":{\"text\":\"\xff\"}}").is_err());
}

#[test]
fn rules_of_the_defaults() {
    for (content, input, allow, deny) in [
        (r#"{"b":1,"a":"x"}"#, r#"{ "a": "\u0078", "b": 1 }"#, true, true),
        (r#"{"a":"x"}"#, r#"{"a":"x","b":1}"#, false, false),
        (r#"{"n":9007199254740993}"#, r#"{"n":9007199254740992}"#, false, true),
        (r#"{"n":9007199254740993}"#, r#"{"n":9007199254740995}"#, false, false),
        (r#"{"n":[1,{"m":20}]}"#, r#"{"n":[1e0,{"m":2e1}]}"#, false, true),
        (r#"{"n":-0}"#, r#"{"n":0.0}"#, false, true),
        (r#"{"n":1e999}"#, r#"{"n":1e998}"#, false, true),
        (r#"{"n":5e-324}"#, r#"{"n":3e-324}"#, false, true),
        (r#"{"n":5e-324}"#, r#"{"n":2e-324}"#, false, false),
        ("n:5", r#"{"n":[4,5e0]}"#, false, true),
        ("n:5", r#"{"n":5}"#, true, true),
        ("Target:prod", r#"{"target":"prod"}"#, false, true),
        ("target:*", r#"{"target":["a"]}"#, true, true),
        ("target:*staging*", r#"{"target":["prod","staging"]}"#, false, true),
        ("target:staging", r#"{"target":"staging","__proto__":{"target":"prod"}}"#, false, true),
        ("target:staging-*", r#"{"target":"prod"}"#, false, false),
        ("target:a*a", r#"{"target":"a"}"#, false, false),
        ("target", r#"{"target":"target"}"#, false, true),
    ] {
        for (behavior, want) in [("allow", allow), ("deny", deny)] {
            let rules = format!("[{}]", object(&[("content", content)]));
            let got = put("match_rule", "Default", behavior, &rules, input).unwrap();
            assert_eq!(got, if want { r#"{"matched":[0]}"# } else { r#"{"matched":[]}"# }, "{behavior} {content} {input}");
        }
    }
}

#[test]
fn json_is_strict() {
    for wrong in [
        "", " ", "{", "}", "[1,]", "[1 2]", "{\"a\":1,}", "{a:1}", "{\"a\"}", "{\"a\":1,\"a\":2}", "{\"a\":1,\"\\u0061\":2}", "[{\"b\":{\"a\":1,\"a\":1}}]", "01", "1.", ".5", "-", "+1", "1e", "0x1", "NaN",
        "tru", "nulll", "\"\\x\"", "\"\\u12\"", "\"\\ud800\"", "\"\\udc00\"", "\"\\ud800\\ud800\"", "\"\n\"", "\"", "1 2", "{} x", "\u{feff}{}", "/**/1", "\"\\u+123\"", "\"\\u00é\"",
    ] {
        assert!(Value::parse(wrong).is_err(), "{wrong}");
    }
    for right in ["null", " [ ] ", "{\"a\":{\"a\":1},\"A\":1}", "-0.0e-0", "1e999999999999999999999", "\"\\ud83d\\ude00\\u0000\\/\"", "\"\u{7f}\u{10ffff}\"", "{\"\":0}"] {
        assert!(Value::parse(right).is_ok(), "{right}");
    }
    for (depth, ok) in [(MAX_DEPTH, true), (MAX_DEPTH + 1, false), (1 << 20, false)] {
        assert_eq!(Value::parse(&("[".repeat(depth) + &"]".repeat(depth))).is_ok(), ok, "{depth}");
    }
}

#[test]
fn doubles_are_the_nearest() {
    let mut random = 1u64;
    for round in 0..3_000u64 {
        random = random.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        let text = match round % 3 {
            0 => format!("{:e}", f64::from_bits(random >> 1)),
            1 => format!("{}.{}e{}", random >> 40, random, (random >> 20) as i32 % 340),
            _ => format!("{}", random),
        };
        if let Ok(number) = text.parse::<f64>() {
            if number.is_finite() {
                assert_eq!(Value::parse(&text).unwrap().number(), Some(number), "{text}");
            }
        }
    }
}

/// Whatever comes in: no panic, and an answer is JSON.
#[test]
fn rubbish_is_contained() {
    let seed = r#"{"tool":"Default","input":{"text":"\ud83d\ude00","n":[1.5e3,null,{"a":true}]},"behavior":"deny","rules":[{"content":"text:*"},{"content":"{}"}],"context":{"targets":[{"kind":"path"}]}}"#;
    let bytes = b"{}[],:\"\\u0e19-.+ tfn\xc3\xff\x01";
    let verbs = ["check_permissions", "check_read_only", "match_rule", "generate_suggestions", "describe_call"];
    let mut random = 1u32;
    let module = module();
    for round in 0..20_000 {
        let mut text = seed.as_bytes().to_vec();
        for _ in 0..round % 4 + 1 {
            random = random.wrapping_mul(1664525).wrapping_add(1013904223);
            let at = (random >> 8) as usize % text.len();
            text[at] = bytes[(random >> 4) as usize % bytes.len()];
        }
        if let Ok(answer) = handle(&module, verbs[round % verbs.len()], &text) {
            assert!(Value::parse(&answer).is_ok(), "{answer}");
        }
    }
}
