// Package project reads a project's .callgate.yaml, a file that the owner of a
// repository, and so perhaps an attacker, wrote. It may only tighten: deny
// rules, ask rules, disallowed tools. No word of it that is not a rule reaches
// a model or a card (threat T03).
package project
