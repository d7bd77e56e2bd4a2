package passkey

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"github.com/go-json-experiment/json"
	"time"

	"github.com/callgate/callgate/engine"
	"github.com/callgate/callgate/host/internal/approval/ask"
	"github.com/callgate/callgate/host/internal/store/mask"
)

// statementKind names the layout of a Statement.
const statementKind = "callgate approval 1"

// Statement is what a device signs: its JSON, byte for byte.
type Statement struct {
	Kind string `json:"kind"`
	// Daemon is the name under which the console answers: the WebAuthn relying party.
	Daemon string `json:"daemon"`
	Ask    string `json:"ask"`
	// Call is the digest of the call's tool, input and working directory.
	Call    string `json:"call"`
	Tool    string `json:"tool"`
	Agent   string `json:"agent"`
	Session string `json:"session"`
	// Answer is "approve": other answers are not signed.
	Answer string `json:"answer"`
	By     string `json:"by"`
	// Rules are stored by the answer; none for an approval of this call alone.
	Rules []Rule `json:"rules,omitempty"`
	// Folder is trusted by the answer; nil for none.
	Folder *Folder `json:"folder,omitempty"`
	// Input is the SHA-256 of a changed input; empty for the call as it is.
	Input string `json:"input,omitempty"`
	// IssuedAt and ValidUntil bound the signature's use, not that of the rules.
	IssuedAt   time.Time `json:"issued_at"`
	ValidUntil time.Time `json:"valid_until"`
	Nonce      string    `json:"nonce"`
}

// Rule is a rule as signed.
type Rule struct {
	Text  string       `json:"text"`
	Scope engine.Scope `json:"scope"`
	// Key is the project, the agent or the session of the scope.
	Key string `json:"key,omitempty"`
	// Until is when the rule ends; zero means when somebody takes it back.
	Until time.Time `json:"until,omitzero"`
}

// Folder is a trusted folder as signed.
type Folder struct {
	Path   string `json:"path"`
	Access string `json:"access"`
}

// errSecret keeps secrets out of statements, which the audit keeps unmasked.
var errSecret = errors.New("the rule's text holds a secret, which a signed statement would show: approve the call alone")

// stated returns the bytes to sign for an answer, with the rules that it stores.
func stated(name string, a ask.Ask, answer ask.Answer, rules []engine.Rule, at time.Time, nonce string) ([]byte, error) {
	s := Statement{
		Kind: statementKind, Daemon: name, Ask: a.ID, Call: a.Digest, Tool: a.Tool, Agent: a.Agent, Session: a.Session,
		Answer: answer.Verdict.String(), By: answer.By, IssuedAt: at.UTC(), ValidUntil: at.Add(challengeHold).UTC(), Nonce: nonce,
	}
	for _, r := range rules {
		text := r.String()
		if len(mask.Secrets(text)) > 0 {
			return nil, errSecret
		}
		if r.Server != "" {
			text += " of the MCP server " + r.Server
		}
		s.Rules = append(s.Rules, Rule{Text: text, Scope: r.Scope, Key: r.ScopeKey, Until: r.ExpiresAt})
	}
	if answer.Folder != "" && a.Folder != nil {
		s.Folder = &Folder{Path: a.Folder.Path, Access: string(answer.Folder)}
	}
	if answer.Input != nil {
		sum := sha256.Sum256(answer.Input)
		s.Input = hex.EncodeToString(sum[:])
	}
	return json.Marshal(s)
}
