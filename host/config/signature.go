package config

import (
	"errors"
	"slices"
	"strings"

	"github.com/callgate/callgate/host/pin"
)

// PublicKey is an Ed25519 public key in base64, as pin.PublicText writes it.
type PublicKey string

// UnmarshalText implements encoding.TextUnmarshaler; it reads PEM as well.
func (k *PublicKey) UnmarshalText(text []byte) error {
	key, err := pin.ParseKey(string(text))
	if err != nil {
		return err
	}
	*k = PublicKey(pin.PublicText(key))
	return nil
}

// SignatureNeed says which modules have to be signed; the zero value: none.
type SignatureNeed struct {
	// All are all modules, Modules those of these names or files.
	All     bool
	Modules []string
}

// UnmarshalText implements encoding.TextUnmarshaler, and refuses: it is no text.
func (n *SignatureNeed) UnmarshalText([]byte) error {
	return errors.New("want true, false or a list of modules, by name or file")
}

// Switched takes true or false.
func (n *SignatureNeed) Switched(on bool) { n.All = on }

// Listed takes the list.
func (n *SignatureNeed) Listed() any { return &n.Modules }

// String implements fmt.Stringer.
func (n SignatureNeed) String() string {
	switch {
	case n.All:
		return "true"
	case len(n.Modules) == 0:
		return "false"
	}
	return "[" + strings.Join(n.Modules, ", ") + "]"
}

// any reports whether a signature is needed at all.
func (n SignatureNeed) any() bool { return n.All || len(n.Modules) > 0 }

// covers reports whether n needs all signatures that other does.
func (n SignatureNeed) covers(other SignatureNeed) bool {
	return n.All || !other.All && !slices.ContainsFunc(other.Modules, func(m string) bool { return !slices.Contains(n.Modules, m) })
}

// Signatures is what m says of signatures.
func (m Modules) Signatures() pin.Policy {
	p := pin.Policy{Keys: pin.Keys{}, All: m.RequireSignature.All, Modules: slices.Clone(m.RequireSignature.Modules)}
	for name, text := range m.Keys {
		if key, err := pin.ParseKey(string(text)); err == nil { // it was read before
			p.Keys[name] = key
		}
	}
	return p
}

// Unpinned reports whether files that nobody pinned are loaded. Where signatures are
// needed they are not: nobody signed them.
func (m Modules) Unpinned() bool { return m.Dev && !m.RequireSignature.any() }

func (ck *checker) signatures(m *Modules) {
	for _, name := range sortedKeys(m.Keys) {
		if err := pin.CheckKeyName(name); err != nil {
			ck.add("modules.keys."+name, "%v", err)
		}
	}
	for i, name := range m.RequireSignature.Modules {
		if name == "" {
			ck.add("modules.require_signature", "entry %d is empty: want a module's name or file", i)
		}
	}
	if m.Dev && m.RequireSignature.any() {
		ck.add("modules.dev", "true loads files that nobody signed, which modules.require_signature forbids: remove one of the two")
	}
}

// bothKeys are the keys that both believe.
func bothKeys(was, will map[string]PublicKey) map[string]PublicKey {
	out := map[string]PublicKey{}
	for name, key := range was {
		if will[name] == key {
			out[name] = key
		}
	}
	return out
}

// stricterNeed needs what either does.
func stricterNeed(was, will SignatureNeed) SignatureNeed {
	return SignatureNeed{All: was.All || will.All, Modules: united(was.Modules, will.Modules)}
}

// trust compares which modules are loaded at all: dev, keys and require_signature.
func (d *differences) trust() {
	was, will := d.c.accepted.Modules, d.c.next.Modules
	d.unless(was.Dev || !will.Dev, "modules.dev", was.Dev, will.Dev)
	for _, name := range sortedKeys(will.Keys) {
		d.unless(was.Keys[name] == will.Keys[name], "modules.keys."+name, string(was.Keys[name]), string(will.Keys[name]))
	}
	d.unless(will.RequireSignature.covers(was.RequireSignature), "modules.require_signature", was.RequireSignature, will.RequireSignature)
}
