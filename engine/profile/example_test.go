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

// A profile names tools by the beginning of their actions, so it can be asked about others'
// tools, too.
func ExampleCompiled_Offers() {
	c, err := profile.Compile(profile.Profile{
		Ask:  []string{"tool:git:(?:push|branch) .*", "tool:mcp__wiki__.*"},
		Deny: []string{"tool:git:push .*", `tool:mcp__wiki__delete:.*`},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println("push:", c.Offers(profile.Shape{Text: "tool:git:push "}))
	fmt.Println("branch or push:", c.Offers(profile.Shape{Text: "tool:git:push "}, profile.Shape{Text: "tool:git:branch "}))
	fmt.Println("wiki delete:", c.Offers(profile.ShapeOf("mcp__wiki__delete")), "wiki read:", c.Offers(profile.ShapeOf("mcp__wiki__read")))
	// Output:
	// push: false
	// branch or push: true
	// wiki delete: false wiki read: true
}

// Patterns are Python's, and so are the reasons to refuse one.
func ExampleCompile_errors() {
	for _, pattern := range []string{"tool:bash:(?<=a+)b", `tool:bash:ls\z`, "tool:view:[z-a]", "tool:bash:a(?i)b", "tool:bash:(a(?(1)b|c))"} {
		_, err := profile.Compile(profile.Profile{Name: "ci", Allow: []string{pattern}})
		fmt.Println(err)
	}
	// Output:
	// profile ci: allow[0]: pattern "tool:bash:(?<=a+)b": position 10: look-behind requires fixed-width pattern: give every alternative the same length
	// profile ci: allow[0]: pattern "tool:bash:ls\\z": position 12: bad escape \z: Python knows no such escape; leave the backslash out for the character
	// profile ci: allow[0]: pattern "tool:view:[z-a]": position 11: bad character range z-a: write \- for the character
	// profile ci: allow[0]: pattern "tool:bash:a(?i)b": position 11: global flags not at the start of the expression: put them first, or write (?i:...)
	// profile ci: allow[0]: pattern "tool:bash:(a(?(1)b|c))": position 15: not supported: a condition on the group that it stands in: Python's answer depends on what it tried before: ask about a group that is closed
}
