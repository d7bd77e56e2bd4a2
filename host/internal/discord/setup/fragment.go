package setup

import (
	"fmt"
	"slices"
	"strings"

	"github.com/callgate/callgate/host/internal/text/yamltext"
)

// Choice are a person's choices in the setup of Discord. Empty ones are left out.
type Choice struct {
	// TokenFile is absolute or ~/...; APIURL is for another server than Discord's own.
	TokenFile, APIURL string
	// Server and Channel are ids; Agent is the agent with cards in Channel, empty for every
	// agent's.
	Server, Channel, Agent string
	// People are accounts by the names of people.
	People map[string]string
}

// Fragment is the choice as it stands in an empty configuration file; empty when
// nothing was chosen.
func (c Choice) Fragment() string {
	var w strings.Builder
	if c.Server+c.TokenFile+c.APIURL != "" {
		w.WriteString("discord:\n")
		for _, key := range [][2]string{{"token_file", c.TokenFile}, {"server", c.Server}, {"api_url", c.APIURL}} {
			if key[1] != "" {
				fmt.Fprintf(&w, "  %s: %s\n", key[0], yamltext.Quote(key[1]))
			}
		}
	}
	switch {
	case c.Channel == "":
	case c.Agent == "":
		fmt.Fprintf(&w, "defaults:\n  discord:\n    channel: %s\n", yamltext.Quote(c.Channel))
	default:
		fmt.Fprintf(&w, "agents:\n  %s:\n    discord:\n      channel: %s\n", yamltext.Key(c.Agent), yamltext.Quote(c.Channel))
	}
	var names []string
	for name := range c.People {
		names = append(names, name)
	}
	slices.Sort(names)
	for i, name := range names {
		if i == 0 {
			w.WriteString("people:\n")
		}
		fmt.Fprintf(&w, "  %s:\n    discord: %s\n", yamltext.Key(name), yamltext.Quote(c.People[name]))
	}
	return w.String()
}
