package modules

import (
	"bytes"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/callgate/callgate/host/wire"
	jsonv2 "github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// maxShown bounds the value of a Change, in bytes.
const maxShown = 2 << 10

// Changes lists, member by member, the differences between two descriptions: nil for none. Invalid
// JSON differs as a whole. Its texts are the module's words.
func Changes(was, will []byte) []wire.MemberChange {
	d := differ{}
	d.values("", jsontext.Value(was), jsontext.Value(will))
	return d.found
}

type differ struct{ found []wire.MemberChange }

func (d *differ) add(where string, was, will jsontext.Value) {
	d.found = append(d.found, wire.MemberChange{Where: strings.TrimPrefix(where, "."), Was: shown(was), Will: shown(will)})
}

func shown(v jsontext.Value) string {
	text := string(v)
	if len(text) > maxShown {
		text = strings.ToValidUTF8(text[:maxShown], "") + "... (" + strconv.Itoa(len(v)) + " bytes)"
	}
	return text
}

// values compares two values; an absent one is empty.
func (d *differ) values(where string, was, will jsontext.Value) {
	before, after := canonical(was), canonical(will)
	if bytes.Equal(before, after) {
		return
	}
	if a, b := members(before), members(after); a != nil && b != nil {
		d.members(where, a, b)
		return
	}
	if a, b := byName(before), byName(after); a != nil && b != nil {
		d.members(where, a, b)
		return
	}
	d.add(where, before, after)
}

func (d *differ) members(where string, was, will map[string]jsontext.Value) {
	names := slices.AppendSeq(slices.Collect(maps.Keys(was)), maps.Keys(will))
	slices.Sort(names)
	for _, name := range slices.Compact(names) {
		d.values(where+"."+name, was[name], will[name])
	}
}

// canonical is a value in its one form; invalid JSON stays as it is.
func canonical(v jsontext.Value) jsontext.Value {
	out := v.Clone()
	if out.Canonicalize() != nil {
		return v
	}
	return out
}

// members are those of an object, else nil.
func members(v jsontext.Value) map[string]jsontext.Value {
	var out map[string]jsontext.Value
	if v.Kind() != '{' || jsonv2.Unmarshal(v, &out) != nil {
		return nil
	}
	return out
}

// byName are the elements of a list of objects with distinct names, else nil.
func byName(v jsontext.Value) map[string]jsontext.Value {
	var list []jsontext.Value
	if v.Kind() != '[' || jsonv2.Unmarshal(v, &list) != nil {
		return nil
	}
	out := map[string]jsontext.Value{}
	for _, element := range list {
		var name string
		if m := members(element); m == nil || jsonv2.Unmarshal(m["name"], &name) != nil || name == "" || out[name] != nil {
			return nil
		}
		out[name] = element
	}
	return out
}

// grantChanges tells how one grant differs from another, member by member.
func grantChanges(was, will wire.Grant) []wire.MemberChange {
	before, err := jsonv2.Marshal(was)
	if err != nil {
		return []wire.MemberChange{{Where: "grant", Was: err.Error()}} // cannot be: texts and booleans
	}
	after, err := jsonv2.Marshal(will)
	if err != nil {
		return []wire.MemberChange{{Where: "grant", Will: err.Error()}}
	}
	return Changes(before, after)
}
