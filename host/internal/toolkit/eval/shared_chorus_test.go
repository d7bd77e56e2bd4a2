package eval_test

func chorusActions(c sharedCase) []trial {
	r := c.request(projectDir)
	r["op"] = "action"
	return []trial{{c.ID, r, func(got map[string]any) bool { return got["action"] == c.Action }}}
}

// chorusProfiles: a profile refused by Python has to be refused. The time of an answer is not
// measured here: engine/profile bounds it.
func chorusProfiles(c sharedCase) []trial {
	var expect string
	if !c.expects(&expect) {
		return c.never()
	}
	accept := append([]string{expect}, c.Accept...)
	r := map[string]any{"id": c.ID, "op": "profile", "profile": c.Profile, "action": c.Action}
	return []trial{{c.ID, r, func(got map[string]any) bool {
		if expect == "invalid" && got["error"] != nil {
			return true
		}
		return behaves(accept...)(got)
	}}}
}

func chorusPrefilter(c sharedCase) []trial {
	r := map[string]any{"id": c.ID, "op": "offered", "profile": c.Profile, "tool": c.Tool}
	return []trial{{c.ID, r, func(got map[string]any) bool {
		return got["offered"] == c.ExpectOffered || c.Soft && got["offered"] == true
	}}}
}
