package config

import (
	"errors"
	"slices"
	"strings"

	"github.com/callgate/callgate/host/internal/modules"
)

// PublicKey is an Ed25519 public key in base64, as pin.PublicText writes it.
type PublicKey string

// UnmarshalText implements encoding.TextUnmarshaler; it reads PEM as well.
func (k *PublicKey) UnmarshalText(text []byte) error {
	key, err := modules.ParseKey(string(text))
	if err != nil {
		return err
	}
	*k = PublicKey(modules.PublicText(key))
	return nil
}

// SignatureNeed lists the modules with a required signature; the zero value: none.
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

// covers reports whether n requires all signatures required by other.
func (n SignatureNeed) covers(other SignatureNeed) bool {
	return n.All || !other.All && !slices.ContainsFunc(other.Modules, func(m string) bool { return !slices.Contains(n.Modules, m) })
}

// Signatures is the requirement in m.
func (m Modules) Signatures() modules.Policy {
	p := modules.Policy{Keys: modules.Keys{}, All: m.RequireSignature.All, Modules: slices.Clone(m.RequireSignature.Modules)}
	for name, text := range m.Keys {
		if key, err := modules.ParseKey(string(text)); err == nil { // it was read before
			p.Keys[name] = key
		}
	}
	return p
}

// Unpinned reports whether unpinned files are loaded. Where signatures are required they are not:
// they have none.
func (m Modules) Unpinned() bool { return m.Dev && !m.RequireSignature.any() }

func (ck *checker) signatures(m *Modules) {
	for _, name := range sortedKeys(m.Keys) {
		if err := modules.CheckKeyName(name); err != nil {
			ck.add("modules.keys."+name, "%v", err)
		}
	}
	for i, name := range m.RequireSignature.Modules {
		if name == "" {
			ck.add("modules.require_signature", "entry %d is empty; want the name or file of a module", i)
		}
	}
	if m.Dev && m.RequireSignature.any() {
		ck.add("modules.dev", "true loads unsigned files, but modules.require_signature forbids them; remove one of the two")
	}
}
