package cases

import (
	"encoding/json"

	"github.com/callgate/callgate/host/internal/modules/trial"
)

// Case is one call of a tool and the module's expected answer.
type Case struct {
	// Name is unique in its file; File and Line say where it stands.
	Name string
	File string
	Line int
	Call trial.Call

	// mustFail: every export must fail.
	mustFail                           bool
	check, readOnly, suggest, describe *want
	match                              []*want // one for each set of Call.Rules
}

// want is a case's expectation of one answer.
type want struct {
	// failure: the export must give no answer.
	failure bool
	// members are those compared of the answer, in the order of names.
	names   []string
	members map[string]json.RawMessage
	// rules, of generate_suggestions, are compared one by one.
	rules []suggestion
	list  bool // rules counts, also when it is empty
}

// suggestion is a case's expectation of one suggested rule: of some members, a content at
// least.
type suggestion map[string]json.RawMessage

// Silent reports whether the case expects nothing, so it cannot fail.
func (c Case) Silent() bool {
	return !c.mustFail && c.check == nil && c.readOnly == nil && c.suggest == nil && c.describe == nil && len(c.match) == 0
}
