package card

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/callgate/callgate/host/internal/approval/ask"
	"github.com/callgate/callgate/host/internal/text/strictjson"
)

// ErrNotEditable means that a person would not see all of the input's text, or its client takes no other.
var ErrNotEditable = errors.New("the input cannot be changed here")

// ErrUnchanged means that the edited text is the one before.
var ErrUnchanged = errors.New("nothing was changed")

// Edit is an input as a text to be changed by a person.
type Edit struct {
	// Text is the command, or the whole input as JSON where JSON is set.
	Text string
	JSON bool
	in   json.RawMessage
}

// CanEdit reports whether an approval of the ask may change its input: one person approves it,
// and its client takes another input.
func CanEdit(a ask.Ask) bool {
	return a.State == ask.Shown && a.TakesInput && a.Input != nil && !a.Approvers.NobodyApproves(a.User) && a.Approvers.Quorum() < 2
}

// EditOf makes the text. One with characters that hide or mislead is ErrNotEditable: it would
// be approved without being seen.
func EditOf(a ask.Ask) (Edit, error) {
	if !CanEdit(a) {
		return Edit{}, fmt.Errorf("%w: its client takes no other, or several have to approve it", ErrNotEditable)
	}
	if !Plain(a.Input) {
		return Edit{}, fmt.Errorf("%w: some of its characters hide or mislead", ErrNotEditable)
	}
	e := Edit{in: a.Input}
	if v := verbs[a.Tool]; v.subject == "command" {
		if text, ok := InputOf(a).only("command"); ok && strings.TrimSpace(text) == text && text != "" {
			e.Text = text
			return e, nil
		}
	}
	var out bytes.Buffer
	if err := json.Indent(&out, a.Input, "", "  "); err != nil {
		return Edit{}, fmt.Errorf("%w: %w", ErrNotEditable, err)
	}
	e.Text, e.JSON = out.String(), true
	return e, nil
}

// Input is the whole input with the changed text in place of the one before. ErrUnchanged where
// it is the same; other errors say what is no JSON object.
func (e Edit) Input(text string) (json.RawMessage, error) {
	text = strings.TrimSpace(strings.ReplaceAll(text, "\r\n", "\n"))
	switch {
	case text == e.Text:
		return nil, ErrUnchanged
	case e.JSON:
		return strictjson.Object([]byte(text))
	}
	var all map[string]json.RawMessage
	if err := json.Unmarshal(e.in, &all); err != nil {
		return nil, err
	}
	command, err := json.Marshal(text)
	if err != nil {
		return nil, err
	}
	all["command"] = command
	return json.Marshal(all)
}
