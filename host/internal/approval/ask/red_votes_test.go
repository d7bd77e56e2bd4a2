package ask_test

import (
	"testing"

	"github.com/callgate/callgate/host/internal/approval/ask"
)

// TestT27_oneAccountIsOneVote: a person votes from their account of a chat, gets a name in the
// configuration, or loses it, and votes from the same account to be two of a quorum.
func TestT27_oneAccountIsOneVote(t *testing.T) {
	const account = "200000000000000001"
	from := func(by, account string) ask.Answer {
		a := approval(by, "ops")
		if account != "" {
			a.Origin = &ask.Origin{Account: account, Via: "button"}
		}
		return a
	}
	for name, votes := range map[string][2]ask.Answer{
		"named meanwhile":            {from(account, account), from("bob", account)},
		"not named any more":         {from("bob", account), from(account, account)},
		"named, and at the terminal": {from("bob", account), from(account, "")},
		"at the terminal, and named": {from(account, ""), from("bob", account)},
	} {
		t.Run(name, func(t *testing.T) {
			inWorld(t, ask.Config{}, func(w *world) {
				w.under(two)
				for i, vote := range votes {
					if got, err := w.answer("c", vote); err != nil || got.State != ask.Shown || len(got.Votes) != 1 {
						t.Fatalf("vote %d: got %s with %d votes, %v", i, got.State, len(got.Votes), err)
					}
				}
				if got, err := w.answer("c", from("cy", "200000000000000002")); err != nil || got.State != ask.Approved {
					t.Fatalf("another: got %s, %v", got.State, err)
				}
				w.want("c", ask.Approved, ask.CauseAnswered)
			})
		})
	}
}
