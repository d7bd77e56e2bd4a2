package profile_test

import (
	"fmt"

	"github.com/callgate/callgate/engine/profile"
)

func ExampleCompile() {
	c, err := profile.Compile(profile.Profile{
		Name:  "ci",
		Allow: []string{"tool:view:.*", "tool:bash:npm (?:test|ci)"},
		Ask:   []string{"tool:git:push origin (?!main).*"},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, action := range []string{"tool:bash:npm ci", "tool:git:push origin dev", "tool:git:push origin main"} {
		fmt.Println(action, "->", c.Decide([]string{action}).Behavior)
	}
	fmt.Println("Write offered:", c.Offered("Write"))

	_, err = profile.Compile(profile.Profile{Name: "ci", Ask: []string{"tool:bash:("}})
	fmt.Println(err)
	// Output:
	// tool:bash:npm ci -> allow
	// tool:git:push origin dev -> ask
	// tool:git:push origin main -> deny
	// Write offered: false
	// profile ci: ask[0]: pattern "tool:bash:(": position 10: missing ), unterminated subpattern: close the group, or write \( for the character
}
