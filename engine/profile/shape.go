package profile

// Shape is a set of action strings that a tool can produce: one text, or every
// text that begins with it.
type Shape struct {
	Text string
	// Exact means Text alone; else Text is a prefix, possibly the whole action.
	Exact bool
}

// shapes are the action strings of the Chorus seed's tools, and under the names
// that agents use. Source: its table "Action Strings by Tool", design section 5.
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

// ShapeOf returns what the actions of a tool look like. tool is a name of the
// Chorus seed, an agent's own, or any other, whose actions then begin with
// "tool:NAME:".
func ShapeOf(tool string) Shape {
	if s, ok := shapes[tool]; ok {
		return s
	}
	return Shape{Text: "tool:" + tool + ":"}
}
