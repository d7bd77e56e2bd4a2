package profile

// Shape is a set of a tool's possible action strings: one text, or every text with it as beginning.
type Shape struct {
	Text string
	// Exact means Text alone; else Text is a prefix, possibly the whole action.
	Exact bool
}

// shapes are the action strings of Chorus's tools, also under agents' names. Source: docs/seeds.md,
// "Action Strings by Tool".
var shapes = map[string]Shape{
	"git_init":                {"tool:git:init", true},
	"git_commit":              {"tool:git:commit", true},
	"git_push":                {"tool:git:push ", false},
	"git_branch":              {"tool:git:branch ", false},
	"git_merge_request":       {"tool:git:merge_request ", false},
	"self_edit_system_prompt": {"tool:self_edit:system_prompt", true},
	"self_edit_docs":          {"tool:self_edit:docs:", false},
	"self_edit_permissions":   {"tool:self_edit:permissions:", false},
	"self_edit_model":         {"tool:self_edit:model:", false},
	"Bash":                    {"tool:bash:", false},
	"Read":                    {"tool:view:", false},
	"LS":                      {"tool:view:", false},
	"ReadMany":                {"tool:view:", false},
	"Write":                   {"tool:create_file:", false},
	"Edit":                    {"tool:str_replace:", false},
	"MultiEdit":               {"tool:str_replace:", false},
	"NotebookEdit":            {"tool:str_replace:", false},
	"ApplyPatch":              {"tool:str_replace:", false},
	"Delete":                  {"tool:delete_file:", false},
	"Glob":                    {"tool:glob:", false},
	"Grep":                    {"tool:grep:", false},
	"WebFetch":                {"tool:web_fetch:", false},
	"WebSearch":               {"tool:web_search:", false},
}

// ShapeOf returns the shapes of a tool's actions. tool is a name of Chorus's, an agent's own, or
// any other; actions of the last kind begin with "tool:NAME:".
func ShapeOf(tool string) Shape {
	if s, ok := shapes[tool]; ok {
		return s
	}
	return Shape{Text: "tool:" + tool + ":"}
}
