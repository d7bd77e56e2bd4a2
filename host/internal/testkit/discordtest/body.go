package discordtest

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	jsonv2 "github.com/go-json-experiment/json"
)

// messageBody is the body of posts, edits, follow-ups and callbacks.
type messageBody struct {
	Content    *string           `json:"content"`
	Embeds     []json.RawMessage `json:"embeds"`
	Components []Component       `json:"components"`
	Mentions   *allowedMentions  `json:"allowed_mentions"`
	Flags      int               `json:"flags"`
	Attached   []attachmentBody  `json:"attachments"`
	Reference  *referenceBody    `json:"message_reference"`
	Nonce      any               `json:"nonce"`
	Enforce    bool              `json:"enforce_nonce"`
	TTS        bool              `json:"tts"`
	Stickers   []string          `json:"sticker_ids"`
	Poll       json.RawMessage   `json:"poll"`

	present map[string]bool // the members present, null or not
	files   []upload
}

type attachmentBody struct {
	ID          any     `json:"id"` // a number for a new file, a snowflake for a kept one
	Filename    string  `json:"filename"`
	Description *string `json:"description"`
	// Members that come back with a kept attachment.
	Size        int    `json:"size"`
	URL         string `json:"url"`
	ProxyURL    string `json:"proxy_url"`
	ContentType string `json:"content_type"`
	Ephemeral   bool   `json:"ephemeral"`
}

type referenceBody struct {
	Type    int    `json:"type"`
	Message string `json:"message_id"`
	Channel string `json:"channel_id"`
	Guild   string `json:"guild_id"`
	Fail    *bool  `json:"fail_if_not_exists"`
}

type allowedMentions struct {
	Parse   *[]string `json:"parse"`
	Roles   []string  `json:"roles"`
	Users   []string  `json:"users"`
	Replied bool      `json:"replied_user"`
}

// The members for each kind of call. Discord ignores others, and so hides slips: here they are
// violations.
var (
	editMembers     = []string{"content", "embeds", "components", "allowed_mentions", "flags", "attachments"}
	createMembers   = append([]string{"message_reference", "nonce", "enforce_nonce", "tts", "sticker_ids", "poll"}, editMembers...)
	followUpMembers = append([]string{"tts", "poll", "username", "avatar_url", "thread_name", "applied_tags"}, editMembers...)
	callbackMembers = append([]string{"tts", "poll"}, editMembers...)
)

// decode reads JSON strictly: a member twice, an unknown one, or text not in UTF-8 is a
// violation; only unreadable JSON is an error. RATIONALE.md, "Why does the fake Discord parse
// strictly by itself?".
func (s *Server) decode(c *call, data []byte, into any) *answer {
	if len(data) == 0 {
		data = []byte("{}")
	}
	strict := jsonv2.Unmarshal(data, into, jsonv2.RejectUnknownMembers(true))
	if strict == nil {
		return nil
	}
	s.violate("%s %s: %v: %.300s", c.method, c.route, strict, data)
	if err := json.Unmarshal(data, into); err != nil {
		return fail(400, 50035, "Invalid Form Body")
	}
	return nil
}

// decodeMessage reads a message's JSON; members are the permitted ones.
func (s *Server) decodeMessage(c *call, data []byte, members []string) (*messageBody, *answer) {
	if len(data) == 0 {
		data = []byte("{}")
	}
	b := &messageBody{present: map[string]bool{}, files: c.files}
	var raw map[string]json.RawMessage
	if err := json.Unmarshal(data, &raw); err != nil {
		s.violate("%s %s: %v", c.method, c.route, err)
		return nil, fail(400, 50035, "Invalid Form Body")
	}
	for name := range raw {
		b.present[name] = true
		if !slices.Contains(members, name) {
			s.violate("%s %s: the member %q does not belong there", c.method, c.route, name)
			delete(raw, name)
		}
	}
	if len(raw) != len(b.present) {
		data, _ = json.Marshal(raw) // it was JSON before
	}
	return b, s.decode(c, data, b)
}

// invalid records the defects of a request and refuses it as Discord does.
func (s *Server) invalid(c *call, problems []string) *answer {
	errors := object{}
	for _, p := range problems {
		s.violate("%s %s: %s", c.method, c.route, p)
		field, text, _ := strings.Cut(p, ": ")
		errors[field] = object{"_errors": []object{{"code": "INVALID", "message": text}}}
	}
	a := fail(400, 50035, "Invalid Form Body")
	a.body.(object)["errors"] = errors
	return a
}

// problems gathers defects, each as "field: what".
type problems []string

func (p *problems) add(wrong bool, format string, args ...any) {
	if wrong {
		*p = append(*p, fmt.Sprintf(format, args...))
	}
}
