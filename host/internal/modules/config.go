package modules

import (
	"sync"

	jsonv2 "github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/callgate/callgate/engine"
)

// lookup answers config_get: the top-level members of a tool's configuration,
// strings as they are and other values as JSON.
type lookup func(key string) (value string, ok bool)

// ConfigLookup answers config_get from a tool's configuration, as calls of the tool see it; nil for
// none. It is decoded at its first use; anything but an object has no keys.
func ConfigLookup(config []byte) func(key string) (value string, ok bool) {
	if len(config) == 0 {
		return nil
	}
	members := sync.OnceValue(func() map[string]string { return topLevel(config) })
	return func(key string) (string, bool) {
		value, ok := members()[key]
		return value, ok
	}
}

func topLevel(config []byte) map[string]string {
	var object map[string]jsontext.Value
	if err := jsonv2.Unmarshal(config, &object); err != nil {
		return nil
	}
	members := make(map[string]string, len(object))
	for key, value := range object {
		text := string(value)
		if value.Kind() == '"' {
			if err := jsonv2.Unmarshal(value, &text); err != nil {
				return nil // cannot be: it was read as JSON just now
			}
		}
		members[key] = text
	}
	return members
}

// configFor is config_get's source in a call: the call's own configuration replaces the grant's, as
// in the envelope.
func (m *module) configFor(call *engine.Call) lookup {
	if len(call.Context.Config) > 0 {
		return ConfigLookup(call.Context.Config)
	}
	return m.config
}
