package link

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/bwmarrin/discordgo"
)

// Symptom: definitions of commands had null members, of which Discord documents none.
func TestDefinitions(t *testing.T) {
	t.Parallel()
	zero := int64(0)
	list, err := definitions([]*discordgo.ApplicationCommand{{Name: "asks", DefaultMemberPermissions: &zero, Options: []*discordgo.ApplicationCommandOption{{Name: "id", Type: 3}}}})
	if err != nil {
		t.Fatal(err)
	}
	text, err := json.Marshal(list)
	if err != nil || strings.Contains(string(text), "null") || !strings.Contains(string(text), `"name":"id"`) || !strings.Contains(string(text), `"default_member_permissions":"0"`) {
		t.Errorf("got %s, %v", text, err)
	}
	if none, err := definitions(nil); err != nil || none == nil || len(none) > 0 {
		t.Errorf("got %v, %v, want an empty list", none, err)
	}
}
