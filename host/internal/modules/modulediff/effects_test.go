package modulediff

import (
	"fmt"
	"testing"

	"github.com/callgate/callgate/host/internal/modules/sandbox"
	"github.com/callgate/callgate/host/internal/modules/trial"
	"github.com/callgate/callgate/host/internal/store/history"
)

// TestEffects: a version that names fewer effects of a call lets more happen, and the report
// says so; one that names more is stricter.
func TestEffects(t *testing.T) {
	t.Parallel()
	described := func(members string) answers {
		a := trial.Answer{Verb: sandbox.DescribeCall}
		a.Output = []byte(`{"action":"tool:x:y"` + members + `}`)
		if a.Check(); a.Failed() != nil {
			t.Fatal(a.Failed())
		}
		out := answers{}
		out.readDescribe(&a)
		return out
	}
	const push = `{"kind":"publishes","value":"origin","certain":true}`
	for name, tt := range map[string]struct{ was, is, more, less string }{
		"none either":    {"", "", "", ""},
		"the same":       {`,"effects":[` + push + `]`, `,"effects":[` + push + `,` + push + `]`, "", ""},
		"one less":       {`,"effects":[` + push + `]`, `,"effects":[]`, "effects named no more: publishes origin -> ", "effects named anew:  -> publishes origin"},
		"otherwise":      {`,"effects":[{"kind":"publishes","value":"origin","how":"force","certain":true}]`, `,"effects":[]`, "effects named no more: publishes origin force -> ", "effects named anew:  -> publishes origin force"},
		"only possible":  {`,"effects":[` + push + `]`, `,"effects":[{"kind":"publishes","value":"origin","certain":false}]`, "effects certain no more: publishes origin -> ", "effects now certain:  -> publishes origin"},
		"begins to name": {"", `,"effects":[]`, "effects: not named, so each is possible -> none", "effects: none -> not named, so each is possible"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			check := func(was, is string, d history.Direction, want string) {
				t.Helper()
				got := ""
				for _, c := range changes(described(was), described(is), nil) {
					got += fmt.Sprintf("%s: %s -> %s", c.Kind, c.Was, c.Is)
					if c.Direction != d {
						t.Errorf("%s is %s, want %s", c.Kind, c.Direction, d)
					}
				}
				if got != want {
					t.Errorf("from %q to %q:\ngot  %s\nwant %s", was, is, got, want)
				}
			}
			check(tt.was, tt.is, history.Loosened, tt.more)
			check(tt.is, tt.was, history.Tightened, tt.less)
		})
	}
}
