package bash

import (
	"slices"
	"strings"

	"github.com/callgate/callgate/plugins/bash/internal/program"
)

// request is the part allowed by a rule such as "curl GET https://example.com/*": requests of
// one method to one host.
type request struct{ method, scheme, host string }

// parseRequest reads such a content.
func parseRequest(content string) *request {
	words := strings.Fields(content)
	if len(words) != 3 || words[0] != "curl" || !slices.Contains(requestMethods, words[1]) || strings.Join(words, " ") != content {
		return nil
	}
	address, ok := strings.CutSuffix(words[2], "/*")
	scheme, host, _ := strings.Cut(address, "://")
	if !ok || scheme != "http" && scheme != "https" || !plainHost(host) {
		return nil
	}
	return &request{words[1], scheme, host}
}

var requestMethods = []string{"GET", "HEAD", "POST", "PUT", "PATCH"}

// plainHost reports whether a text is a host in small letters with or without a port, without
// any ambiguity between programs.
func plainHost(s string) bool {
	name, port, has := strings.Cut(s, ":")
	return name != "" && strings.Trim(name, "abcdefghijklmnopqrstuvwxyz0123456789.-") == "" && strings.Trim(name, ".-") == name && (!has || port != "" && strings.Trim(port, "0123456789") == "")
}

// local reports whether a host is this machine.
func local(host string) bool {
	name, _, _ := strings.Cut(host, ":")
	return name == "localhost" || strings.HasPrefix(name, "127.") && strings.Trim(name, "0123456789.") == ""
}

// requestOptions of curl say how a request is made or shown, and nothing else. Any
// other may read or write a file, ask another machine, or say more than the address.
var requestOptions = []string{
	"-s", "-S", "-f", "--fail-with-body", "-L", "-i", "-I", "-v", "-g", "-G", "-N", "-4", "-6", "-0", "--http1.1", "--http2", "--http3", "--compressed", "--no-progress-meter", "--progress-bar", "-m", "--connect-timeout", "--retry", "--retry-delay", "--retry-max-time", "--retry-connrefused", "--retry-all-errors", "--max-redirs", "--path-as-is", "-r", "-A", "-e", "-w", "-H",
}

// bodyOptions of curl hold the body.
var bodyOptions = []string{"-d", "--data-ascii", "--data-raw", "--data-urlencode", "--data-binary", "--json", "-F", "--form-string"}

// requestOf returns the request made by curl, or nil where its words leave parts open.
func requestOf(u *program.Use) *request {
	if u.Program != "curl" || len(u.Operands) == 0 {
		return nil
	}
	out := &request{method: "GET"}
	for _, choice := range u.Choices() {
		if choice.Kind != program.Reached {
			return nil
		}
	}
	for _, o := range u.Options {
		value := o.Value
		switch body := slices.Contains(bodyOptions, o.Name); {
		case !o.Known, o.Has && (!value.Literal || value.Glob && !value.Quoted):
			return nil
		case o.Name == "-X":
			continue
		case o.Name == "-o" || o.Name == "-D":
			if value.Text != "/dev/null" && value.Text != "-" {
				return nil
			}
		case body:
			// A file follows "@" or "<".
			if strings.ContainsAny(value.Text, "@<") && o.Name != "--data-raw" && o.Name != "--form-string" {
				return nil
			}
			out.method = "POST"
		case !slices.Contains(requestOptions, o.Name), o.Name == "-H" && strings.HasPrefix(value.Text, "@"):
			return nil
		}
	}
	if u.Has("-I") {
		out.method = "HEAD"
	}
	if given := u.Values("-X"); len(given) > 0 {
		out.method = given[len(given)-1].Text
		if len(given) > 1 || out.method == "GET" && u.Has(bodyOptions...) {
			return nil
		}
	}
	for i, word := range u.Operands {
		scheme, rest, ok := strings.Cut(word.Text, "://")
		if !ok {
			scheme, rest = "http", word.Text
		}
		host, path := authority(rest)
		if scheme = strings.ToLower(scheme); !word.Literal || scheme != "http" && scheme != "https" || !plainHost(strings.ToLower(host)) || !ok && !local(host) || strings.HasPrefix(path, `\`) {
			return nil
		}
		if host = strings.ToLower(host); i > 0 && (scheme != out.scheme || host != out.host) {
			return nil
		}
		out.scheme, out.host = scheme, host
	}
	return out
}

// requests reports whether an allow rule for requests covers cmd.
func (r *rule) requests(cmd *Command) bool {
	if cmd.Words[0].Quoted || !trusted(cmd) || cmd.Wraps || setsVariables(cmd) || !safeAssigns(cmd) {
		return false
	}
	made := requestOf(cmd.Use())
	return made != nil && *made == *r.request
}

// mentioned reports whether a deny or ask rule for requests covers cmd: the program and the
// host match, for any method.
func (q *request) mentioned(cmd *Command) bool {
	return len(cmd.Words) > 0 && sameProgram("curl", cmd) && slices.ContainsFunc(cmd.Words, func(w Word) bool { return !w.Literal || strings.Contains(strings.ToLower(w.Text), q.host) })
}

// requested proposes a rule for requests like the one made by cmd: reading ones, and those to
// this machine, for which the exact line comes first.
func (c *call) requested(cmd *Command) (s suggestion, lasting bool) {
	q := requestOf(cmd.Use())
	switch {
	case q == nil || !slices.Contains(requestMethods, q.method):
		return s, false
	case q.method == "GET" || q.method == "HEAD":
		s.description = "every request by curl that only reads, from " + q.host
	case local(q.host):
		s.description, lasting = "every "+q.method+" request by curl to "+q.host+", whatever it sends", true
	default:
		return s, false
	}
	s.content = "curl " + q.method + " " + q.scheme + "://" + q.host + "/*"
	return c.proved(s, cmd), lasting
}
