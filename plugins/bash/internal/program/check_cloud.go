package program

import (
	"slices"
	"strings"
)

// ghGets accepts only a plain GET of GitHub's own interface.
func ghGets(u *Use) string {
	for _, method := range u.Values("-X") {
		if !strings.EqualFold(method.Text, "GET") {
			return "gh api -X " + method.Text + " may change something"
		}
	}
	for _, header := range u.Values("-H") {
		name, _, _ := strings.Cut(strings.ToLower(header.Text), ":")
		if name != "accept" && name != "x-github-api-version" {
			return "gh api with the header " + header.Text + " may change what it does"
		}
	}
	for _, word := range u.Operands {
		text := strings.ToLower(word.Text)
		if strings.Contains(text, "://") || strings.HasPrefix(strings.TrimLeft(text, "/"), "graphql") || strings.HasPrefix(text, "-") {
			return "gh api " + word.Text + " is not plainly a question"
		}
	}
	return ""
}

// ghSetting refuses settings with a secret.
func ghSetting(u *Use) string {
	for _, word := range u.Operands {
		text := strings.ToLower(word.Text)
		if strings.Contains(text, "token") || strings.Contains(text, "password") || strings.Contains(text, "secret") || strings.Contains(text, "credential") {
			return u.Command() + " " + word.Text + " may show a secret"
		}
	}
	return ""
}

// ghStays refuses commands showing the environment, because of the token in it, and commands to
// an unusual host: [HOST/]OWNER/REPO, or an address.
func ghStays(u *Use) string {
	for _, script := range u.Values("-q") {
		if name := reaches(script.Text, "env", "ENV"); name != "" {
			return u.Command() + " with a filter that uses " + name + " shows the environment"
		}
	}
	places := u.Values("-R")
	if len(u.Sub) > 0 && u.Sub[0] != "api" && u.Sub[0] != "search" {
		places = append(places, u.Operands...)
	}
	for _, place := range places {
		host, _, _ := strings.Cut(place.Text, "/")
		switch text := place.Text; {
		case strings.HasPrefix(text, "https://github.com/"), strings.HasPrefix(text, "https://gitlab.com/"):
		case strings.Contains(text, ":"), strings.Count(text, "/") > 1 && strings.Contains(host, "."):
			return u.Command() + " with " + text + " may talk to another host"
		}
	}
	return ""
}

// ghElsewhere means --repo where an operand is an address: it names the repository as well.
func ghElsewhere(u *Use) []string {
	if slices.ContainsFunc(u.Operands, func(w Word) bool { return strings.Contains(w.Text, ":") && strings.Contains(w.Text, "//") }) {
		return []string{"-R", "--repo"}
	}
	return nil
}
