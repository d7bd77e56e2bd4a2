package protocol

import (
	"github.com/callgate/callgate/host/wire"
)

// PinModule requests a pin for the bytes in the directory of modules, or for the version before.
type PinModule struct {
	// Grant is a new grant; nil keeps the present one. Not for a rollback.
	Grant     *wire.Grant           `json:"grant,omitempty"`
	Signature *wire.ModuleSignature `json:"signature,omitempty"`
	// Digest and Replaces are the versions shown to the person; see modules.Request.
	Digest   string `json:"digest,omitempty"`
	Replaces string `json:"replaces,omitempty"`
	// DryRun only returns the effect.
	DryRun bool `json:"dry_run,omitempty"`
}

// ToolList lists tools.
type ToolList struct {
	Tools []wire.Tool `json:"tools"`
}
