package bash

import (
	"slices"
	"strings"

	"github.com/callgate/callgate/sdk/go/tool"
)

// schemePorts are the default ports of addresses.
var schemePorts = map[string]string{"http": "80", "https": "443", "ws": "80", "wss": "443", "ftp": "21", "ssh": "22", "git": "9418"}

// maxHost is how long the name of a host, or a port, can be.
const maxHost = 256

// connectors are programs with network addresses as arguments, without a scheme.
var connectors = []string{
	"curl", "wget", "http", "https", "xh", "httpie", "aria2c", "lynx", "w3m", "elinks", "nc", "ncat", "netcat", "telnet", "socat", "websocat", "wscat",
	"grpcurl", "openssl", "ssh", "ab", "wrk", "hey", "httping", "h2load", "oha", "vegeta", "curlie", "nping", "rlwrap",
}

// sentOptions are the options of curl and its kin for data without a host: bodies and headers.
var sentOptions = []string{
	"-d", "--data", "--data-raw", "--data-binary", "--data-ascii", "--data-urlencode", "--json", "-F", "--form", "--form-string", "-H", "--header", "-A", "--user-agent", "-b", "--cookie",
	"--post-data", "--body-data", "--raw", "--url-query",
}

// endpoints adds where on the network a command leads, with the port.
func (m *marker) endpoints() {
	name := m.cmd.Name()
	connects := slices.Contains(connectors, name)
	sent := map[int]bool{}
	for _, o := range m.cmd.Use().Options {
		if o.Has && slices.Contains(sentOptions, o.Name) {
			at := o.At
			if !strings.HasSuffix(m.cmd.Words[at].Text, o.Value.Text) {
				at++
			}
			sent[at] = true
		}
	}
	for i, word := range m.cmd.Words {
		if i > 0 {
			m.urls(word.Text)
		}
		if i > 0 && connects && !sent[i] {
			m.addresses(word.Text)
		}
	}
	if connects {
		for _, word := range m.cmd.Args() {
			if _, file, ok := strings.Cut(word.Text, "@"); ok && word.Literal && file != "" {
				word.Text = file
				m.paths([]Word{word}, tool.Read, "")
			}
		}
		m.hostAndPort()
		m.sockets()
	}
}

// urls adds the addresses with a scheme in a text.
func (m *marker) urls(text string) {
	for {
		at := strings.Index(text, "://")
		if at <= 0 {
			return
		}
		start := at
		for start > 0 && (text[start-1]|0x20 >= 'a' && text[start-1]|0x20 <= 'z') {
			start--
		}
		scheme := strings.ToLower(text[start:at])
		text = text[at+3:]
		authority := text
		if i := strings.IndexAny(authority, "/?#\"' \t\n\\"); i >= 0 {
			authority = authority[:i]
		}
		if i := strings.LastIndexByte(authority, '@'); i >= 0 {
			authority = authority[i+1:]
		}
		if scheme == "file" {
			path := text
			if i := strings.IndexAny(path, "?#\"' \t\n"); i >= 0 {
				path = path[:i]
			}
			m.add(tool.Tree, path[max(strings.IndexByte(path, '/'), 0):], tool.Read)
			continue
		}
		host, port := splitAddress(authority)
		if port == "" {
			port = schemePorts[scheme]
		}
		if port == "" {
			port = "0"
		}
		m.endpoint(host, port)
	}
}

func (m *marker) endpoint(host, port string) {
	if !number(port) {
		port = tool.Unknown
	}
	m.add(tool.Endpoint, strings.Trim(host, "[]")+" "+port, tool.Write)
}

// splitAddress parts HOST:PORT; the port is empty when there is none.
func splitAddress(text string) (host, port string) {
	i := strings.LastIndexByte(text, ':')
	if i < 0 || strings.HasSuffix(text, "]") {
		return text, ""
	}
	return text[:i], text[i+1:]
}

// addresses adds every HOST:PORT in a word: --resolve, --connect-to and socat take several.
func (m *marker) addresses(text string) {
	for i := 0; i < len(text); i++ {
		if text[i] != ':' || strings.HasPrefix(text[i:], "://") {
			continue
		}
		least := max(i-maxHost, 0)
		bracketed := strings.Contains(text[least:i], "[")
		start := i
		for start > least && (!strings.ContainsRune(":/,=@ \t\n", rune(text[start-1])) || text[start-1] == ':' && bracketed) {
			start--
		}
		end := i + 1
		for end < min(len(text), i+maxHost) && !strings.ContainsRune("/:,?# \t\n", rune(text[end])) {
			end++
		}
		if port := text[i+1 : end]; port != "" && strings.ContainsAny(port, "0123456789$`{[") {
			host := text[start:i]
			if host == "" {
				host = "localhost" // httpie's :8080
			}
			m.endpoint(host, port)
		}
	}
}

// hostAndPort adds the HOST PORT of nc, telnet and their like.
func (m *marker) hostAndPort() {
	switch m.cmd.Name() {
	case "nc", "ncat", "netcat", "telnet":
	default:
		return
	}
	options, operands := arguments(m.cmd.Args(), "piswxXTOIeckmPqMHVWgG", "source-port", "wait", "proxy", "exec", "sh-exec")
	for _, p := range values(options, "-p", "--source-port") {
		m.endpoint("localhost", p.Text)
	}
	if has(options, "-l", "--listen") && len(operands) > 0 {
		m.endpoint("localhost", operands[len(operands)-1].Text)
	}
	for i := 1; i < len(operands); i++ {
		port := operands[i].Text
		if lo, _, isRange := strings.Cut(port, "-"); isRange && number(lo) {
			port = tool.Unknown
		}
		m.endpoint(operands[0].Text, port)
	}
}

// sockets adds a program's local sockets, connected to or listened on, as paths.
func (m *marker) sockets() {
	for _, word := range socketPaths(m.cmd) {
		m.paths([]Word{word}, tool.Write, "")
	}
}

// socketPaths are the words for a local socket.
func socketPaths(cmd *Command) []Word {
	var out []Word
	name, args := cmd.Name(), cmd.Args()
	netcat := (name == "nc" || name == "ncat" || name == "netcat") && slices.ContainsFunc(args, func(a Word) bool {
		return a.Text == "--unixsock" || strings.HasPrefix(a.Text, "-") && !strings.HasPrefix(a.Text, "--") && strings.Contains(a.Text, "U")
	})
	socket := func(word Word, text string) {
		word.Text = text
		word.Tilde = word.Tilde || strings.HasPrefix(text, "~")
		out = append(out, word)
	}
	for i, a := range args {
		switch {
		case name == "curl" && (a.Text == "--unix-socket" || a.Text == "--abstract-unix-socket") && i+1 < len(args):
			socket(args[i+1], args[i+1].Text)
		case name == "curl" && strings.HasPrefix(a.Text, "--unix-socket="):
			socket(a, strings.TrimPrefix(a.Text, "--unix-socket="))
		case netcat && !strings.HasPrefix(a.Text, "-"):
			socket(a, a.Text)
		case name == "socat" || name == "websocat":
			if kind, rest, ok := strings.Cut(a.Text, ":"); ok && socatPath(kind) {
				path, _, _ := strings.Cut(rest, ",")
				socket(a, path)
			}
		}
	}
	return out
}

// socatPath reports whether an address of that kind names a file.
func socatPath(kind string) bool {
	kind = strings.ToUpper(kind)
	for _, prefix := range []string{"UNIX", "OPEN", "GOPEN", "CREAT", "FILE", "PIPE", "ABSTRACT", "WS-C", "WS-L"} {
		if strings.HasPrefix(kind, prefix) {
			return true
		}
	}
	return false
}

// networkAddress reads bash's /dev/tcp/HOST/PORT and gawk's
// /inet/PROTOCOL/LOCALPORT/HOST/PORT, where 4 or 6 may stand behind inet.
func networkAddress(p string) (host, port string, ok bool) {
	if rest, found := strings.CutPrefix(p, "/inet"); found {
		parts := strings.Split(strings.TrimLeft(rest, "46"), "/")
		for len(parts) < 5 {
			parts = append(parts, tool.Unknown)
		}
		return parts[3], parts[4], parts[0] == ""
	}
	for _, prefix := range []string{"/dev/tcp/", "/dev/udp/"} {
		if rest, found := strings.CutPrefix(p, prefix); found {
			host, port, _ = strings.Cut(rest, "/")
			return host, port, true
		}
	}
	return "", "", false
}
