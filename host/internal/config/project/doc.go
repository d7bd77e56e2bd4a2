// Package project reads a project's .callgate.yaml, written by the owner of a repository, and so
// perhaps by an attacker. It may only tighten: deny rules, ask rules, disallowed tools. Nothing of
// it except rules reaches a model or a card (threat T03).
package project
