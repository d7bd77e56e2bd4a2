package modules

import (
	"time"

	"github.com/callgate/callgate/host/wire"
)

// Outcome is the result of reading the directory.
type Outcome struct {
	// Swaps are new, removed and refused modules; a refusal is reported only once.
	Swaps []wire.ModuleSwap `json:"swaps"`
	// Problems are all present problems of the modules.
	Problems []Problem `json:"problems"`
	// Trying is how many modules are being compiled and tried beside everything else.
	Trying int `json:"trying,omitempty"`
	// Took is from the begin of reading to the moment the new set was in force.
	Took time.Duration `json:"took_ns"`
}

// stateInUse is the state of a file with its bytes, of this digest, in use; pinned is the digest in
// its pin, empty for none.
func stateInUse(embedded bool, digest, pinned string) wire.ModuleState {
	switch {
	case embedded:
		return wire.ModuleBuiltIn
	case digest == pinned:
		return wire.ModulePinned
	}
	return wire.ModuleDev
}
