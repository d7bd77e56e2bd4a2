package discordfacts_test

import (
	"os"
	"strings"
	"testing"

	"github.com/callgate/callgate/host/internal/testkit/discordfacts"
	"github.com/callgate/callgate/host/internal/testkit/repo"
)

const messages = "/channels/{channel_id}/messages"

// TestEveryRouteCompiles: no row refers to a missing schema.
func TestEveryRouteCompiles(t *testing.T) {
	t.Parallel()
	table := load(t)
	text, err := os.ReadFile(repo.File("testdata/discord/routes.tsv"))
	if err != nil {
		t.Fatal(err)
	}
	routes := 0
	for line := range strings.Lines(string(text)) {
		cells := strings.Split(line, "\t")
		if strings.HasPrefix(line, "#") {
			continue
		}
		routes++
		if _, err := table.Request(cells[0], cells[1]); err != nil {
			t.Errorf("%s %s: %v", cells[0], cells[1], err)
		}
		for _, status := range []int{404, 429} {
			if s, err := table.Answer(cells[0], cells[1], status); err != nil || s == nil {
				t.Errorf("%s %s: %d: %v, %v", cells[0], cells[1], status, s, err)
			}
		}
	}
	if routes < 40 {
		t.Errorf("%d routes", routes)
	}
}

// TestLimitsHold: the tables refuse everything Discord's description refuses.
func TestLimitsHold(t *testing.T) {
	t.Parallel()
	post, err := load(t).Request("POST", messages)
	if err != nil {
		t.Fatal(err)
	}
	message, err := load(t).Answer("POST", messages, 200)
	if err != nil {
		t.Fatal(err)
	}
	cases := map[string]struct {
		schema *discordfacts.Schema
		text   string
		fits   bool
	}{
		"content":             {post, `{"content":"` + strings.Repeat("x", 4000) + `"}`, true},
		"content too long":    {post, `{"content":"` + strings.Repeat("x", 4001) + `"}`, false},
		"too many embeds":     {post, `{"embeds":[` + strings.Repeat("{},", 10) + `{}]}`, false},
		"button":              {post, `{"components":[{"type":1,"components":[{"type":2,"style":1,"custom_id":"x"}]}]}`, true},
		"no such style":       {post, `{"components":[{"type":1,"components":[{"type":2,"style":9,"custom_id":"x"}]}]}`, false},
		"nothing that it has": {message, `{}`, false},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if err := c.schema.Validate([]byte(c.text)); (err == nil) != c.fits {
				t.Errorf("got %v, want fits %t", err, c.fits)
			}
		})
	}
}

// TestUnknown: an entry missing in the tables is an error, not a pass.
func TestUnknown(t *testing.T) {
	t.Parallel()
	table := load(t)
	if table.Has("POST", "/nowhere") || !table.Has("POST", messages) {
		t.Error("wrong routes")
	}
	if s, err := table.Request("POST", "/nowhere"); err == nil {
		t.Errorf("got %v", s)
	}
	if s, err := table.Answer("POST", messages, 302); err == nil {
		t.Errorf("got %v", s)
	}
}

func load(t *testing.T) *discordfacts.Table {
	t.Helper()
	table, err := discordfacts.Load()
	if err != nil {
		t.Fatal(err)
	}
	return table
}
