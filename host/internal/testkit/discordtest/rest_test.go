package discordtest_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"mime/multipart"
	"net/http"
	"strings"
	"testing"

	"github.com/callgate/callgate/host/internal/testkit/discordtest"
)

// rest asks the API as a bot does; path begins behind the version.
func rest(t *testing.T, s *discordtest.Server, method, path, body string) (int, map[string]any) {
	t.Helper()
	status, data := request(t, s, method, "/api/v10"+path, "application/json", strings.NewReader(body))
	var out map[string]any
	if len(data) > 0 && data[0] == '{' {
		if err := json.Unmarshal(data, &out); err != nil {
			t.Fatalf("%s %s: %v: %s", method, path, err, data)
		}
	}
	return status, out
}

func request(t *testing.T, s *discordtest.Server, method, path, kind string, body io.Reader) (int, []byte) {
	t.Helper()
	req, err := http.NewRequestWithContext(within(t), method, s.URL()+path, body)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bot "+s.Token)
	req.Header.Set("User-Agent", "DiscordBot (https://example.org, 1)")
	req.Header.Set("Content-Type", kind)
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	data, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return resp.StatusCode, data
}

// form posts a message with files.
func form(t *testing.T, s *discordtest.Server, path, payload string, files map[string]string) (int, []byte) {
	t.Helper()
	var body bytes.Buffer
	w := multipart.NewWriter(&body)
	must(t, w.WriteField("payload_json", payload))
	for field, text := range files {
		part, err := w.CreateFormFile(field, "command.txt")
		must(t, err)
		_, err = io.WriteString(part, text)
		must(t, err)
	}
	must(t, w.Close())
	return request(t, s, http.MethodPost, "/api/v10"+path, w.FormDataContentType(), &body)
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func rows(components ...string) string {
	return `{"components":[{"type":1,"components":[` + strings.Join(components, ",") + `]}]}`
}

func button(members string) string { return `{"type":2,"style":2,` + members + `}` }

// Valid requests are accepted, and break no rule of Discord's document either.
func TestValid(t *testing.T) {
	t.Parallel()
	s := discordtest.Start(t, discordtest.Options{})
	alice := s.Person("alice")
	bodies := map[string]string{
		"text":         `{"content":"hello"}`,
		"2000":         `{"content":"` + strings.Repeat("é", 2000) + `"}`,
		"quiet":        `{"content":"hello","allowed_mentions":{"parse":[]},"flags":4}`,
		"nonce":        `{"content":"hello","nonce":"` + strings.Repeat("n", 25) + `","enforce_nonce":true}`,
		"five buttons": rows(button(`"label":"a","custom_id":"a"`), button(`"label":"b","custom_id":"b"`), button(`"label":"c","custom_id":"c"`), button(`"emoji":{"name":"✅"},"custom_id":"d"`), `{"type":2,"style":5,"label":"link","url":"https://example.org"}`),
		"menu":         rows(`{"type":3,"custom_id":"m","placeholder":"p","min_values":0,"max_values":2,"options":[{"label":"a","value":"a","description":"d","default":true},{"label":"b","value":"b"}]}`),
		"roles menu":   rows(`{"type":6,"custom_id":"m"}`),
	}
	for name, body := range bodies {
		status, m := rest(t, s, "POST", "/channels/"+s.Channel+"/messages", body)
		if status != 200 {
			t.Errorf("%s: HTTP %d %v", name, status, m)
			continue
		}
		if status, m := rest(t, s, "PATCH", "/channels/"+s.Channel+"/messages/"+m["id"].(string), body[:1]+strings.NewReplacer(`,"nonce":"`+strings.Repeat("n", 25)+`","enforce_nonce":true`, "").Replace(body[1:])); status != 200 {
			t.Errorf("edit to %s: HTTP %d %v", name, status, m)
		}
	}
	_, m := rest(t, s, "POST", "/channels/"+s.Channel+"/messages", `{"content":"react"}`)
	at := "/channels/" + s.Channel + "/messages/" + m["id"].(string)
	command := `{"name":"allow","description":"d","options":[{"type":1,"name":"add","description":"d","options":[{"type":3,"name":"rule","description":"d","required":true,"autocomplete":true}]}],"default_member_permissions":"0","contexts":[0],"integration_types":[0]}`
	inGuild := "/applications/" + s.Application + "/guilds/" + s.Guild + "/commands"
	for _, c := range []struct {
		method, path, body string
		status             int
	}{
		{"GET", "/gateway/bot", "", 200}, {"GET", "/users/@me", "", 200},
		{"GET", "/applications/@me", "", 200}, {"GET", "/oauth2/applications/@me", "", 200},
		{"GET", "/guilds/" + s.Guild, "", 200},
		{"GET", "/guilds/" + s.Guild + "/members/" + s.Bot, "", 200}, {"GET", "/guilds/" + s.Guild + "/members/" + alice.ID, "", 200},
		{"GET", "/guilds/" + s.Guild + "/members/1", "", 404}, {"GET", "/guilds/1", "", 404}, {"GET", "/channels/1", "", 404},
		{"GET", "/channels/" + s.Channel, "", 200},
		{"PUT", at + "/reactions/%E2%9C%85/@me", "", 204}, {"GET", at, "", 200}, {"GET", at + "/reactions/%E2%9C%85", "", 200},
		{"PUT", at + "/reactions/no/@me", "", 400},
		{"POST", "/channels/" + s.Channel + "/threads", `{"name":"session","type":11,"auto_archive_duration":1440}`, 201},
		{"POST", "/users/@me/channels", `{"recipient_id":"` + alice.ID + `"}`, 200}, {"POST", "/channels/" + alice.DM() + "/messages", `{"content":"hi"}`, 200},
		{"GET", "/channels/" + alice.DM(), "", 200},
		{"PUT", inGuild, "[" + command + "]", 200}, {"GET", inGuild, "", 200},
		{"PUT", "/applications/" + s.Application + "/commands", "[" + command + "]", 200},
		{"PUT", inGuild, "[]", 200},
		{"DELETE", at, "", 204}, {"GET", at, "", 404}, {"DELETE", at, "", 404}, {"PATCH", at, `{"content":"x"}`, 404},
	} {
		if status, body := rest(t, s, c.method, c.path, c.body); status != c.status {
			t.Errorf("%s %s: HTTP %d %v, want %d", c.method, c.path, status, body, c.status)
		}
	}
	for _, v := range s.TakeViolations() {
		t.Errorf("broken rule: %s", v)
	}
}

// Invalid requests are refused, and are violations, by Discord's document or only by
// experience.
func TestInvalid(t *testing.T) {
	t.Parallel()
	s := discordtest.Start(t, discordtest.Options{})
	long := func(n int) string { return strings.Repeat("x", n) }
	ok := button(`"label":"a","custom_id":"a"`)
	options := func(n int, same bool) string {
		var list []string
		for i := range n {
			if same {
				i = 0
			}
			list = append(list, fmt.Sprintf(`{"label":"l","value":"%d"}`, i))
		}
		return `"options":[` + strings.Join(list, ",") + `]`
	}
	for name, body := range map[string]string{
		"nothing":                      `{}`,
		"empty content":                `{"content":""}`,
		"content of 2001":              `{"content":"` + long(2001) + `"}`,
		"content of 1001 pairs":        `{"content":"` + strings.Repeat("😀", 1001) + `"}`,
		"content that is a number":     `{"content":5}`,
		"no JSON":                      `{"content":`,
		"six buttons":                  rows(ok, ok, ok, ok, ok, ok),
		"same custom_id":               rows(ok, ok),
		"no custom_id":                 rows(button(`"label":"a"`)),
		"custom_id of 101":             rows(button(`"label":"a","custom_id":"` + long(101) + `"`)),
		"label of 81":                  rows(button(`"custom_id":"a","label":"` + long(81) + `"`)),
		"no label":                     rows(button(`"custom_id":"a"`)),
		"style 9":                      rows(`{"type":2,"style":9,"label":"a","custom_id":"a"}`),
		"link with a custom_id":        rows(`{"type":2,"style":5,"label":"a","custom_id":"a"}`),
		"url of a plain button":        rows(button(`"custom_id":"a","label":"a","url":"https://example.org"`)),
		"button at the top":            `{"components":[` + ok + `]}`,
		"empty row":                    rows(),
		"row in a row":                 rows(`{"type":1,"components":[` + ok + `]}`),
		"six rows":                     `{"components":[` + strings.TrimSuffix(strings.Repeat(`{"type":1,"components":[{"type":2,"style":5,"label":"a","url":"https://example.org"}]},`, 6), ",") + `]}`,
		"menu beside a button":         rows(ok, `{"type":3,"custom_id":"m",`+options(1, false)+`}`),
		"menu without options":         rows(`{"type":3,"custom_id":"m",` + options(0, false) + `}`),
		"26 options":                   rows(`{"type":3,"custom_id":"m",` + options(26, false) + `}`),
		"same value":                   rows(`{"type":3,"custom_id":"m",` + options(2, true) + `}`),
		"option of 101":                rows(`{"type":3,"custom_id":"m","options":[{"label":"` + long(101) + `","value":"v"}]}`),
		"value of 101":                 rows(`{"type":3,"custom_id":"m","options":[{"value":"` + long(101) + `","label":"v"}]}`),
		"description of 101":           rows(`{"type":3,"custom_id":"m","options":[{"description":"` + long(101) + `","value":"v","label":"v"}]}`),
		"placeholder of 151":           rows(`{"type":3,"custom_id":"m","placeholder":"` + long(151) + `",` + options(1, false) + `}`),
		"more values than options":     rows(`{"type":3,"custom_id":"m","max_values":2,` + options(1, false) + `}`),
		"input in a message":           rows(`{"type":4,"style":1,"label":"a","custom_id":"a"}`),
		"unknown component":            rows(`{"type":99}`),
		"an embed":                     `{"embeds":[{"title":"t"}]}`,
		"components V2":                `{"components":[{"type":10,"content":"text"}],"flags":32768}`,
		"ephemeral post":               `{"content":"x","flags":64}`,
		"nonce of 26":                  `{"content":"x","nonce":"` + long(26) + `"}`,
		"enforce without nonce":        `{"content":"x","enforce_nonce":true}`,
		"parse null":                   `{"content":"x","allowed_mentions":{"parse":null}}`,
		"parse of everything":          `{"content":"x","allowed_mentions":{"parse":["all"]}}`,
		"users twice":                  `{"content":"x","allowed_mentions":{"parse":["users"],"users":["123456789012345678"]}}`,
		"attachment that is not there": `{"content":"x","attachments":[{"id":0,"filename":"a"}]}`,
	} {
		t.Run(name, func(t *testing.T) {
			status, answer := rest(t, s, "POST", "/channels/"+s.Channel+"/messages", body)
			if status != 400 {
				t.Errorf("HTTP %d %v, want 400", status, answer)
			}
			if len(s.TakeViolations()) == 0 {
				t.Error("no violation was written down")
			}
		})
	}
	// Discord accepts these, and a bot sending them errs all the same.
	for name, body := range map[string]string{
		"unknown member":       `{"content":"x","contents":"y"}`,
		"member of discordgo":  `{"content":"x","ID":"1","Channel":"2"}`,
		"misspelt in a button": rows(button(`"label":"a","custom_id":"a","disable":true`)),
		"a member twice":       `{"content":"x","content":"y"}`,
	} {
		t.Run(name, func(t *testing.T) {
			if status, answer := rest(t, s, "POST", "/channels/"+s.Channel+"/messages", body); status != 200 {
				t.Errorf("HTTP %d %v, want 200", status, answer)
			}
			if len(s.TakeViolations()) == 0 {
				t.Error("no violation was written down")
			}
		})
	}
	for name, body := range map[string]string{
		"upper case":       `[{"name":"Allow","description":"d"}]`,
		"space":            `[{"name":"al low","description":"d"}]`,
		"no description":   `[{"name":"allow","description":""}]`,
		"twice":            `[{"name":"allow","description":"d"},{"name":"allow","description":"d"}]`,
		"required last":    `[{"name":"allow","description":"d","options":[{"type":3,"name":"a","description":"d"},{"type":3,"name":"b","description":"d","required":true}]}]`,
		"mixed":            `[{"name":"allow","description":"d","options":[{"type":3,"name":"a","description":"d"},{"type":1,"name":"b","description":"d"}]}]`,
		"choices and more": `[{"name":"allow","description":"d","options":[{"type":3,"name":"a","description":"d","autocomplete":true,"choices":[{"name":"a","value":"a"}]}]}]`,
		"nested too deep":  `[{"name":"allow","description":"d","options":[{"type":1,"name":"a","description":"d","options":[{"type":1,"name":"b","description":"d"}]}]}]`,
	} {
		t.Run("command "+name, func(t *testing.T) {
			if status, answer := rest(t, s, "PUT", "/applications/"+s.Application+"/commands", body); status != 400 {
				t.Errorf("HTTP %d %v, want 400", status, answer)
			}
			if len(s.TakeViolations()) == 0 {
				t.Error("no violation was written down")
			}
		})
	}
}

// Requests a bot should not make: a missing endpoint, an old version, no name of its own.
func TestStrange(t *testing.T) {
	t.Parallel()
	s := discordtest.Start(t, discordtest.Options{})
	for _, path := range []string{"/api/v8/gateway", "/gateway", "/api/v10/nothing", "/api/v10/channels/1/2/3"} {
		if status, _ := request(t, s, "GET", path, "application/json", nil); status != 404 {
			t.Errorf("%s: HTTP %d", path, status)
		}
		if len(s.TakeViolations()) == 0 {
			t.Errorf("%s: no violation", path)
		}
	}
	if status, _ := request(t, s, "GET", "/api/v9/users/@me", "application/json", nil); status != 200 {
		t.Errorf("version 9: HTTP %d", status)
	}
}
