package convert

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/callgate/callgate/engine"
	"github.com/callgate/callgate/host/internal/approval/card"
	"github.com/callgate/callgate/host/internal/config"
	"github.com/callgate/callgate/host/internal/text/strictyaml"
)

// MaxBytes bounds a foreign file.
const MaxBytes = 4 << 20

// maxNesting bounds how deep brackets nest in a foreign file: the parsers recurse.
const maxNesting = 200

// Format is a kind of foreign file.
type Format string

// The formats.
const (
	ClaudeSettings Format = "claude-settings"
	Codex          Format = "codex"
	Gemini         Format = "gemini"
	OpenCode       Format = "opencode"
	Vibing         Format = "vibing"
	Chorus         Format = "chorus"
	AgentScope     Format = "agentscope"
)

// readers are the formats in the order of their listing.
var readers = []struct {
	format Format
	what   string
	read   func(*builder, []byte) error
}{
	{ClaudeSettings, "Claude Code's settings.json", readClaude},
	{Codex, "Codex's config.toml, or a .rules file", readCodex},
	{Gemini, "Gemini CLI's settings.json, or a policy .toml", readGemini},
	{OpenCode, "OpenCode's opencode.json or .jsonc", readOpenCode},
	{Vibing, "a vibing.nvim chat file", readVibing},
	{Chorus, "Chorus' config.json or an agent's agent.json", readChorus},
	{AgentScope, "AgentScope's state or permission context as JSON", readAgentScope},
}

// Formats lists the formats by name.
func Formats() []string {
	var out []string
	for _, r := range readers {
		out = append(out, string(r.format))
	}
	return out
}

// About names the file of a format.
func (f Format) About() string {
	for _, r := range readers {
		if r.format == f {
			return r.what
		}
	}
	return ""
}

// Options tell for whom a file is imported.
type Options struct {
	// Agent is the agent for the result; empty means every agent, or the one named in the file.
	Agent string
	// Dir is the working directory of the file's agent, absolute or ~/...; empty when unknown.
	Dir string
}

// Import reads data, the content of the foreign file named file. An error names
// file, line, column and the fix; then there is no report. RATIONALE.md, "How does a
// foreign permission file become ours?".
func Import(from Format, file string, data []byte, o Options) (*Report, error) {
	if len(data) > MaxBytes {
		return nil, &strictyaml.Error{File: file, Msg: fmt.Sprintf("%d bytes: at most %d are read; is this the right file?", len(data), MaxBytes)}
	}
	for _, r := range readers {
		if r.format != from {
			continue
		}
		if at, deep := tooDeep(data); deep {
			return nil, &strictyaml.Error{File: file, Position: at, Msg: fmt.Sprintf("brackets nest deeper than %d: no permission file needs that", maxNesting)}
		}
		b := &builder{file: file, errs: strictyaml.List{File: file}, options: o}
		b.report = &Report{From: from, File: file}
		b.block(o.Agent)
		if err := r.read(b, data); err != nil {
			return nil, err
		}
		if err := b.errs.Err(); err != nil {
			return nil, err
		}
		report := b.finish()
		// A name of the file or of the options may be invalid for an agent.
		if _, err := config.Parse(file, []byte(report.YAML()), anywhere); err != nil {
			return nil, fmt.Errorf("what this becomes fits into no configuration: %w", err)
		}
		return report, nil
	}
	return nil, fmt.Errorf("unknown format %q: want one of %s", from, strings.Join(Formats(), ", "))
}

// Outcome is the result for one part of the file.
type Outcome string

// The outcomes.
const (
	// Carried means the same here.
	Carried Outcome = "carried"
	// Tighter is carried, but allows less or denies or asks more than there.
	Tighter Outcome = "tighter"
	// Weaker is a deny, an ask or a limit lost in whole or in part.
	Weaker Outcome = "weaker"
	// LeftOut is not carried. It allows nothing beyond the file.
	LeftOut Outcome = "left_out"
)

// Entry is one part of the file, mostly a line, and its result.
type Entry struct {
	Line int `json:"line"`
	// Source is the text in the file; for keys unrelated to permissions only the name.
	Source  string  `json:"source"`
	Outcome Outcome `json:"outcome"`
	// Becomes are rules ("allow Bash(npm run:*)") and settings ("mode: explore").
	Becomes []string `json:"becomes,omitempty"`
	// Notes are reasons, differences and fixes.
	Notes []string `json:"notes,omitempty"`
}

// Report is the result for a foreign file.
type Report struct {
	From    Format  `json:"from"`
	File    string  `json:"file"`
	Entries []Entry `json:"entries"`
	// Notes are about the file as a whole.
	Notes []string `json:"notes,omitempty"`
	// Blocks are the settings to store, per agent.
	Blocks []Block `json:"blocks"`
	// Profiles are the entries to store under profiles.
	Profiles []Profile `json:"profiles,omitempty"`
	// Grants would be stored under permission_grants, in the file's order.
	Grants []Grant `json:"permission_grants,omitempty"`
}

// Block are the settings of one agent; with an empty name, of every agent.
type Block struct {
	Agent              string    `json:"agent,omitempty"`
	Mode               string    `json:"mode,omitempty"`
	WorkingDirectories []string  `json:"working_directories,omitempty"`
	AllowedTools       *[]string `json:"allowed_tools,omitempty"`
	DisallowedTools    []string  `json:"disallowed_tools,omitempty"`
	// Profile is a name; Inline the lists of a profile without one.
	Profile string   `json:"profile,omitempty"`
	Inline  *Profile `json:"inline_profile,omitempty"`
	Rules   []Rule   `json:"rules,omitempty"`
}

func (b *Block) empty() bool {
	return b.Mode == "" && len(b.WorkingDirectories) == 0 && b.AllowedTools == nil && len(b.DisallowedTools) == 0 && b.Profile == "" && b.Inline == nil && len(b.Rules) == 0
}

// Rule is one rule to store.
type Rule struct {
	Behavior engine.Behavior `json:"behavior"`
	// Text is Tool or Tool(content).
	Text     string   `json:"rule"`
	Reason   string   `json:"reason,omitempty"`
	Match    []string `json:"match,omitempty"`
	NotMatch []string `json:"not_match,omitempty"`

	// entry is the rule's origin; wins ranks it in its own format, by the same measure for all
	// rules of a file.
	entry int
	wins  int
}

// Profile is a named or nameless profile.
type Profile struct {
	Name  string   `json:"name,omitempty"`
	Allow []string `json:"allow"`
	Ask   []string `json:"ask"`
	// Deny is in Chorus' program, not in its document.
	Deny []string `json:"deny,omitempty"`
}

// Grant is a permission to grant, for one role.
type Grant struct {
	Role  string   `json:"role"`
	Gives []string `json:"gives"`
}

// Counts tells how many entries have each outcome.
func (r *Report) Counts() map[Outcome]int {
	out := map[Outcome]int{}
	for _, e := range r.Entries {
		out[e.Outcome]++
	}
	return out
}

// builder gathers a report.
type builder struct {
	file    string
	options Options
	report  *Report
	errs    strictyaml.List
}

// block returns the block of an agent, made when it is new. The pointer holds
// until the next call.
func (b *builder) block(agent string) *Block {
	for i := range b.report.Blocks {
		if b.report.Blocks[i].Agent == agent {
			return &b.report.Blocks[i]
		}
	}
	b.report.Blocks = append(b.report.Blocks, Block{Agent: agent})
	return &b.report.Blocks[len(b.report.Blocks)-1]
}

// main is the block of the file's agent.
func (b *builder) main() *Block { return &b.report.Blocks[0] }

// entry notes a part of the file. It is carried until something else is said.
func (b *builder) entry(at strictyaml.Position, source string) *entry {
	b.report.Entries = append(b.report.Entries, Entry{Line: at.Line, Source: source, Outcome: Carried})
	return &entry{b, len(b.report.Entries) - 1, 0}
}

// errorf notes a malformed file.
func (b *builder) errorf(at strictyaml.Position, field, format string, args ...any) {
	b.errs.Add(at, field, format, args...)
}

func (b *builder) note(text string) {
	if !slices.Contains(b.report.Notes, text) {
		b.report.Notes = append(b.report.Notes, text)
	}
}

// finish drops empty parts and puts the entries into the file's order.
func (b *builder) finish() *Report {
	r := b.report
	r.Blocks = slices.DeleteFunc(r.Blocks, func(block Block) bool { return block.empty() })
	slices.SortStableFunc(r.Entries, func(x, y Entry) int { return cmp.Compare(x.Line, y.Line) })
	return r
}

// entry is an entry in the making.
type entry struct {
	b  *builder
	at int
	// wins becomes the rank of the entry's rules, see Rule.
	wins int
}

func (e *entry) entry() *Entry { return &e.b.report.Entries[e.at] }

// is sets the outcome and says why. A worse outcome stays.
func (e *entry) is(o Outcome, format string, args ...any) {
	rank := []Outcome{Carried, LeftOut, Tighter, Weaker}
	if x := e.entry(); slices.Index(rank, o) > slices.Index(rank, x.Outcome) {
		x.Outcome = o
	}
	e.says(format, args...)
}

func (e *entry) says(format string, args ...any) {
	text, x := fmt.Sprintf(format, args...), e.entry()
	if !slices.Contains(x.Notes, text) {
		x.Notes = append(x.Notes, text)
	}
}

// left notes a part not carried: Weaker for one that tightened in the file.
func (e *entry) left(b engine.Behavior, format string, args ...any) {
	o := Weaker
	if b == engine.Allow {
		o = LeftOut
	}
	e.is(o, format, args...)
}

// becomes notes a setting.
func (e *entry) becomes(format string, args ...any) {
	x := e.entry()
	x.Becomes = append(x.Becomes, fmt.Sprintf(format, args...))
}

// rule stores a rule in the main block. content "" is the whole tool.
func (e *entry) rule(behavior engine.Behavior, tool, content string) *Rule {
	text := tool
	if content != "" {
		text += "(" + content + ")"
	}
	parsed, err := engine.ParseRule(text)
	switch {
	case err != nil:
		e.left(behavior, "not carried: %v", err)
		return &Rule{}
	case strings.Trim(tool, "*?") == "":
		e.left(behavior, "not carried: %v", engine.ErrBareStar)
		return &Rule{}
	case strings.ContainsFunc(content, hidden) || behavior == engine.Allow && card.Line(content) != content:
		e.left(behavior, "not carried: it holds characters that cannot be seen, turn text around or look like others")
		return &Rule{}
	}
	e.becomes("%s %s", behavior, parsed)
	block := e.b.main()
	for i, r := range block.Rules {
		if r.Behavior == behavior && r.Text == parsed.String() {
			return &block.Rules[i]
		}
	}
	block.Rules = append(block.Rules, Rule{Behavior: behavior, Text: parsed.String(), entry: e.at, wins: e.wins})
	return &block.Rules[len(block.Rules)-1]
}

func hidden(r rune) bool {
	return r < 0x20 || r >= 0x7f && r < 0xa0 || r == 0xfffd || r == 0x2028 || r == 0x2029
}

// mode sets the mode of the main block.
func (e *entry) mode(m engine.Mode) {
	e.becomes("mode: %s", m)
	e.b.main().Mode = m.String()
}

// directories sets the working directories. Relative patterns start at the first one: without it
// the others cannot be set.
func (e *entry) directories(dirs ...string) {
	if e.b.options.Dir == "" {
		e.is(LeftOut, "not carried: working_directories is the whole list, and its first one is where relative patterns start: give the agent's own directory with --dir")
		return
	}
	block := e.b.main()
	for _, d := range append([]string{e.b.options.Dir}, dirs...) {
		if d != "/" {
			d = strings.TrimRight(d, "/")
		}
		switch {
		case !strings.HasPrefix(d, "/") && !strings.HasPrefix(d, "~/") && d != "~":
			e.is(LeftOut, "%s is not carried: a working directory is absolute or begins with ~/", d)
		case !slices.Contains(block.WorkingDirectories, d):
			block.WorkingDirectories = append(block.WorkingDirectories, d)
		}
	}
	e.becomes("working_directories: %s", strings.Join(block.WorkingDirectories, ", "))
}

// disallow puts tools into disallowed_tools.
func (e *entry) disallow(tools ...string) {
	block := e.b.main()
	for _, t := range tools {
		if !engine.IsToolName(t) || strings.Trim(t, "*?") == "" {
			e.is(Weaker, "not carried: %q is no tool's name", t)
			continue
		}
		e.becomes("disallowed_tools: %s", t)
		if !slices.Contains(block.DisallowedTools, t) {
			block.DisallowedTools = append(block.DisallowedTools, t)
		}
	}
}

// givenDir sets the working directory of the options, where the file names none.
func (b *builder) givenDir() {
	if b.options.Dir != "" {
		b.entry(strictyaml.Position{}, "--dir "+b.options.Dir).directories()
	}
}
