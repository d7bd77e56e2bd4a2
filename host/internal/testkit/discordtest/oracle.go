package discordtest

import (
	"fmt"
	"regexp"

	"github.com/callgate/callgate/host/internal/testkit/discordfacts"
)

// oracle is Discord's description of its API, from testdata/discord. A nil one checks nothing.
type oracle struct{ table *discordfacts.Table }

// findOracle loads the tables, unless they are switched off.
func findOracle(handWritten bool) (*oracle, error) {
	if handWritten {
		return nil, nil
	}
	table, err := discordfacts.Load()
	if err != nil {
		return nil, fmt.Errorf("discordtest: what Discord takes: %w", err)
	}
	return &oracle{table}, nil
}

// check returns the defects of a request, unless it was refused anyway, and of its answer,
// unless a fault made it up.
func (o *oracle) check(c *call, r Request, faulted bool) []string {
	if o == nil {
		return nil
	}
	if !o.table.Has(c.method, c.route) {
		return []string{fmt.Sprintf("%s %s is not in testdata/discord", c.method, c.route)}
	}
	var found []string
	request, err := o.table.Request(c.method, c.route)
	if err != nil {
		found = append(found, err.Error())
	} else if request != nil && !c.anonymous && !c.cut {
		if err := request.Validate(bodyOrEmpty(c.body)); err != nil {
			found = append(found, fmt.Sprintf("%s %s: the request breaks Discord's schema: %.600s: %.300s", c.method, c.route, err, c.body))
		}
	}
	if faulted || r.Status == 0 || r.Status >= 500 {
		return found
	}
	if problem := o.checkAnswer(c, r); problem != "" {
		found = append(found, problem)
	}
	return found
}

func bodyOrEmpty(body []byte) []byte {
	if len(body) == 0 {
		return []byte("{}")
	}
	return permissionText.ReplaceAll(body, []byte(`$1$2`))
}

// permissionText finds permissions written as strings, as Discord's documentation wants
// them and its OpenAPI document does not.
var permissionText = regexp.MustCompile(`("default_member_permissions":\s*)"(\d+)"`)

func (o *oracle) checkAnswer(c *call, r Request) string {
	answer, err := o.table.Answer(c.method, c.route, r.Status)
	switch {
	case err != nil:
		return fmt.Sprintf("%s %s: %v", c.method, c.route, err)
	case answer == nil && len(r.Answer) > 0:
		return fmt.Sprintf("%s %s: this server's answer %d has a body", c.method, c.route, r.Status)
	case answer == nil:
		return ""
	}
	if err := answer.Validate(r.Answer); err != nil {
		return fmt.Sprintf("%s %s: this server's answer %d breaks Discord's schema: %.600s: %.300s", c.method, c.route, r.Status, err, r.Answer)
	}
	return ""
}
