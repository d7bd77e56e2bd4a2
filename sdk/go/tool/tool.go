package tool

import (
	"encoding/json"
)

// Behavior is an opinion on a call.
type Behavior string

// The behaviours. Only a Verdict may carry Passthrough.
const (
	Allow       Behavior = "allow"
	Deny        Behavior = "deny"
	Ask         Behavior = "ask"
	Passthrough Behavior = "passthrough"
)

// Mode is the session's permission mode as a module sees it.
type Mode string

// The modes.
const (
	ModeDefault     Mode = "default"
	ModeAcceptEdits Mode = "accept_edits"
	ModeExplore     Mode = "explore"
	ModeBypass      Mode = "bypass"
	ModeTrusted     Mode = "trusted"
	ModeDontAsk     Mode = "dont_ask"
)

// Call is one call of a tool whose input has the shape In.
type Call[In any] struct {
	// Tool is the entry's canonical name.
	Tool string
	// Input is the decoded input, Raw the same as it came.
	Input In
	Raw   json.RawMessage
	// Unknown lists members of the input that In does not have. With any, the
	// SDK lets no allow, read_only or suggestion pass (see Spec.AnyField).
	Unknown []string
	Context Context
	// Config is what the operator set for this tool; nil when nothing.
	Config json.RawMessage
	// Effects tells Describe that the host reads effects. The SDK leaves them out
	// where it does not.
	Effects bool
	// RuleWords tells Describe that the host reads Description.RuleWords. The SDK leaves them out
	// where it does not.
	RuleWords bool
}

// Context is what surrounds a call. Mode and Annotations are empty in Match and
// ReadOnly: what a call means does not depend on them.
type Context struct {
	Agent              string   `json:"agent"`
	Session            string   `json:"session"`
	User               string   `json:"user"`
	Mode               Mode     `json:"mode"`
	CWD                string   `json:"cwd"`
	WorkingDirectories []string `json:"working_directories"`
	ProjectRoot        string   `json:"project_root"`
	Home               string   `json:"home"`
	Kind               string   `json:"kind"`
	// Dialect is the shell that reads the agent's command lines, as the operator
	// says: bash, sh, zsh, fish, pwsh or cmd; empty when nobody said.
	Dialect string `json:"dialect"`
	// ShellChanged is what earlier calls changed of the shell that runs this one:
	// ShellDirectory, ShellEnvironment. Give no allowance that leans on it.
	ShellChanged []string        `json:"shell_changed"`
	Resumed      bool            `json:"resumed"`
	Approver     string          `json:"approver"`
	ActiveSkills []string        `json:"active_skills"`
	Annotations  json.RawMessage `json:"annotations"`
	// Targets are what Describe named, with what the host found; empty in
	// Describe itself.
	Targets        []Target `json:"targets"`
	TargetsUnknown bool     `json:"targets_unknown"`
}

// The kinds and accesses of a Target.
const (
	Path = "path"
	Host = "host"
	MCP  = "mcp"

	Read  = "read"
	Write = "write"
	Run   = "run"
)

// The parts of a shell's state: where it stands; and its variables, aliases,
// functions, options, traps and descriptors.
const (
	ShellDirectory   = "directory"
	ShellEnvironment = "environment"
)

// Target is one thing a call touches. Describe fills Kind, Value and Access;
// the host fills the rest.
type Target struct {
	Kind   string `json:"kind"`
	Value  string `json:"value"`
	Access string `json:"access"`
	// Resolved is the path as the kernel would reach it; Lexical the cleaned
	// absolute path as written. An allowance needs both to agree, a protection
	// either.
	Resolved string `json:"resolved,omitzero"`
	Lexical  string `json:"lexical,omitzero"`
	Exists   bool   `json:"exists,omitzero"`
	// Inside is the working directory that holds both forms; empty when none.
	Inside string `json:"inside,omitzero"`
	Repo   *Repo  `json:"repo,omitzero"`
	// Claimed: the path does not occur in the input; give no allowance.
	Claimed bool   `json:"claimed,omitzero"`
	Error   string `json:"error,omitzero"`
}

// Repo are facts about a repository that can make read-only programs run code.
type Repo struct {
	Root  string   `json:"root,omitzero"`
	Dirty []string `json:"dirty,omitzero"`
}

// Verdict is the answer of Spec.Check. The zero value is a passthrough.
type Verdict struct {
	Behavior     Behavior `json:"behavior"`
	Message      string   `json:"message,omitzero"`
	Reason       string   `json:"reason,omitzero"`
	BypassImmune bool     `json:"bypass_immune,omitzero"`
}

// ReadOnly is the answer of Spec.ReadOnly. The zero value says no.
type ReadOnly struct {
	ReadOnly bool   `json:"read_only"`
	Reason   string `json:"reason,omitzero"`
}

// Rule is what Spec.Match sees of a rule.
type Rule struct {
	Content string `json:"content"`
	// Root anchors relative path patterns; empty means the first working
	// directory.
	Root string `json:"root,omitzero"`
}

// Suggestion is one rule that would allow the call next time. A nil Content
// proposes the whole tool.
type Suggestion struct {
	Content     *string `json:"content"`
	Description string  `json:"description,omitzero"`
	// Covers is the part of the call that the rule is for, such as one command of a
	// line; empty where Content shows it. Denials quote it. The SDK leaves it out for a
	// host that does not read it.
	Covers string `json:"covers,omitzero"`
	// NearMisses are at most four inputs, JSON objects close to the call's, that the
	// rule must not match: two of them are kept with an accepted rule and tried
	// whenever the module changes.
	NearMisses []json.RawMessage `json:"near_misses,omitzero"`
}

// Description is the answer of Spec.Describe.
type Description struct {
	Action         string   `json:"action,omitzero"`
	Actions        []string `json:"actions,omitzero"`
	Title          string   `json:"title,omitzero"`
	Preview        string   `json:"preview,omitzero"`
	Language       string   `json:"language,omitzero"`
	Targets        []Target `json:"targets,omitzero"`
	TargetsUnknown bool     `json:"targets_unknown,omitzero"`
	// Analysed tells whether Actions, or Action, say all that the call does: a
	// profile's patterns allow no other call, unless they speak of every one. Nil
	// means that they do unless TargetsUnknown. Of an input with members that In
	// does not have they never do.
	Analysed *bool `json:"analysed,omitzero"`
	// Moves: the call may change the current directory or links, so that until it
	// ends the relative paths of other calls may lead elsewhere.
	Moves bool `json:"moves,omitzero"`
	// ChangesShell: what the call may change of the shell that runs it, for a
	// client that keeps one shell for all calls: ShellDirectory, ShellEnvironment.
	// A tool that says so gives no allowance that leans on Context.ShellChanged.
	ChangesShell []string `json:"changes_shell,omitzero"`
	// Marks are for the host's own protection, and for deny and ask rules.
	Marks []Mark `json:"marks,omitzero"`
	// Effects are what the call does. An empty list says that it does nothing of the
	// kinds below; nil says nothing, and then a rule about effects asks.
	Effects []Effect `json:"effects,omitzero"`
	// RuleWords say which rules can match the call; nil means that any can.
	RuleWords *RuleWords `json:"rule_words,omitzero"`
}

// Effect is one thing that a call does to one object. Rules name it and cards show it,
// in the host's words; it allows nothing.
type Effect struct {
	// Kind is one of the constants below, which say what Value is.
	Kind  string `json:"kind"`
	Value string `json:"value"`
	// Certain is false where the call may do less than this.
	Certain bool `json:"certain"`
	// How is a word that some kinds have.
	How string `json:"how,omitzero"`
}

// The kinds of an Effect, and the words for how. A path is written as in a Target.
const (
	Shows              = "shows"               // a path, "store:NAME" or Environment: its content reaches the model or a program that prints
	Takes              = "takes"               // a source of text by strangers: a page, an issue, a mail, a clone
	Reaches            = "reaches"             // a host; Get, Send
	Publishes          = "publishes"           // a place that others see; Public, Force
	Installs           = "installs"            // REGISTRY:PACKAGE
	Deletes            = "deletes"             // a path; WholeTree, Glob
	Overwrites         = "overwrites"          // a path whose content is replaced
	ChangesPermissions = "changes_permissions" // a path
	Tests              = "tests"               // the name of a test run; Decisive
	Runs               = "runs"                // a path of code of the project, or Unreadable

	Get       = "get"
	Send      = "send"
	Public    = "public"
	Force     = "force"
	WholeTree = "tree"
	Glob      = "glob"
	Decisive  = "decisive"

	Environment = "environment" // the value of Shows for variables of the process
	Unreadable  = "unreadable"  // the value of Runs for code that is not known: the call may have any effect
)

// Mark is one thing that a call may do. The host's protection of itself reads all
// marks; deny and ask rules read trees and endpoints. No allow rule, no profile and
// no person sees one. Kind is one of the constants below, Access as in Target.
type Mark struct {
	Kind   string `json:"kind"`
	Value  string `json:"value"`
	Access string `json:"access"`
}

// The kinds of a Mark; docs/abi.md says what the value of each is.
const (
	Tree     = "tree"
	Program  = "program"
	Process  = "process"
	Service  = "service"
	Terminal = "terminal"
	Endpoint = "endpoint"
)

// Unknown is the value of a Mark whose value cannot be told.
const Unknown = "?"

// RuleExample shows what a rule matches. The host runs it at load.
type RuleExample struct {
	Content  string          `json:"content"`
	Behavior Behavior        `json:"behavior"`
	Input    json.RawMessage `json:"input"`
	Match    bool            `json:"match"`
	CWD      string          `json:"cwd,omitzero"`
}

// Spec describes one tool: its names, its documents, and up to five plain
// functions on typed values. Each function left nil has a safe default, given
// with its field.
type Spec[In any] struct {
	Name    string
	Aliases []string
	// InputSchema is the JSON Schema of the input, as text; empty means {"type":"object"}.
	InputSchema string
	// ReadOnlyTool and EditsFiles are static facts for people and schema lists.
	ReadOnlyTool bool
	EditsFiles   bool
	RuleHelp     string
	RuleExamples []RuleExample
	// AnyField says that members unknown to In are no reason for caution.
	AnyField bool

	// Check gives the tool's own opinion. Default: passthrough.
	Check func(*Call[In]) Verdict
	// ReadOnly tells whether the call provably changes nothing. Default: ReadOnlyTool.
	ReadOnly func(*Call[In]) ReadOnly
	// Match returns the indices of the rules that decide. Default: a rule
	// matches when its content is the input as JSON (sorted keys, no blanks).
	Match func(*Call[In], Behavior, []Rule) []int
	// Suggest proposes rules. Default: the exact input, then the whole tool.
	Suggest func(*Call[In]) []Suggestion
	// Describe names what the call touches. Default: no targets.
	Describe func(*Call[In]) Description
}

// Module is one wasm file: a name, a version and its tools.
type Module struct {
	Name    string
	Version string
	Summary string
	Tools   []Tool
	// Fallback names the tool that answers for names that none of Tools has,
	// when the operator made this module the one for unknown tools. Empty means
	// that such a call is an error.
	Fallback string
}
