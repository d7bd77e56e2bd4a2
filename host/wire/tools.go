package wire

import (
	"encoding/json"

	"github.com/callgate/callgate/engine"
)

// VisibleToolsRequest requests the tools worth showing to a model.
type VisibleToolsRequest struct {
	// Context names the agent, session and place; as in Request, it narrows.
	Context CallContext `json:"context,omitzero"`
	// Tools are names besides those of modules, such as a client's MCP tools; at most 4096.
	Tools []string `json:"tools,omitempty"`
	// All includes hidden tools, with the reason.
	All bool `json:"all,omitempty"`
}

// VisibleTool is one tool of VisibleTools.
type VisibleTool struct {
	Name        string          `json:"name"`
	Aliases     []string        `json:"aliases,omitempty"`
	Description string          `json:"description,omitempty"`
	InputSchema json.RawMessage `json:"input_schema,omitempty"`
	Offered     bool            `json:"offered"`
	// Why says why every call of the tool would be denied; empty when it is offered.
	Why string `json:"why,omitempty"`
}

// VisibleTools are the tools with possibly allowed or asked calls. It is a help for the model and
// no decision: each call is checked, visible or not.
type VisibleTools struct {
	Agent string      `json:"agent"`
	Mode  engine.Mode `json:"mode"`
	// Profile is the name of the profile in force; empty for none.
	Profile string        `json:"profile,omitempty"`
	Tools   []VisibleTool `json:"tools"`
}
