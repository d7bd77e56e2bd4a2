package bash

import (
	"slices"
	"strings"

	"github.com/callgate/callgate/plugins/bash/internal/program"
)

// post is the meaning of a rule such as "gh api POST repos/o/r/pulls/*/comments/*/replies":
// words for people at one kind of place of one repository. A star is a number.
type post struct{ path string }

// parsePost reads such a content.
func parsePost(content string) *post {
	path, ok := strings.CutPrefix(content, "gh api POST ")
	if !ok || postKind(strings.ReplaceAll(path, "*", "0")) != path {
		return nil
	}
	return &post{path}
}

// postEnds are the last parts of addresses for words and marks. A review is none: it may
// approve.
var postEnds = []string{"comments", "replies", "reactions", "labels"}

// postKind is an address with stars for its numbers; empty for any other than one of
// postEnds below a number of a repository.
func postKind(path string) string {
	parts := strings.Split(path, "/")
	if n := len(parts); n < 6 || n > 8 || parts[0] != "repos" || !slices.Contains([]string{"issues", "pulls"}, parts[3]) || !slices.Contains(postEnds, parts[n-1]) {
		return ""
	}
	numbers := 0
	for i, part := range parts {
		number := part != "" && strings.Trim(part, "0123456789") == ""
		switch {
		case i > 3 && number:
			parts[i] = "*"
			numbers++
		case part == "" || strings.Trim(part, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.") != "" || strings.Trim(part, ".") == "", i > 3 && part != "comments" && !slices.Contains(postEnds, part):
			return ""
		}
	}
	if numbers == 0 {
		return ""
	}
	return strings.Join(parts, "/")
}

// postOf returns the address of a use of gh api with words in its fields and nothing
// else: no other method or host, no file.
func postOf(u *program.Use) string {
	if u.Command() != "gh api" || len(u.Operands) != 1 || !u.Has("-f") {
		return ""
	}
	for _, o := range u.Options {
		switch value := o.Value; {
		case !o.Known, o.Has && (!value.Literal || value.Glob && !value.Quoted):
			return ""
		case o.Name == "-X":
			if value.Text != "POST" {
				return ""
			}
		case o.Name == "-f":
			if name, _, ok := strings.Cut(value.Text, "="); !ok || !slices.Contains([]string{"body", "content", "labels[]"}, name) {
				return ""
			}
		case !slices.Contains([]string{"-q", "-i", "--silent"}, o.Name):
			return ""
		}
	}
	word := u.Operands[0]
	if !word.Literal || word.Glob {
		return ""
	}
	return postKind(strings.TrimPrefix(word.Text, "/"))
}

// covers reports whether an allow rule for posts covers cmd.
func (p *post) covers(cmd *Command) bool {
	if cmd.Words[0].Quoted || !trusted(cmd) || cmd.Wraps || setsVariables(cmd) || !safeAssigns(cmd) {
		return false
	}
	return postOf(cmd.Use()) == p.path
}

// mentioned reports whether a deny or ask rule for posts is about cmd: any use of gh api
// at the repository.
func (p *post) mentioned(cmd *Command) bool {
	parts := strings.SplitN(p.path, "/", 4)
	return len(cmd.Words) > 0 && sameProgram("gh", cmd) && slices.ContainsFunc(cmd.Words, func(w Word) bool {
		return !w.Literal || strings.Contains(strings.ToLower(w.Text), strings.ToLower(parts[1]+"/"+parts[2]))
	})
}

// posted proposes a rule for posts like that of cmd.
func (c *call) posted(cmd *Command) suggestion {
	path := postOf(cmd.Use())
	if path == "" {
		return suggestion{}
	}
	return c.proved(suggestion{content: "gh api POST " + path, description: "everything that gh api posts to " + path + ", whatever it says"}, cmd)
}
