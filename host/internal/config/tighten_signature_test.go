package config_test

import (
	"reflect"
	"testing"

	"github.com/callgate/callgate/host/internal/config"
)

// TestStricter_trust: of the settings for loading modules, the stricter holds.
func TestStricter_trust(t *testing.T) {
	t.Parallel()
	const one, two = "11qYAYKxCrfVS/7TyWQHOg7hcvPapiMlrwIaaPcHURo=", "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA="
	dev, signed := parse(t, "modules: {dev: true, keys: {a: "+one+", b: "+one+"}}"), parse(t, "modules: {require_signature: [x], keys: {a: "+one+", b: "+two+", c: "+one+"}}")
	for both, b := range map[*config.Config]config.PublicKey{inForce(dev, signed): one, inForce(signed, dev): two} {
		m := both.Modules
		if m.Dev || m.Unpinned() || !reflect.DeepEqual(m.RequireSignature.Modules, []string{"x"}) || !reflect.DeepEqual(m.Keys, map[string]config.PublicKey{"a": one, "b": b}) {
			t.Errorf("got dev %t, %+v, keys %v", m.Dev, m.RequireSignature, m.Keys)
		}
	}
	if m := inForce(dev, dev).Modules; !m.Unpinned() || len(m.Keys) != 2 {
		t.Errorf("with itself: got %+v", m)
	}
	if all := inForce(signed, parse(t, "modules: {require_signature: true}")).Modules.Signatures(); !all.Requires("any.wasm", "any") || len(all.Keys) != 0 {
		t.Errorf("all: got %+v", all)
	}
}
