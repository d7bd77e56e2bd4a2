package discord

import (
	"strings"
	"testing"

	"github.com/callgate/callgate/host/internal/discord/message"
	"github.com/callgate/callgate/host/internal/store"
)

// Who clicks is told when Discord does not say who they are, or the click cannot be read;
// the audit has a row of it, and nothing is decided.
func TestDamaged(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		change func(map[string]any)
		says   string
	}{
		"no member":        {func(i map[string]any) { delete(i, "member"); delete(i, "user") }, "did not say who you are"},
		"an empty member":  {func(i map[string]any) { i["member"] = map[string]any{} }, "did not say who you are"},
		"no id":            {func(i map[string]any) { i["member"].(map[string]any)["user"] = map[string]any{"id": "../x"} }, "did not say who you are"},
		"a member no more": {func(i map[string]any) { i["member"] = "ann" }, "not understood"},
		"odd data":         {func(i map[string]any) { i["data"].(map[string]any)["values"] = 5 }, "not understood"},
		"odd message":      {func(i map[string]any) { i["message"] = []int{1} }, "not understood"},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, usual)
			_, a, m := w.posed("npm ci")
			seen, err := w.server.Forge(w.context(), w.ann.ID, m.ChannelID, m.ID, w.customID(a, "approve"), tt.change)
			must(t, err)
			if seen.Message == nil || seen.Message.For != w.ann.ID || !strings.Contains(seen.Message.Content, tt.says) {
				t.Errorf("ann sees %s", seen.Message)
			}
			w.undecided(a)
			if rows := w.rows(store.EventAnswerRefused); len(rows) != 1 || rows[0].AskID != a.ID {
				t.Errorf("the audit has %+v", rows)
			}
		})
	}
}

// What cannot be read and is another gate's, or says of nothing whose it is, is left alone.
func TestDamaged_notOurs(t *testing.T) {
	w := newWorld(t, usual)
	_, a, m := w.posed("npm ci")
	w.server.Dispatch("INTERACTION_CREATE", strings.Replace(interaction(t, w, m, "g1|other|"+a.ID+"|approve"), `"data":{`, `"data":{"values":5,`, 1))
	_, err := w.ann.Select(w.context(), m.ID, message.ValueReason) // what came before is dealt with
	must(t, err)
	w.undecided(a)
	for _, r := range w.server.Requests("POST", "/interactions/{interaction_id}/{interaction_token}/callback") {
		if strings.Contains(string(r.Body), "understood") {
			t.Errorf("it was answered: %s", r.Body)
		}
	}
	if rows := w.rows(store.EventAnswerRefused); len(rows) != 0 {
		t.Errorf("the audit has %+v", rows)
	}
}
