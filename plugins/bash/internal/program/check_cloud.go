package program

import "strings"

// ghGets accepts what is plainly a GET of GitHub's own interface.
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

// ghSetting refuses settings that hold a secret.
func ghSetting(u *Use) string {
	for _, word := range u.Operands {
		text := strings.ToLower(word.Text)
		if strings.Contains(text, "token") || strings.Contains(text, "password") || strings.Contains(text, "secret") || strings.Contains(text, "credential") {
			return u.Command() + " " + word.Text + " may show a secret"
		}
	}
	return ""
}
