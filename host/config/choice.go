package config

import "strings"

// Choice is a text that changes when the file gives an agent another profile: the
// name of one, or the lists that stand in place of a name; empty for none. Other
// lists under the same name are the same choice.
func (p *AgentProfile) Choice() string {
	switch {
	case p == nil:
		return ""
	case p.other != nil:
		one := *p
		one.other = nil
		return one.Choice() + " and " + p.other.Choice()
	}
	text := p.name
	if strings.HasSuffix(text, ".profile") { // the place of lists, see compile
		text = p.text()
	}
	if p.limits {
		text = "limits of " + text
	}
	return text
}
