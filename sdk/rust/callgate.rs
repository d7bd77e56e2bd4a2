//! The Rust SDK for Callgate tool modules, in one file and without crates.
//!
//! An author declares a module, its tools and up to five functions on typed calls;
//! this file does the WebAssembly exports, strict JSON and the safe defaults. It
//! stands at the root of the crate, as `mod callgate;`. Rust 1.63 or later, for
//! wasm32-unknown-unknown; natively [`handle`] answers what the exports would, for
//! unit tests. A panic is, like an error, for the host a failed verb, which never
//! lets a call run.
//!
//! The rules of the wire are in Callgate's docs/abi.md.
#![allow(dead_code, unused_imports, unused_macros)] // an author need not use everything

use std::rc::Rc;

/// The version of the ABI that this file speaks.
pub const ABI: u32 = 1;
/// How deep lists and objects of any JSON text may be nested.
pub const MAX_DEPTH: usize = 1000;
/// The bytes of a suggested rule of the default: a longer one nobody reads.
pub const MAX_SUGGESTION: usize = 2000;

// ---- What an author declares and answers ----

/// An opinion on a call. Only a [`Verdict`] may be a passthrough: no opinion.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Behavior {
    #[default]
    Passthrough,
    Allow,
    Deny,
    Ask,
}

impl Behavior {
    fn name(self) -> &'static str {
        match self {
            Behavior::Passthrough => "passthrough",
            Behavior::Allow => "allow",
            Behavior::Deny => "deny",
            Behavior::Ask => "ask",
        }
    }
}

/// The answer of [`Tool::check`]. The default is a passthrough.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Verdict {
    pub behavior: Behavior,
    /// With [`Behavior::Ask`] only: allow rules cannot silence it.
    pub bypass_immune: bool,
    /// For the model.
    pub message: String,
    /// For the person.
    pub reason: String,
}

/// The answer of [`Tool::read_only`]. The default says no.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ReadOnly {
    pub read_only: bool,
    pub reason: String,
}

/// What [`Tool::matches`] sees of a rule.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Rule {
    pub content: String,
    /// Anchors relative path patterns; empty: the first working directory.
    pub root: String,
}

/// One rule that would allow the call next time.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Suggestion {
    /// None proposes the whole tool.
    pub content: Option<String>,
    pub description: String,
    /// The part of the call that the rule is for, such as one command of a line; empty
    /// where the content shows it.
    pub covers: String,
    /// At most four inputs, JSON objects, that the rule must not match.
    pub near_misses: Vec<String>,
}

/// One thing a call touches. `describe` fills the first three, the host the rest.
/// An allowance needs `inside`, and neither `error` nor `claimed`.
#[derive(Clone, Debug, Default)]
pub struct Target {
    /// `path`, `host` or `mcp`.
    pub kind: String,
    pub value: String,
    /// `read`, `write` or `run`.
    pub access: String,
    /// The path as the kernel would reach it, and as written, cleaned.
    pub resolved: String,
    pub lexical: String,
    pub exists: bool,
    /// The working directory that holds both forms; empty: none.
    pub inside: String,
    pub repo: Option<Repo>,
    /// The path does not occur in the input.
    pub claimed: bool,
    pub error: String,
}

/// Facts about a repository that can make read-only programs run code.
#[derive(Clone, Debug, Default)]
pub struct Repo {
    pub root: String,
    pub dirty: Vec<String>,
}

/// One thing a call does that only the host's protection of itself looks at. The
/// ABI document lists the kinds.
#[derive(Clone, Debug, Default)]
pub struct Mark {
    pub kind: String,
    pub value: String,
    pub access: String,
}

/// One thing that a call does to one object. Rules name it and cards show it, in the
/// host's words; it allows nothing. The ABI document lists kinds, values and hows.
#[derive(Clone, Debug, Default)]
pub struct Effect {
    /// `shows`, `takes`, `reaches`, `publishes`, `installs`, `deletes`, `overwrites`,
    /// `changes_permissions`, `tests` or `runs`.
    pub kind: String,
    pub value: String,
    /// False where the call may do less than this.
    pub certain: bool,
    /// A word that some kinds have.
    pub how: String,
}

/// The answer of [`Tool::describe`]. The default says nothing of the call.
#[derive(Clone, Debug, Default)]
pub struct Description {
    pub action: String,
    pub actions: Vec<String>,
    pub title: String,
    pub preview: String,
    pub language: String,
    pub targets: Vec<Target>,
    pub targets_unknown: bool,
    /// Whether the actions say all that the call does; None: unless `targets_unknown`.
    pub analysed: Option<bool>,
    pub moves: bool,
    /// `directory`, `environment`: what the call may change of its shell.
    pub changes_shell: Vec<String>,
    pub marks: Vec<Mark>,
    /// All that the call does of the kinds of [`Effect`]. None says nothing, and then a
    /// rule about effects asks. Left out for a host that does not read effects.
    pub effects: Option<Vec<Effect>>,
}

/// What surrounds a call. `mode` and `annotations` are empty in `matches` and
/// `read_only`, `targets` in `describe`.
#[derive(Clone, Debug, Default)]
pub struct Context {
    pub agent: String,
    pub session: String,
    pub user: String,
    pub mode: String,
    pub cwd: String,
    pub working_directories: Vec<String>,
    pub project_root: String,
    pub home: String,
    pub kind: String,
    pub dialect: String,
    pub shell_changed: Vec<String>,
    pub resumed: bool,
    pub approver: String,
    pub active_skills: Vec<String>,
    pub annotations: Option<Value>,
    pub targets: Vec<Target>,
    pub targets_unknown: bool,
}

/// One call of a tool whose input is an `In`.
#[derive(Clone, Debug)]
pub struct Call<In> {
    /// The canonical name, whatever alias the agent used.
    pub tool: String,
    pub input: In,
    /// The input as it came.
    pub raw: Value,
    /// The members of the input that `In` does not have.
    pub unknown: Vec<String>,
    pub context: Context,
    /// What the operator set for this tool.
    pub config: Option<Value>,
    /// In `describe`: the host reads effects.
    pub effects: bool,
}

/// What a rule matches; the host tries it when it loads the module.
#[derive(Clone, Copy, Debug)]
pub struct RuleExample {
    pub content: &'static str,
    pub behavior: Behavior,
    /// A JSON object.
    pub input: &'static str,
    pub matches: bool,
    /// Empty: `/project`.
    pub cwd: &'static str,
}

/// One tool: its names, its documents, and up to five functions. Each that is None
/// has a safe default: check passthrough; read_only `read_only_tool`; matches
/// [`match_parameters`]; suggest the exact input, then the whole tool; describe nothing.
///
/// Around them: an input that is no `In` is a bypass-immune ask that names the
/// member, never read-only, covered by no allow rule and by every deny and ask
/// rule, has no suggestions and unknown targets. With members that `In` does not
/// have (unless `any_field`) an allow becomes a passthrough, and the call is not
/// read-only, covered by no allow rule, and has no suggestions. A call is not
/// read-only when `check` denies or asks bypass-immune.
pub struct Tool<In> {
    pub name: &'static str,
    pub aliases: &'static [&'static str],
    /// JSON.
    pub input_schema: &'static str,
    /// Facts for people and lists of schemas.
    pub read_only_tool: bool,
    pub edits_files: bool,
    pub any_field: bool,
    pub rule_help: &'static str,
    pub rule_examples: &'static [RuleExample],

    pub check: Option<fn(&Call<In>) -> Verdict>,
    pub read_only: Option<fn(&Call<In>) -> ReadOnly>,
    /// The indices of the rules that decide.
    pub matches: Option<fn(&Call<In>, Behavior, &[Rule]) -> Vec<usize>>,
    pub suggest: Option<fn(&Call<In>) -> Vec<Suggestion>>,
    pub describe: Option<fn(&Call<In>) -> Description>,
}

impl<In> Tool<In> {
    /// A tool of this name with every default.
    pub fn new(name: &'static str) -> Self {
        Tool {
            name,
            aliases: &[],
            input_schema: r#"{"type":"object"}"#,
            read_only_tool: false,
            edits_files: false,
            any_field: false,
            rule_help: "",
            rule_examples: &[],
            check: None,
            read_only: None,
            matches: None,
            suggest: None,
            describe: None,
        }
    }
}

/// One wasm file.
pub struct Module {
    pub name: &'static str,
    pub version: &'static str,
    pub summary: &'static str,
    pub tools: Vec<Box<dyn AnyTool>>,
    /// Names the tool that answers for unknown names, when the operator made this
    /// module the one for them. None: such a call is an error.
    pub fallback: Option<&'static str>,
}

/// The indices of the rules that match: the usual body of [`Tool::matches`] for
/// calls of one part.
pub fn indices(rules: &[Rule], matches: impl Fn(&Rule) -> bool) -> Vec<usize> {
    (0..rules.len()).filter(|&i| matches(&rules[i])).collect()
}

/// Whether text matches pattern, in which `*` is any run of bytes.
pub fn wildcard(pattern: &str, text: &str) -> bool {
    let (pattern, text) = (pattern.as_bytes(), text.as_bytes());
    let (mut p, mut t, mut back) = (0, 0, None);
    while t < text.len() {
        if pattern.get(p) == Some(&b'*') {
            p += 1;
            back = Some((p, t));
        } else if pattern.get(p) == Some(&text[t]) {
            p += 1;
            t += 1;
        } else if let Some((star, mark)) = back {
            p = star;
            t = mark + 1;
            back = Some((star, t));
        } else {
            return false;
        }
    }
    pattern[p..].iter().all(|&b| b == b'*')
}

// ---- Typed inputs ----

/// What one member of an input may be: `String`, `f64`, `bool`, `Vec<Value>` for a
/// list, [`Object`] and [`Value`] for anything; an `Option` of them may be left out
/// or null.
pub trait Field: Sized {
    const WANT: &'static str;
    fn read(value: &Value) -> Option<Self>;
    /// What a member that is left out is; None: it must be there.
    fn absent() -> Option<Self> {
        None
    }
}

impl Field for String {
    const WANT: &'static str = "a text";
    fn read(value: &Value) -> Option<Self> {
        value.text()
    }
}

impl Field for bool {
    const WANT: &'static str = "true or false";
    fn read(value: &Value) -> Option<Self> {
        value.boolean()
    }
}

impl Field for f64 {
    const WANT: &'static str = "a number";
    fn read(value: &Value) -> Option<Self> {
        value.number()
    }
}

impl Field for Vec<Value> {
    const WANT: &'static str = "a list";
    fn read(value: &Value) -> Option<Self> {
        (value.kind() == Kind::List).then(|| value.items().collect())
    }
}

impl Field for Value {
    const WANT: &'static str = "a value";
    fn read(value: &Value) -> Option<Self> {
        Some(value.clone())
    }
}

/// A [`Value`] that is an object.
#[derive(Clone, Debug)]
pub struct Object(pub Value);

impl Field for Object {
    const WANT: &'static str = "an object";
    fn read(value: &Value) -> Option<Self> {
        (value.kind() == Kind::Object).then(|| Object(value.clone()))
    }
}

impl<T: Field> Field for Option<T> {
    const WANT: &'static str = T::WANT;
    fn read(value: &Value) -> Option<Self> {
        T::read(value).map(Some)
    }
    fn absent() -> Option<Self> {
        Some(None)
    }
}

/// An input's type; [`input!`] makes it.
pub trait Input: Sized {
    const NAMES: &'static [&'static str];
    /// Reads an object; the error names the member.
    fn read(object: &Value) -> Result<Self, String>;
}

/// Reads one member of an input.
pub fn field<T: Field>(object: &Value, name: &str) -> Result<T, String> {
    let member = ["member \"", name, "\""].concat();
    match object.get(name) {
        Some(value) if value.kind() != Kind::Null => T::read(&value).ok_or_else(|| [&member, " is ", value.kind().words(), ", want ", T::WANT].concat()),
        _ => T::absent().ok_or_else(|| member + " is missing"),
    }
}

/// Declares the input of a tool: `input! { struct Input { target: String, dry_run: Option<bool> } }`.
/// A name that is no name of Rust stands behind `as`: `dry_run as "dry-run": Option<bool>`.
macro_rules! input {
    ($(#[$meta:meta])* $vis:vis struct $name:ident { $($(#[$doc:meta])* $field:ident $(as $json:literal)? : $type:ty),* $(,)? }) => {
        $(#[$meta])*
        #[allow(dead_code)] $vis struct $name { $($(#[$doc])* pub $field: $type),* }

        impl $crate::callgate::Input for $name {
            const NAMES: &'static [&'static str] = &[$($crate::callgate::input!(@name $field $($json)?)),*];
            fn read(object: &$crate::callgate::Value) -> ::std::result::Result<Self, ::std::string::String> {
                let _ = object; // of no fields
                ::std::result::Result::Ok($name { $($field: $crate::callgate::field(object, $crate::callgate::input!(@name $field $($json)?))?),* })
            }
        }
    };
    (@name $field:ident $json:literal) => { $json };
    (@name $field:ident) => { stringify!($field) };
}
pub(crate) use input;

// ---- Reading JSON ----

/// The kinds of JSON values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    Null,
    Boolean,
    Number,
    Text,
    List,
    Object,
}

impl Kind {
    fn words(self) -> &'static str {
        match self {
            Kind::Null => "null",
            Kind::Boolean => "true or false",
            Kind::Number => "a number",
            Kind::Text => "a text",
            Kind::List => "a list",
            Kind::Object => "an object",
        }
    }
}

/// A JSON value as it was written, checked before. Cheap to clone.
#[derive(Clone, Debug)]
pub struct Value {
    source: Rc<str>,
    from: usize,
    to: usize,
}

impl Value {
    /// Reads one value strictly: each name once in an object, no lone surrogates,
    /// nothing after it, at most [`MAX_DEPTH`] deep.
    pub fn parse(text: &str) -> Result<Value, String> {
        let mut reader = Reader { bytes: text.as_bytes(), text, at: 0, names: Vec::new() };
        reader.blanks();
        let from = reader.at;
        reader.value(0)?;
        let to = reader.at;
        reader.blanks();
        if reader.at < text.len() {
            return Err("there is more after the value".into());
        }
        Ok(Value { source: Rc::from(text), from, to })
    }

    /// The value as it was written.
    pub fn raw(&self) -> &str {
        &self.source[self.from..self.to]
    }

    pub fn kind(&self) -> Kind {
        match self.raw().as_bytes()[0] {
            b'n' => Kind::Null,
            b't' | b'f' => Kind::Boolean,
            b'"' => Kind::Text,
            b'[' => Kind::List,
            b'{' => Kind::Object,
            _ => Kind::Number,
        }
    }

    /// A text's characters; None for another kind.
    pub fn text(&self) -> Option<String> {
        (self.kind() == Kind::Text).then(|| unquote(self.raw()))
    }

    pub fn boolean(&self) -> Option<bool> {
        (self.kind() == Kind::Boolean).then(|| self.raw() == "true")
    }

    /// A number as a double; None for another kind, or one beyond all doubles.
    pub fn number(&self) -> Option<f64> {
        if self.kind() != Kind::Number {
            return None;
        }
        double_bits(self.raw()).map(f64::from_bits).filter(|number| number.is_finite())
    }

    /// A text's characters, any other value as it is written.
    pub fn plain(&self) -> String {
        self.text().unwrap_or_else(|| self.raw().to_string())
    }

    /// What a list holds; nothing for another kind.
    pub fn items(&self) -> Items {
        self.inside(Kind::List)
    }

    /// An object's members; nothing for another kind.
    pub fn members(&self) -> Members {
        Members(self.inside(Kind::Object))
    }

    /// An object's member of this name.
    pub fn get(&self, name: &str) -> Option<Value> {
        self.members().find(|(own, _)| own == name).map(|(_, value)| value)
    }

    fn inside(&self, kind: Kind) -> Items {
        let at = if self.kind() == kind { self.from + 1 } else { self.to - 1 };
        Items { of: self.clone(), at }
    }
}

/// Walks a list; see [`Value::items`].
pub struct Items {
    of: Value,
    at: usize,
}

impl Iterator for Items {
    type Item = Value;

    fn next(&mut self) -> Option<Value> {
        let bytes = self.of.source.as_bytes();
        let end = self.of.to - 1;
        while self.at < end && matches!(bytes[self.at], b' ' | b'\t' | b'\n' | b'\r' | b',' | b':') {
            self.at += 1;
        }
        if self.at >= end {
            return None;
        }
        let from = self.at;
        self.at = after_value(&bytes[..end], from);
        Some(Value { source: self.of.source.clone(), from, to: self.at })
    }
}

/// Walks an object; see [`Value::members`].
pub struct Members(Items);

impl Iterator for Members {
    type Item = (String, Value);

    fn next(&mut self) -> Option<(String, Value)> {
        let name = self.0.next()?;
        Some((unquote(name.raw()), self.0.next()?))
    }
}

/// Where the checked value that begins at `at` ends.
fn after_value(bytes: &[u8], mut at: usize) -> usize {
    let mut open = 0;
    loop {
        match bytes[at] {
            b'"' => at = after_string(bytes, at),
            b'{' | b'[' => {
                open += 1;
                at += 1;
            }
            b'}' | b']' => {
                open -= 1;
                at += 1;
            }
            _ if open > 0 => at += 1,
            _ => {
                while at < bytes.len() && !matches!(bytes[at], b' ' | b'\t' | b'\n' | b'\r' | b',' | b'}' | b']') {
                    at += 1;
                }
            }
        }
        if open == 0 {
            return at;
        }
    }
}

fn after_string(bytes: &[u8], from: usize) -> usize {
    let mut at = from + 1;
    while bytes[at] != b'"' {
        at += if bytes[at] == b'\\' { 2 } else { 1 };
    }
    at + 1
}

/// The characters of a checked string, given with its quotes.
fn unquote(quoted: &str) -> String {
    let raw = &quoted[1..quoted.len() - 1];
    let mut text = String::with_capacity(raw.len());
    let mut rest = raw;
    while let Some(i) = rest.find('\\') {
        text.push_str(&rest[..i]);
        let mut size = 2;
        text.push(match rest.as_bytes()[i + 1] {
            b'b' => '\u{8}',
            b'f' => '\u{c}',
            b'n' => '\n',
            b'r' => '\r',
            b't' => '\t',
            b'u' => {
                let (rune, long) = escaped_rune(&rest.as_bytes()[i + 2..]);
                size = long;
                rune
            }
            other => other as char,
        });
        rest = &rest[i + size..];
    }
    text.push_str(rest);
    text
}

/// The rune of an escape, from behind its `\u`, and how long the escape is.
fn escaped_rune(bytes: &[u8]) -> (char, usize) {
    let high = hex4(bytes).unwrap_or(0);
    if !(0xd800..0xdc00).contains(&high) {
        return (char::from_u32(high).unwrap_or('\u{fffd}'), 6);
    }
    let low = hex4(&bytes[6..]).unwrap_or(0xdc00);
    (char::from_u32(0x10000 + ((high - 0xd800) << 10) + (low - 0xdc00)).unwrap_or('\u{fffd}'), 12)
}

/// The four hexadecimal digits that bytes begin with.
fn hex4(bytes: &[u8]) -> Option<u32> {
    let digits = bytes.get(..4)?;
    digits.iter().try_fold(0, |code, &b| (b as char).to_digit(16).map(|digit| code * 16 + digit))
}

struct Reader<'a> {
    bytes: &'a [u8],
    text: &'a str,
    at: usize,
    /// The names of the objects that are open, as they are written unless escaped.
    names: Vec<std::borrow::Cow<'a, str>>,
}

type Read = Result<(), &'static str>;

impl<'a> Reader<'a> {
    fn peek(&self) -> Option<u8> {
        self.bytes.get(self.at).copied()
    }

    fn take(&mut self, byte: u8) -> bool {
        let here = self.peek() == Some(byte);
        self.at += here as usize;
        here
    }

    fn blanks(&mut self) {
        while matches!(self.peek(), Some(b' ' | b'\t' | b'\n' | b'\r')) {
            self.at += 1;
        }
    }

    fn value(&mut self, depth: usize) -> Read {
        self.blanks();
        match self.peek() {
            None => Err("a value is missing"),
            Some(b'{' | b'[') if depth == MAX_DEPTH => Err("lists and objects are nested too deep"),
            Some(b'{') => self.object(depth + 1),
            Some(b'[') => self.list(depth + 1),
            Some(b'"') => self.string(),
            Some(b't') => self.word("true"),
            Some(b'f') => self.word("false"),
            Some(b'n') => self.word("null"),
            Some(_) => self.number(),
        }
    }

    fn object(&mut self, depth: usize) -> Read {
        let first = self.names.len();
        self.at += 1;
        self.blanks();
        if self.take(b'}') {
            return Ok(());
        }
        loop {
            self.blanks();
            self.name()?;
            self.blanks();
            if !self.take(b':') {
                return Err("an object wants a colon");
            }
            self.value(depth)?;
            self.blanks();
            if !self.take(b',') {
                break;
            }
        }
        if !self.take(b'}') {
            return Err("an object does not end");
        }
        let names = &mut self.names[first..];
        sort(names, |a, b| a < b);
        if names.windows(2).any(|pair| pair[0] == pair[1]) {
            return Err("a name occurs twice in one object");
        }
        self.names.truncate(first);
        Ok(())
    }

    fn name(&mut self) -> Read {
        let from = self.at;
        if self.peek() != Some(b'"') {
            return Err("an object wants a name");
        }
        self.string()?;
        let quoted = &self.text[from..self.at];
        self.names.push(if quoted.contains('\\') { unquote(quoted).into() } else { quoted[1..quoted.len() - 1].into() });
        Ok(())
    }

    fn list(&mut self, depth: usize) -> Read {
        self.at += 1;
        self.blanks();
        if self.take(b']') {
            return Ok(());
        }
        loop {
            self.value(depth)?;
            self.blanks();
            if !self.take(b',') {
                break;
            }
        }
        if self.take(b']') {
            Ok(())
        } else {
            Err("a list does not end")
        }
    }

    fn string(&mut self) -> Read {
        self.at += 1;
        loop {
            let byte = self.peek().ok_or("a string does not end")?;
            self.at += 1;
            match byte {
                b'"' => return Ok(()),
                b'\\' => self.escape()?,
                0..=0x1f => return Err("a control character in a string"),
                _ => {}
            }
        }
    }

    /// Checks what follows a backslash of a string.
    fn escape(&mut self) -> Read {
        let byte = self.peek().ok_or("a string does not end")?;
        self.at += 1;
        match byte {
            b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't' => return Ok(()),
            b'u' => {}
            _ => return Err("an escape that JSON does not have"),
        }
        let code = hex4(&self.bytes[self.at..]).ok_or("an escape that JSON does not have")?;
        self.at += 4;
        match code {
            0xd800..=0xdbff => {}
            0xdc00..=0xdfff => return Err("a lone surrogate"),
            _ => return Ok(()),
        }
        let rest = &self.bytes[self.at..];
        match rest.starts_with(b"\\u").then(|| hex4(&rest[2..])).flatten() {
            Some(0xdc00..=0xdfff) => {
                self.at += 6;
                Ok(())
            }
            _ => Err("a lone surrogate"),
        }
    }

    fn digits(&mut self) -> Read {
        let from = self.at;
        while matches!(self.peek(), Some(b'0'..=b'9')) {
            self.at += 1;
        }
        if self.at > from {
            Ok(())
        } else {
            Err("a number that JSON does not have")
        }
    }

    fn number(&mut self) -> Read {
        self.take(b'-');
        if !self.take(b'0') {
            self.digits()?;
        }
        if self.take(b'.') {
            self.digits()?;
        }
        if self.take(b'e') || self.take(b'E') {
            let _ = self.take(b'+') || self.take(b'-');
            self.digits()?;
        }
        Ok(())
    }

    fn word(&mut self, word: &str) -> Read {
        if !self.bytes[self.at..].starts_with(word.as_bytes()) {
            return Err("a value that JSON does not have");
        }
        self.at += word.len();
        Ok(())
    }
}

/// Sorts in place, by heaps. Not `sort`: it is several times as large.
fn sort<T>(list: &mut [T], before: impl Fn(&T, &T) -> bool) {
    let sift = |list: &mut [T], mut at: usize| loop {
        let mut child = at * 2 + 1;
        if child + 1 < list.len() && before(&list[child], &list[child + 1]) {
            child += 1;
        }
        if child >= list.len() || !before(&list[at], &list[child]) {
            return;
        }
        list.swap(at, child);
        at = child;
    };
    for i in (0..list.len() / 2).rev() {
        sift(list, i);
    }
    for end in (1..list.len()).rev() {
        list.swap(0, end);
        sift(&mut list[..end], 0);
    }
}

// ---- Writing JSON ----

/// Writes a string in quotes, escaped no more than JSON wants it.
pub fn quote(out: &mut String, text: &str) {
    const HEX: &[u8; 16] = b"0123456789abcdef";
    out.push('"');
    let mut from = 0;
    for (i, byte) in text.bytes().enumerate() {
        let escape = match byte {
            b'"' | b'\\' => byte,
            0x08 => b'b',
            0x0c => b'f',
            b'\n' => b'n',
            b'\r' => b'r',
            b'\t' => b't',
            0..=0x1f => b'u',
            _ => continue,
        };
        out.push_str(&text[from..i]);
        from = i + 1;
        out.push('\\');
        out.push(escape as char);
        if escape == b'u' {
            out.push_str("00");
            out.push(HEX[(byte >> 4) as usize] as char);
            out.push(HEX[(byte & 15) as usize] as char);
        }
    }
    out.push_str(&text[from..]);
    out.push('"');
}

/// Makes a JSON object of texts.
pub fn object(members: &[(&str, &str)]) -> String {
    let mut w = Writer::default();
    w.open('{');
    for (name, text) in members {
        w.name(name);
        w.text(text);
    }
    w.close('}');
    w.out
}

/// A JSON text that grows.
#[derive(Default)]
struct Writer {
    out: String,
    comma: bool,
}

impl Writer {
    fn separate(&mut self) {
        if self.comma {
            self.out.push(',');
        }
        self.comma = true;
    }

    fn open(&mut self, bracket: char) {
        self.separate();
        self.out.push(bracket);
        self.comma = false;
    }

    fn close(&mut self, bracket: char) {
        self.out.push(bracket);
        self.comma = true;
    }

    fn name(&mut self, name: &str) {
        self.text(name);
        self.out.push(':');
        self.comma = false;
    }

    fn text(&mut self, text: &str) {
        self.separate();
        quote(&mut self.out, text);
    }

    /// A word or a checked value.
    fn word(&mut self, word: &str) {
        self.separate();
        self.out.push_str(word);
    }

    fn boolean(&mut self, yes: bool) {
        self.word(if yes { "true" } else { "false" });
    }

    fn index(&mut self, index: usize) {
        let (mut digits, mut rest) = (Vec::new(), index);
        loop {
            digits.push(b'0' + (rest % 10) as u8);
            rest /= 10;
            if rest == 0 {
                break;
            }
        }
        self.separate();
        self.out.extend(digits.iter().rev().map(|&digit| digit as char));
    }

    /// JSON of the author's own.
    fn json(&mut self, json: &str) -> Result<(), String> {
        let value = Value::parse(json).map_err(|err| "a JSON text of the module's own is wrong: ".to_string() + &err)?;
        self.word(value.raw());
        Ok(())
    }

    /// A member that is left out when it is empty.
    fn text_member(&mut self, name: &str, text: &str) {
        if !text.is_empty() {
            self.name(name);
            self.text(text);
        }
    }

    /// A member that is left out when it is false.
    fn true_member(&mut self, name: &str, yes: bool) {
        if yes {
            self.name(name);
            self.boolean(true);
        }
    }

    fn texts_member<T: AsRef<str>>(&mut self, name: &str, texts: &[T]) {
        self.name(name);
        self.open('[');
        for text in texts {
            self.text(text.as_ref());
        }
        self.close(']');
    }
}

// ---- Numbers ----

/// A natural number in words of 32 bits, the lowest first, none of them a leading zero.
struct Big(Vec<u32>);

impl Big {
    fn multiply(&mut self, by: u32, add: u32) {
        let mut carry = add as u64;
        for word in &mut self.0 {
            carry += *word as u64 * by as u64;
            *word = carry as u32;
            carry >>= 32;
        }
        if carry > 0 {
            self.0.push(carry as u32);
        }
    }

    fn bits(&self) -> i32 {
        self.0.last().map_or(0, |top| self.0.len() as i32 * 32 - top.leading_zeros() as i32)
    }

    fn shift(&mut self, by: i32) {
        for _ in 0..by / 16 {
            self.multiply(1 << 16, 0);
        }
        self.multiply(1 << (by % 16), 0);
    }

    fn at_least(&self, other: &Big) -> bool {
        self.0.len() > other.0.len() || self.0.len() == other.0.len() && self.0.iter().rev().ge(other.0.iter().rev())
    }

    /// Takes other, which is not more, away.
    fn subtract(&mut self, other: &Big) {
        let mut borrow = 0;
        for (i, word) in self.0.iter_mut().enumerate() {
            let take = other.0.get(i).copied().unwrap_or(0) as u64 + borrow;
            borrow = ((*word as u64) < take) as u64;
            *word = (*word as u64).wrapping_sub(take) as u32;
        }
        while self.0.last() == Some(&0) {
            self.0.pop();
        }
    }
}

const INFINITE: u64 = 0x7ff << 52;

/// The bits of the double nearest to over / under, the even one of two.
fn quotient(mut over: Big, mut under: Big) -> u64 {
    let mut exponent = over.bits() - under.bits();
    if exponent >= 0 {
        under.shift(exponent);
    } else {
        over.shift(-exponent);
    }
    if !over.at_least(&under) {
        over.shift(1);
        exponent -= 1;
    }
    let bits = if exponent >= -1022 { 53 } else { 53 + 1022 + exponent };
    if bits < 0 {
        return 0;
    }
    if exponent > 1023 {
        return INFINITE;
    }
    let mut mantissa = 0u64;
    for _ in 0..bits {
        mantissa *= 2;
        if over.at_least(&under) {
            over.subtract(&under);
            mantissa += 1;
        }
        over.shift(1);
    }
    if over.at_least(&under) && (mantissa & 1 == 1 || !under.at_least(&over)) {
        mantissa += 1;
    }
    if exponent >= -1022 {
        (((exponent + 1022) as u64) << 52) + mantissa
    } else {
        mantissa
    }
}

/// The bits of the double that a decimal number is nearest to, with one zero; None
/// when text is no number. A larger one than doubles have is infinite. Not
/// `str::parse`: its tables are as large as the rest of a module.
fn double_bits(text: &str) -> Option<u64> {
    let minus = text.starts_with('-');
    let unsigned = text.strip_prefix(|c| c == '-' || c == '+').unwrap_or(text);
    let (digits, power) = match unsigned.find(|c| c == 'e' || c == 'E') {
        Some(i) => (&unsigned[..i], decimal_exponent(&unsigned[i + 1..])?),
        None => (unsigned, 0),
    };
    let (mut over, mut exponent, mut kept) = (Big(Vec::new()), power, 0);
    let (mut any, mut point, mut lost) = (false, false, false);
    for byte in digits.bytes() {
        match byte {
            b'.' if !point => {
                point = true;
                continue;
            }
            b'0'..=b'9' => any = true,
            _ => return None,
        }
        exponent -= point as i64;
        if kept == 0 && byte == b'0' {
            continue;
        }
        if kept < 780 {
            over.multiply(10, (byte - b'0') as u32);
            kept += 1;
        } else {
            exponent += 1;
            lost |= byte != b'0';
        }
    }
    if !any {
        return None;
    }
    if lost {
        // what was left out only tells which side of a half it is on
        over.multiply(10, 1);
        exponent -= 1;
        kept += 1;
    }
    let bits = if kept == 0 || exponent + kept < -330 {
        0
    } else if exponent + kept > 310 {
        INFINITE
    } else {
        let mut under = Big(vec![1]);
        for _ in 0..exponent.abs() {
            if exponent > 0 { &mut over } else { &mut under }.multiply(10, 0);
        }
        quotient(over, under)
    };
    Some(if minus && bits != 0 { bits | 1 << 63 } else { bits })
}

/// The exponent that a number is written with, cut to what makes a difference.
fn decimal_exponent(text: &str) -> Option<i64> {
    let digits = text.strip_prefix(|c| c == '-' || c == '+').unwrap_or(text);
    if digits.is_empty() || !digits.bytes().all(|b| b.is_ascii_digit()) {
        return None;
    }
    let value = digits.bytes().fold(0i64, |value, b| if value < 100_000_000_000 { value * 10 + (b - b'0') as i64 } else { value });
    Some(if text.starts_with('-') { -value } else { value })
}

// ---- The rules of tools whose input only they understand ----

/// A value as rules spell it: names in order, no blanks, strings escaped no more
/// than JSON wants it, numbers as they are written.
pub fn canonical(value: &Value) -> String {
    let mut w = Writer::default();
    write_canonical(&mut w, value, false);
    w.out
}

/// A value with its numbers as a double has them; only compared with others.
fn rounded(value: &Value) -> String {
    let mut w = Writer::default();
    write_canonical(&mut w, value, true);
    w.out
}

fn write_canonical(w: &mut Writer, value: &Value, rounded: bool) {
    match value.kind() {
        Kind::List => {
            w.open('[');
            value.items().for_each(|item| write_canonical(w, &item, rounded));
            w.close(']');
        }
        Kind::Object => {
            let mut members: Vec<(String, Value)> = value.members().collect();
            sort(&mut members, |a, b| a.0.encode_utf16().lt(b.0.encode_utf16())); // as RFC 8785 orders names
            w.open('{');
            for (name, member) in &members {
                w.name(name);
                write_canonical(w, member, rounded);
            }
            w.close('}');
        }
        Kind::Text => w.text(&value.plain()),
        Kind::Number if rounded => {
            w.word("#");
            w.comma = false;
            w.index(double_bits(value.raw()).map_or(0, |bits| (bits >> 32) as usize));
            w.index(double_bits(value.raw()).map_or(0, |bits| bits as u32 as usize));
        }
        _ => w.word(value.raw()),
    }
}

/// The default of [`Tool::matches`]. A rule's content is the input as JSON
/// (compared canonically) or `param:value`, where value may hold `*` for any run of
/// characters.
///
/// As an allow rule `param:value` speaks of one plain value; a list or an object it
/// covers only as a whole, written as JSON, or with the value `*`. As a deny or ask
/// rule it also holds for what lists and objects hold, for a name in another case,
/// for a number written otherwise, and for an input with a member such as
/// `__proto__`, which may stand for any other. A content of neither form allows
/// nothing and denies everything.
pub fn match_parameters(raw: &Value, behavior: Behavior, rules: &[Rule]) -> Vec<usize> {
    let whole = match Value::parse(&canonical(raw)) {
        Ok(whole) => whole,
        Err(_) => return Vec::new(), // cannot be: it was written here
    };
    let inherits = ["__proto__", "constructor", "prototype"].iter().any(|name| whole.get(name).is_some());
    indices(rules, |rule| match Value::parse(&rule.content) {
        Ok(exact) => canonical(&exact) == whole.raw() || behavior != Behavior::Allow && rounded(&exact) == rounded(&whole),
        Err(_) => match_parameter(&whole, behavior, inherits, &rule.content),
    })
}

fn match_parameter(whole: &Value, behavior: Behavior, inherits: bool, content: &str) -> bool {
    let allow = behavior == Behavior::Allow;
    match content.split_once(':') {
        Some((param, pattern)) if !inherits => whole.members().any(|(name, value)| {
            if allow {
                name == param && allows_value(&value, pattern)
            } else {
                same_name(&name, param) && catches_value(&value, pattern)
            }
        }),
        _ => !allow,
    }
}

/// Whether two names are the same but for case. Outside ASCII any two characters
/// count as that, but for the two that ASCII letters have there: deny and ask rules
/// err on their side, and the tables of Unicode are as large as the rest of a module.
fn same_name(a: &str, b: &str) -> bool {
    let fold = |c: char| match c {
        '\u{17f}' => 's',
        '\u{212a}' => 'k',
        c if c.is_ascii() => c.to_ascii_lowercase(),
        _ => '\u{fffd}',
    };
    a.chars().map(fold).eq(b.chars().map(fold))
}

fn allows_value(value: &Value, pattern: &str) -> bool {
    match value.kind() {
        Kind::List | Kind::Object if pattern != "*" => value.raw() == pattern,
        _ => wildcard(pattern, &value.plain()),
    }
}

fn catches_value(value: &Value, pattern: &str) -> bool {
    if wildcard(pattern, &value.plain()) {
        return true;
    }
    match value.kind() {
        Kind::Number => double_bits(pattern).map_or(false, |bits| double_bits(value.raw()) == Some(bits)),
        Kind::List => value.items().any(|item| catches_value(&item, pattern)),
        Kind::Object => value.members().any(|(_, member)| catches_value(&member, pattern)),
        _ => false,
    }
}

fn suggest_parameters(tool: &str, raw: &Value) -> Vec<Suggestion> {
    let whole = Suggestion { description: "every call of ".to_string() + tool, ..Default::default() };
    let exact = canonical(raw);
    if exact.len() > MAX_SUGGESTION {
        return vec![whole];
    }
    vec![Suggestion { content: Some(exact), description: "exactly this input".into(), ..Default::default() }, whole]
}

// ---- The envelope ----

/// What a member of an envelope is, unless it is left out or null; another kind is an error.
fn given(object: &Value, name: &str, kind: Kind) -> Result<Option<Value>, String> {
    match object.get(name) {
        None => Ok(None),
        Some(value) if value.kind() == Kind::Null => Ok(None),
        Some(value) if value.kind() == kind => Ok(Some(value)),
        Some(_) => Err(wrong_kind(name)),
    }
}

fn wrong_kind(name: &str) -> String {
    "the envelope has another kind of value than the ABI says: ".to_string() + name
}

fn text_of(object: &Value, name: &str) -> Result<String, String> {
    Ok(given(object, name, Kind::Text)?.map_or(String::new(), |value| value.plain()))
}

fn boolean_of(object: &Value, name: &str) -> Result<bool, String> {
    Ok(given(object, name, Kind::Boolean)?.map_or(false, |value| value.raw() == "true"))
}

/// Reads a list, each of whose items has this kind or is null.
fn list_of<T>(object: &Value, name: &str, kind: Kind, read: impl Fn(&Value) -> Result<T, String>) -> Result<Vec<T>, String>
where
    T: Default,
{
    let mut list = Vec::new();
    if let Some(value) = given(object, name, Kind::List)? {
        for item in value.items() {
            list.push(match item.kind() {
                Kind::Null => T::default(),
                own if own == kind => read(&item)?,
                _ => return Err(wrong_kind(name)),
            });
        }
    }
    Ok(list)
}

fn texts_of(object: &Value, name: &str) -> Result<Vec<String>, String> {
    list_of(object, name, Kind::Text, |item| Ok(item.plain()))
}

fn read_target(value: &Value) -> Result<Target, String> {
    let repo = match given(value, "repo", Kind::Object)? {
        Some(repo) => Some(Repo { root: text_of(&repo, "root")?, dirty: texts_of(&repo, "dirty")? }),
        None => None,
    };
    Ok(Target {
        kind: text_of(value, "kind")?,
        value: text_of(value, "value")?,
        access: text_of(value, "access")?,
        resolved: text_of(value, "resolved")?,
        lexical: text_of(value, "lexical")?,
        exists: boolean_of(value, "exists")?,
        inside: text_of(value, "inside")?,
        repo,
        claimed: boolean_of(value, "claimed")?,
        error: text_of(value, "error")?,
    })
}

fn read_context(envelope: &Value) -> Result<Context, String> {
    let c = match given(envelope, "context", Kind::Object)? {
        Some(value) => value,
        None => return Ok(Context::default()),
    };
    Ok(Context {
        agent: text_of(&c, "agent")?,
        session: text_of(&c, "session")?,
        user: text_of(&c, "user")?,
        mode: text_of(&c, "mode")?,
        cwd: text_of(&c, "cwd")?,
        working_directories: texts_of(&c, "working_directories")?,
        project_root: text_of(&c, "project_root")?,
        home: text_of(&c, "home")?,
        kind: text_of(&c, "kind")?,
        dialect: text_of(&c, "dialect")?,
        shell_changed: texts_of(&c, "shell_changed")?,
        resumed: boolean_of(&c, "resumed")?,
        approver: text_of(&c, "approver")?,
        active_skills: texts_of(&c, "active_skills")?,
        annotations: c.get("annotations").filter(|value| value.kind() != Kind::Null),
        targets: list_of(&c, "targets", Kind::Object, read_target)?,
        targets_unknown: boolean_of(&c, "targets_unknown")?,
    })
}

/// What every verb but describe gets. Members it does not name are ignored: later
/// versions of the ABI may add some.
pub struct Envelope {
    tool: String,
    input: Option<Value>,
    config: Option<Value>,
    context: Context,
    behavior: Behavior,
    rules: Vec<Rule>,
    /// The host reads these members.
    effects: bool,
    covers: bool,
}

fn read_envelope(input: &[u8]) -> Result<Envelope, String> {
    let text = std::str::from_utf8(input).map_err(|_| "the envelope is not UTF-8")?;
    let envelope = Value::parse(text).map_err(|err| "the envelope is not strict JSON: ".to_string() + &err)?;
    if envelope.kind() != Kind::Object {
        return Err("the envelope is not an object".into());
    }
    let tool = text_of(&envelope, "tool")?;
    if tool.is_empty() {
        return Err("the envelope names no tool".into());
    }
    let behavior = match text_of(&envelope, "behavior")?.as_str() {
        "allow" => Behavior::Allow,
        "deny" => Behavior::Deny,
        "ask" => Behavior::Ask,
        _ => Behavior::Passthrough,
    };
    Ok(Envelope {
        tool,
        input: envelope.get("input"),
        config: envelope.get("config").filter(|value| value.kind() != Kind::Null),
        context: read_context(&envelope)?,
        behavior,
        rules: list_of(&envelope, "rules", Kind::Object, |rule| Ok(Rule { content: text_of(rule, "content")?, root: text_of(rule, "root")? }))?,
        effects: boolean_of(&envelope, "effects")?,
        covers: boolean_of(&envelope, "covers")?,
    })
}

// ---- The verbs ----

/// A tool of any input. Only [`Tool`] is one.
pub trait AnyTool {
    fn names(&self) -> Vec<&'static str>;
    #[doc(hidden)]
    fn write(&self, w: &mut String) -> Result<(), String>;
    #[doc(hidden)]
    fn answer(&self, verb: &str, envelope: Envelope) -> Result<String, String>;
}

impl<In: Input> AnyTool for Tool<In> {
    fn names(&self) -> Vec<&'static str> {
        let mut names = vec![self.name];
        names.extend(self.aliases);
        names
    }

    fn write(&self, out: &mut String) -> Result<(), String> {
        let mut w = Writer::default();
        w.open('{');
        w.name("name");
        w.text(self.name);
        w.texts_member("aliases", self.aliases);
        w.name("input_schema");
        w.json(self.input_schema)?;
        w.name("read_only");
        w.boolean(self.read_only_tool);
        w.name("edits_files");
        w.boolean(self.edits_files);
        w.true_member("always_changes", self.read_only.is_none() && !self.read_only_tool);
        w.name("rule_help");
        w.text(self.rule_help);
        write_examples(&mut w, self.rule_examples)?;
        w.close('}');
        out.push_str(&w.out);
        Ok(())
    }

    fn answer(&self, verb: &str, envelope: Envelope) -> Result<String, String> {
        let (behavior, rules, covers, effects) = (envelope.behavior, envelope.rules, envelope.covers, envelope.effects);
        let raw = envelope.input;
        let decoded = match &raw {
            Some(value) if value.kind() == Kind::Object => In::read(value).map(|input| (input, value.clone())),
            Some(value) => Err("want an object, got ".to_string() + value.kind().words()),
            None => Err("there is no input".into()),
        };
        let reading = Reading {
            tool: self,
            call: decoded.map(|(input, raw)| {
                let unknown = raw.members().map(|(name, _)| name).filter(|name| !In::NAMES.contains(&name.as_str())).collect();
                Call { tool: envelope.tool, input, raw, unknown, context: envelope.context, config: envelope.config, effects }
            }),
        };
        let mut w = Writer::default();
        w.open('{');
        match verb {
            "check_permissions" => write_verdict(&mut w, &reading.check()?),
            "check_read_only" => write_read_only(&mut w, &reading.read_only()?),
            "match_rule" => write_matched(&mut w, &reading.matches(behavior, &rules)?),
            "generate_suggestions" => write_suggestions(&mut w, &reading.suggest(), covers)?,
            "describe_call" => write_description(&mut w, &reading.describe()?)?,
            _ => return Err("no such verb".into()),
        }
        w.close('}');
        Ok(w.out)
    }
}

/// One call as far as it could be read: the error says why it could not.
struct Reading<'a, In> {
    tool: &'a Tool<In>,
    call: Result<Call<In>, String>,
}

impl<In: Input> Reading<'_, In> {
    /// Whether In knows every member of the input.
    fn complete(&self, call: &Call<In>) -> bool {
        self.tool.any_field || call.unknown.is_empty()
    }

    fn strangers(call: &Call<In>) -> String {
        "the input has unknown members: ".to_string() + &call.unknown[..call.unknown.len().min(8)].join(", ")
    }

    fn check(&self) -> Result<Verdict, String> {
        let call = match &self.call {
            Ok(call) => call,
            Err(problem) => {
                return Ok(Verdict {
                    behavior: Behavior::Ask,
                    bypass_immune: true,
                    reason: "the input does not have the shape this tool expects: ".to_string() + problem,
                    message: ["The input does not have the shape ", self.tool.name, " expects: ", problem, "."].concat(),
                })
            }
        };
        let verdict = self.tool.check.map_or(Verdict::default(), |check| check(call));
        if verdict.bypass_immune && verdict.behavior != Behavior::Ask {
            return Err("check answered bypass_immune: only an ask can be".into());
        }
        if verdict.behavior == Behavior::Allow && !self.complete(call) {
            return Ok(Verdict { reason: Self::strangers(call), ..Default::default() });
        }
        Ok(verdict)
    }

    fn read_only(&self) -> Result<ReadOnly, String> {
        let no = |reason| Ok(ReadOnly { read_only: false, reason });
        let call = match &self.call {
            Ok(call) if self.complete(call) => call,
            Ok(call) => return no(Self::strangers(call)),
            Err(problem) => return no(problem.clone()),
        };
        let answer = match self.tool.read_only {
            Some(read_only) => read_only(call),
            None => ReadOnly { read_only: self.tool.read_only_tool, ..Default::default() },
        };
        if answer.read_only {
            let verdict = self.check()?;
            if verdict.behavior == Behavior::Deny || verdict.bypass_immune {
                return no(verdict.reason);
            }
        }
        Ok(answer)
    }

    fn matches(&self, behavior: Behavior, rules: &[Rule]) -> Result<Vec<usize>, String> {
        if behavior == Behavior::Passthrough {
            return Err("match wants the behavior allow, deny or ask".into());
        }
        let allow = behavior == Behavior::Allow;
        let mut matched = vec![!allow && self.call.is_err(); rules.len()];
        if let Some(call) = self.call.as_ref().ok().filter(|call| !allow || self.complete(call)) {
            let indices = match self.tool.matches {
                Some(matches) => matches(call, behavior, rules),
                None => match_parameters(&call.raw, behavior, rules),
            };
            for i in indices {
                *matched.get_mut(i).ok_or("match answered with an index beyond the rules")? = true;
            }
        }
        Ok((0..rules.len()).filter(|&i| matched[i]).collect())
    }

    fn suggest(&self) -> Vec<Suggestion> {
        match &self.call {
            Ok(call) if self.complete(call) => self.tool.suggest.map_or_else(|| suggest_parameters(&call.tool, &call.raw), |suggest| suggest(call)),
            _ => Vec::new(),
        }
    }

    fn describe(&self) -> Result<Description, String> {
        let call = match &self.call {
            Ok(call) => call,
            Err(_) => return Ok(Description { targets_unknown: true, ..Default::default() }),
        };
        let mut answer = self.tool.describe.map_or_else(Description::default, |describe| describe(call));
        let count = answer.effects.as_ref().map_or(0, Vec::len);
        limit("describe answers more effects than 256", count, MAX_EFFECTS)?;
        if !call.effects {
            answer.effects = None;
        }
        if !self.complete(call) {
            answer.analysed = Some(false);
            // Of an input with unknown members the effects are never all.
            if let Some(effects) = answer.effects.as_mut().filter(|_| count < MAX_EFFECTS) {
                effects.push(Effect { kind: "runs".into(), value: "unreadable".into(), ..Default::default() });
            }
        }
        Ok(answer)
    }
}

fn write_verdict(w: &mut Writer, v: &Verdict) {
    w.name("behavior");
    w.text(v.behavior.name());
    w.text_member("message", &v.message);
    w.text_member("reason", &v.reason);
    w.true_member("bypass_immune", v.bypass_immune);
}

fn write_read_only(w: &mut Writer, answer: &ReadOnly) {
    w.name("read_only");
    w.boolean(answer.read_only);
    w.text_member("reason", &answer.reason);
}

fn write_matched(w: &mut Writer, indices: &[usize]) {
    w.name("matched");
    w.open('[');
    indices.iter().for_each(|&i| w.index(i));
    w.close(']');
}

const MAX_EFFECTS: usize = 256;

/// The limits of the host, which would refuse the answer in words of its own.
fn limit(what: &str, count: usize, most: usize) -> Result<(), String> {
    if count > most { Err(what.into()) } else { Ok(()) }
}

fn write_suggestions(w: &mut Writer, list: &[Suggestion], covers: bool) -> Result<(), String> {
    limit("suggest answers more rules than 32", list.len(), 32)?;
    w.name("rules");
    w.open('[');
    for s in list {
        w.open('{');
        w.name("content");
        match &s.content {
            Some(content) => w.text(content),
            None => w.word("null"),
        }
        w.text_member("description", &s.description);
        if covers {
            w.text_member("covers", &s.covers);
        }
        if !s.near_misses.is_empty() {
            w.name("near_misses");
            w.open('[');
            for miss in &s.near_misses {
                w.json(miss)?;
            }
            w.close(']');
        }
        w.close('}');
    }
    w.close(']');
    Ok(())
}

fn write_things<'a>(w: &mut Writer, name: &str, things: impl ExactSizeIterator<Item = [&'a String; 3]>) {
    if things.len() == 0 {
        return;
    }
    w.name(name);
    w.open('[');
    for [kind, value, access] in things {
        w.word(&object(&[("kind", kind), ("value", value), ("access", access)]));
    }
    w.close(']');
}

fn write_description(w: &mut Writer, d: &Description) -> Result<(), String> {
    limit("describe answers more targets than 256", d.targets.len(), 256)?;
    limit("describe answers more marks than 2048", d.marks.len(), 2048)?;
    limit("describe answers more actions than 4096", d.actions.len(), 4096)?;
    w.text_member("action", &d.action);
    if !d.actions.is_empty() {
        w.texts_member("actions", &d.actions);
    }
    w.text_member("title", &d.title);
    w.text_member("preview", &d.preview);
    w.text_member("language", &d.language);
    write_things(w, "targets", d.targets.iter().map(|t| [&t.kind, &t.value, &t.access]));
    w.true_member("targets_unknown", d.targets_unknown);
    if let Some(analysed) = d.analysed {
        w.name("analysed");
        w.boolean(analysed);
    }
    w.true_member("moves", d.moves);
    if !d.changes_shell.is_empty() {
        w.texts_member("changes_shell", &d.changes_shell);
    }
    write_things(w, "marks", d.marks.iter().map(|m| [&m.kind, &m.value, &m.access]));
    if let Some(effects) = &d.effects {
        w.name("effects");
        w.open('[');
        effects.iter().for_each(|e| write_effect(w, e));
        w.close(']');
    }
    Ok(())
}

fn write_effect(w: &mut Writer, e: &Effect) {
    w.open('{');
    w.name("kind");
    w.text(&e.kind);
    w.name("value");
    w.text(&e.value);
    w.name("certain");
    w.boolean(e.certain);
    w.text_member("how", &e.how);
    w.close('}');
}

fn write_examples(w: &mut Writer, examples: &[RuleExample]) -> Result<(), String> {
    w.name("rule_examples");
    w.open('[');
    for e in examples {
        w.open('{');
        w.name("content");
        w.text(e.content);
        w.name("behavior");
        w.text(e.behavior.name());
        w.name("input");
        w.json(e.input)?;
        w.name("match");
        w.boolean(e.matches);
        w.text_member("cwd", e.cwd);
        w.close('}');
    }
    w.close(']');
    Ok(())
}

impl Module {
    fn describe(&self) -> Result<String, String> {
        if self.name.is_empty() || self.version.is_empty() || self.tools.is_empty() {
            return Err("a module needs a name, a version and at least one tool".into());
        }
        let mut claimed: Vec<&str> = Vec::new();
        let mut w = Writer::default();
        w.open('{');
        w.name("abi");
        w.index(ABI as usize);
        for (name, text) in [("name", self.name), ("version", self.version), ("summary", self.summary)] {
            w.name(name);
            w.text(text);
        }
        w.name("tools");
        w.open('[');
        for tool in &self.tools {
            for name in tool.names() {
                if name.is_empty() {
                    return Err("a tool has no name".into());
                }
                if claimed.contains(&name) {
                    return Err("two tools claim the name ".to_string() + name);
                }
                claimed.push(name);
            }
            w.separate();
            tool.write(&mut w.out)?;
        }
        w.close(']');
        w.close('}');
        Ok(w.out)
    }

    /// The tool that a name means: an exact name before a glob, of globs the longest.
    fn tool(&self, name: &str) -> Option<&dyn AnyTool> {
        let mut found: Option<(&dyn AnyTool, usize)> = None;
        for tool in &self.tools {
            for own in tool.names() {
                if own == name {
                    return Some(tool.as_ref());
                }
                if own.contains('*') && own.len() > found.map_or(0, |(_, longest)| longest) && wildcard(own, name) {
                    found = Some((tool.as_ref(), own.len()));
                }
            }
        }
        found.map(|(tool, _)| tool)
    }

    fn answer(&self, verb: &str, input: &[u8]) -> Result<String, String> {
        if verb == "describe" {
            return self.describe();
        }
        let envelope = read_envelope(input)?;
        let tool = self.tool(&envelope.tool).or_else(|| self.tool(self.fallback?));
        match tool {
            Some(tool) => tool.answer(verb, envelope),
            None => Err("the module has no tool ".to_string() + &envelope.tool),
        }
    }
}

// ---- What the exports call ----

/// Answers one verb of the module, an export's name, as the exports do: JSON, or
/// the words of an error.
pub fn handle(module: &Module, verb: &str, input: &[u8]) -> Result<String, String> {
    module.answer(verb, input).map_err(|err| [verb, ": ", &err].concat())
}

/// Makes the module that a function returns the one that the exports answer for:
/// `serve!(module);`, once, at the root of the crate.
macro_rules! serve {
    ($module:ident) => { const _: fn() -> $crate::callgate::Module = $module; // its type, also natively
        #[cfg(target_arch = "wasm32")]
        mod callgate_exports {
            $crate::callgate::serve!(@exports $module: describe check_permissions check_read_only match_rule generate_suggestions describe_call);
        }
    };
    (@exports $module:ident: $($verb:ident)*) => {
        $(
            #[no_mangle]
            pub extern "C" fn $verb() -> i32 {
                $crate::callgate::export(&$crate::$module(), stringify!($verb))
            }
        )*
    };
}
pub(crate) use serve;

#[cfg(target_arch = "wasm32")]
mod host {
    #[link(wasm_import_module = "extism:host/env")]
    extern "C" {
        pub fn input_length() -> u64;
        pub fn input_load_u8(at: u64) -> u32;
        pub fn input_load_u64(at: u64) -> u64;
        pub fn alloc(size: u64) -> u64;
        pub fn store_u8(at: u64, byte: u32);
        pub fn store_u64(at: u64, word: u64);
        pub fn output_set(at: u64, size: u64);
        pub fn error_set(at: u64);
    }
}

/// What an export does: [`serve!`] makes the exports.
#[cfg(target_arch = "wasm32")]
#[inline(never)]
pub fn export(module: &Module, verb: &str) -> i32 {
    std::panic::set_hook(Box::new(|info| {
        let at = host_text(&info.to_string());
        unsafe { host::error_set(at) } // kept when the trap comes
    }));
    match handle(module, verb, &host_input()) {
        Ok(output) => {
            let at = host_text(&output);
            unsafe { host::output_set(at, output.len() as u64) };
            0
        }
        Err(err) => {
            let at = host_text(&err);
            unsafe { host::error_set(at) };
            1
        }
    }
}

#[cfg(target_arch = "wasm32")]
fn host_input() -> Vec<u8> {
    // The imports take any offset: the host answers for what lies outside.
    let size = unsafe { host::input_length() };
    let mut input = Vec::with_capacity(size as usize + 8);
    let whole = size & !7;
    for at in (0..whole).step_by(8) {
        input.extend_from_slice(&unsafe { host::input_load_u64(at) }.to_le_bytes());
    }
    input.extend((whole..size).map(|at| unsafe { host::input_load_u8(at) } as u8));
    input
}

#[cfg(target_arch = "wasm32")]
fn host_text(text: &str) -> u64 {
    let chunks = text.as_bytes().chunks_exact(8);
    let rest = chunks.remainder();
    unsafe {
        let start = host::alloc(text.len() as u64);
        let mut at = start;
        for chunk in chunks {
            let mut word = [0; 8];
            word.copy_from_slice(chunk);
            host::store_u64(at, u64::from_le_bytes(word));
            at += 8;
        }
        for &byte in rest {
            host::store_u8(at, byte as u32);
            at += 1;
        }
        start
    }
}
