package discordtest_test

import (
	"encoding/json"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/callgate/callgate/host/internal/testkit/discordtest"
)

// The bot's permissions in each channel follow roles and overwrites, with the right code for a
// refusal.
func TestPermissions(t *testing.T) {
	t.Parallel()
	const usual = discordtest.BotPermissions
	for name, c := range map[string]struct {
		permissions int64
		allow, deny int64
		method      string
		path, body  string
		code        float64 // 0 for success
	}{
		"usual":              {usual, 0, 0, "POST", "/messages", `{"content":"x"}`, 0},
		"hidden":             {usual, 0, discordtest.PermViewChannel, "POST", "/messages", `{"content":"x"}`, 50001},
		"hidden, reading":    {usual, 0, discordtest.PermViewChannel, "GET", "", "", 50001},
		"mute":               {usual, 0, discordtest.PermSendMessages, "POST", "/messages", `{"content":"x"}`, 50013},
		"allowed by channel": {discordtest.PermEmbedLinks, discordtest.PermSendMessages, 0, "POST", "/messages", `{"content":"x"}`, 0},
		"administrator":      {discordtest.PermAdministrator, 0, discordtest.PermSendMessages, "POST", "/messages", `{"content":"x"}`, 0},
		"no history":         {usual, 0, discordtest.PermReadHistory, "GET", "/messages/MESSAGE", "", 50013},
		"no reactions":       {usual, 0, discordtest.PermAddReactions, "PUT", "/messages/MESSAGE/reactions/%E2%9C%85/@me", "", 50013},
		"no threads":         {usual, 0, discordtest.PermCreatePublicThreads, "POST", "/threads", `{"name":"x","type":11}`, 50013},
		"delete another's":   {usual, 0, 0, "DELETE", "/messages/MESSAGE", "", 50013},
		"manage messages":    {usual, discordtest.PermManageMessages, 0, "DELETE", "/messages/MESSAGE", "", 0},
		"edit another's":     {usual, 0, 0, "PATCH", "/messages/MESSAGE", `{"content":"x"}`, 50005},
		"no such message":    {usual, 0, 0, "GET", "/messages/1", "", 10008},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := discordtest.Start(t, discordtest.Options{Permissions: c.permissions})
			everyone := int64(discordtest.PermViewChannel | discordtest.PermReadHistory)
			s.SetRole(s.Guild, s.Guild, everyone, false)
			id, err := s.As(s.Owner).Write(s.Channel, "hello")
			must(t, err)
			s.Overwrite(s.Channel, s.BotRole, c.allow, c.deny)
			status, body := rest(t, s, c.method, "/channels/"+s.Channel+strings.Replace(c.path, "MESSAGE", id, 1), c.body)
			if c.code == 0 && status >= 300 || c.code != 0 && (body["code"] != c.code || status < 400) {
				t.Errorf("HTTP %d %v, want code %v", status, body, c.code)
			}
		})
	}
}

// Unexpected places for a bot.
func TestPlaces(t *testing.T) {
	t.Parallel()
	clock := newClock()
	s := discordtest.Start(t, discordtest.Options{Now: clock.now})
	alice := s.Person("alice")
	post := func(channel string) any {
		_, body := rest(t, s, "POST", "/channels/"+channel+"/messages", `{"content":"x"}`)
		return body["code"]
	}
	s.SetChannel(s.Channel, 0, 10)
	if first, second := post(s.Channel), post(s.Channel); first != nil || second != 20016.0 {
		t.Errorf("slow mode: %v, %v", first, second)
	}
	clock.add(10 * time.Second)
	if got := post(s.Channel); got != nil {
		t.Errorf("after ten seconds: %v", got)
	}
	s.SetChannel(s.Channel, 4, 0)
	if got := post(s.Channel); got != 50008.0 {
		t.Errorf("a category: %v", got)
	}
	s.SetChannel(s.Channel, 0, 0)
	_, thread := rest(t, s, "POST", "/channels/"+s.Channel+"/threads", `{"name":"x","type":11}`)
	s.ArchiveThread(thread["id"].(string), false)
	if got := post(thread["id"].(string)); got != nil {
		t.Errorf("an archived thread: %v", got)
	}
	s.ArchiveThread(thread["id"].(string), true)
	if got := post(thread["id"].(string)); got != 50083.0 {
		t.Errorf("a locked thread: %v", got)
	}
	s.RefuseDMs(alice.ID)
	if got := post(alice.DM()); got != 50007.0 {
		t.Errorf("somebody who takes no messages: %v", got)
	}
	s.DeleteChannel(s.Channel)
	if got := post(s.Channel); got != 10003.0 {
		t.Errorf("a deleted channel: %v", got)
	}
	s.RemoveMember(s.Guild, s.Bot)
	if status, _ := rest(t, s, "GET", "/guilds/"+s.Guild, ""); status != 403 {
		t.Errorf("a guild that the bot left: HTTP %d", status)
	}
	s.SetPortal(discordtest.Portal{VerifyKey: "00", CodeGrant: true})
	if _, app := rest(t, s, "GET", "/applications/@me", ""); app["verify_key"] != "00" || app["bot_require_code_grant"] != true || app["bot_public"] != false {
		t.Errorf("the application is %v", app)
	}
}

// Who is pinged: named outside code, let through by allowed_mentions, and a role only if
// it may be.
func TestPings(t *testing.T) {
	t.Parallel()
	s := discordtest.Start(t, discordtest.Options{})
	alice := s.Person("alice")
	open := s.AddRole(s.Guild, "open", 0)
	s.SetRole(s.Guild, open, 0, true)
	closed := s.AddRole(s.Guild, "closed", 0)
	user, role := "<@"+alice.ID+">", "<@&"+open+">"
	for name, c := range map[string]struct {
		content, allowed string
		users, roles     bool
		everyone         bool
	}{
		"plain":             {user + role + "@everyone", `null`, true, true, false}, // the bot may not mention everybody
		"parse nothing":     {user + role + "@here", `{"parse":[]}`, false, false, false},
		"by id":             {user + role, `{"parse":[],"roles":["` + open + `"]}`, false, true, false},
		"by kind":           {user + role, `{"parse":["users"]}`, true, false, false},
		"fence":             {"```\n" + user + "\n```", `null`, false, false, false},
		"fence with colour": {"```ansi\n" + user + "\n```", `null`, false, false, false},
		"open fence":        {"```\n" + user, `null`, true, false, false},
		"broken fence":      {"```\na\n```" + user + "```", `null`, true, false, false},
		"inline":            {"`" + user + "` ``a`" + user + "``", `null`, false, false, false},
		"open inline":       {"``" + user + "`", `null`, true, false, false},
		"escaped":           {`\` + user, `null`, false, false, false},
		"escaped tick":      {"\\`" + user + "`", `null`, true, false, false},
		"nickname":          {"<@!" + alice.ID + ">", `null`, true, false, false},
		"closed role":       {"<@&" + closed + ">", `null`, false, false, false},
	} {
		t.Run(name, func(t *testing.T) {
			data, err := json.Marshal(map[string]any{"content": c.content, "allowed_mentions": json.RawMessage(c.allowed)})
			must(t, err)
			status, body := rest(t, s, "POST", "/channels/"+s.Channel+"/messages", string(data))
			if status != 200 {
				t.Fatalf("HTTP %d %v", status, body)
			}
			m, _ := s.Message(body["id"].(string))
			if slices.Contains(m.Pings.Users, alice.ID) != c.users || slices.Contains(m.Pings.Roles, open) != c.roles ||
				m.Pings.Everyone != c.everyone || slices.Contains(m.Pings.Roles, closed) {
				t.Errorf("%q pings %+v", c.content, m.Pings)
			}
		})
	}
}

// An enforced nonce posts once, for some minutes; any other does not.
func TestNonce(t *testing.T) {
	t.Parallel()
	clock := newClock()
	s := discordtest.Start(t, discordtest.Options{Now: clock.now})
	post := func(body string) string {
		t.Helper()
		status, m := rest(t, s, "POST", "/channels/"+s.Channel+"/messages", body)
		if status != 200 {
			t.Fatalf("HTTP %d %v", status, m)
		}
		return m["id"].(string)
	}
	const enforced = `{"content":"x","nonce":"n","enforce_nonce":true}`
	first := post(enforced)
	if again := post(enforced); again != first {
		t.Error("posted twice")
	}
	if other := post(`{"content":"x","nonce":"n"}`); other == first {
		t.Error("a nonce that is not enforced was")
	}
	clock.add(6 * time.Minute)
	if later := post(enforced); later == first {
		t.Error("a nonce was remembered for six minutes")
	}
}

// Files are kept unchanged, with an edit that says so, and returned by their URL.
func TestAttachments(t *testing.T) {
	t.Parallel()
	s := discordtest.Start(t, discordtest.Options{})
	path := "/channels/" + s.Channel + "/messages"
	status, data := form(t, s, path, `{"content":"x","attachments":[{"id":0,"filename":"command.txt"}]}`, map[string]string{"files[0]": "rm -rf"})
	if status != 200 {
		t.Fatalf("HTTP %d %s", status, data)
	}
	var m struct {
		ID          string
		Attachments []struct{ ID, URL string }
	}
	must(t, json.Unmarshal(data, &m))
	if got, _ := s.Message(m.ID); len(got.Attachments) != 1 || string(got.Attachments[0].Data) != "rm -rf" || got.Attachments[0].Name != "command.txt" {
		t.Errorf("attachments %+v", got.Attachments)
	}
	resp, err := http.Get(m.Attachments[0].URL) //nolint:noctx // on loopback, ends with the server
	must(t, err)
	text, err := io.ReadAll(resp.Body)
	must(t, err)
	must(t, resp.Body.Close())
	if string(text) != "rm -rf" {
		t.Errorf("the URL gives %q", text)
	}
	for _, c := range []struct {
		body string
		left int
	}{
		{`{"content":"y"}`, 1}, {`{"attachments":[{"id":"` + m.Attachments[0].ID + `"}]}`, 1}, {`{"attachments":[]}`, 0},
	} {
		if status, body := rest(t, s, "PATCH", path+"/"+m.ID, c.body); status != 200 || len(body["attachments"].([]any)) != c.left {
			t.Errorf("%s: HTTP %d, %v", c.body, status, body["attachments"])
		}
	}
	if status, _ := form(t, s, path, `{"content":"x"}`, map[string]string{"file": "x"}); status != 400 || len(s.TakeViolations()) == 0 {
		t.Errorf("a file in a part of another name: HTTP %d", status)
	}
	s.Overwrite(s.Channel, s.Bot, 0, discordtest.PermAttachFiles)
	if status, _ := form(t, s, path, `{"content":"x"}`, map[string]string{"files[0]": "x"}); status != 403 {
		t.Errorf("without the permission: HTTP %d", status)
	}
}
