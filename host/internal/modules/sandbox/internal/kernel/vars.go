package kernel

import (
	"fmt"

	"github.com/tetratelabs/wazero/api"
)

// vars are a guest's variables. They last as long as the call.
type vars struct {
	values map[string][]byte
	size   int // as varsMost counts it
}

const (
	// varsMost caps the variables of a call: keys, values, and for each of them
	// varOverhead bytes.
	varsMost    = 1 << 20
	varOverhead = 64
)

func (v *vars) reset() {
	if v.size > 0 {
		*v = vars{}
	}
}

// put sets a variable, or removes it when value is empty. It is false, and
// changes nothing, when there is no room.
func (v *vars) put(key string, value []byte) bool {
	size := v.size
	if old, ok := v.values[key]; ok {
		size -= varOverhead + len(key) + len(old)
	}
	if len(value) == 0 {
		delete(v.values, key)
		v.size = size
		return true
	}
	size += varOverhead + len(key) + len(value)
	if size > varsMost {
		return false
	}
	if v.values == nil {
		v.values = map[string][]byte{}
	}
	v.values[key] = append([]byte(nil), value...)
	v.size = size
	return true
}

func varGet(k *Kernel, guest api.Module, s []uint64) {
	value := k.vars.values[string(k.key(guest, s[0]))]
	s[0] = k.give(guest, "var_get", value)
}

// varSet keeps a copy of the value. A missing key or value ends the call, since the guest's
// value would be lost.
func varSet(k *Kernel, guest api.Module, s []uint64) {
	key, value := k.key(guest, s[0]), k.bytes(guest, s[1])
	if key == nil || value == nil && s[1] != 0 {
		panic(&Trap{Kind: KindTrap, Message: fmt.Sprintf("var_set: offset %d or %d is not a block of the host memory", s[0], s[1])})
	}
	if !k.vars.put(string(key), value) {
		panic(&Trap{Kind: KindTrap, Message: fmt.Sprintf("var_set: a key of %d and a value of %d bytes: all variables together have at most %d", len(key), len(value), varsMost)})
	}
}
