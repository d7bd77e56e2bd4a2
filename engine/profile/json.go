package profile

import (
	"encoding/json"
	"fmt"
)

// UnmarshalJSON implements json.Unmarshaler. It is strict where Python is: a
// pattern must be a string, null is none, and unknown members are errors.
func (p *Profile) UnmarshalJSON(data []byte) error {
	var members map[string]json.RawMessage
	if err := json.Unmarshal(data, &members); err != nil {
		return fmt.Errorf("profile: want an object with the lists allow and ask: %w", err)
	}
	out := Profile{}
	lists := map[string]*[]string{"allow": &out.Allow, "ask": &out.Ask, "deny": &out.Deny}
	for name, value := range members {
		list, known := lists[name]
		var err error
		switch {
		case name == "name":
			err = json.Unmarshal(value, &out.Name)
		case known:
			*list, err = readPatterns(name, value)
		default:
			err = fmt.Errorf("unknown member %q: want allow, ask, deny or name", name)
		}
		if err != nil {
			return fmt.Errorf("profile: %w", err)
		}
	}
	*p = out
	return nil
}

func readPatterns(list string, value json.RawMessage) ([]string, error) {
	var items []*string
	if err := json.Unmarshal(value, &items); err != nil {
		return nil, fmt.Errorf("%s: want a list of patterns: %w", list, err)
	}
	out := make([]string, len(items))
	for i, item := range items {
		if item == nil {
			return nil, fmt.Errorf("%s[%d]: null: a pattern must be a string", list, i)
		}
		out[i] = *item
	}
	return out, nil
}
