package store

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"
	"unicode/utf8"
)

// TokenKind is the purpose of a token.
type TokenKind string

// The kinds.
const (
	TokenCheck      TokenKind = "check"
	TokenApprover   TokenKind = "approver"
	TokenAdmin      TokenKind = "admin"
	TokenIntegrator TokenKind = "integrator"
)

// TokenKinds are all kinds.
func TokenKinds() []TokenKind {
	return []TokenKind{TokenCheck, TokenApprover, TokenAdmin, TokenIntegrator}
}

// Token is the stored part of a secret for the interface.
type Token struct {
	ID string `json:"id"`
	// Name is unique among the tokens in force.
	Name string    `json:"name"`
	Kind TokenKind `json:"kind"`
	// Agent is a check token's agent; empty for other kinds.
	Agent string `json:"agent,omitempty"`
	// Sum is the SHA-256 of the secret; the store never sees the secret.
	Sum       Hash      `json:"-"`
	CreatedBy string    `json:"created_by"`
	CreatedAt time.Time `json:"created_at"`
	// ExpiresAt is when it stops working; zero is never.
	ExpiresAt time.Time `json:"expires_at,omitzero"`
	// LastUsedAt is exact to a minute; zero means never used.
	LastUsedAt time.Time `json:"last_used_at,omitzero"`
	RevokedAt  time.Time `json:"revoked_at,omitzero"`
	// Refused reports whether the audit has no row for the token as stored: it was changed outside
	// Callgate and must not be used (threat T15).
	Refused bool `json:"refused,omitempty"`
}

// Usable reports whether the token opens anything at this time.
func (t Token) Usable(now time.Time) bool {
	return !t.Refused && t.RevokedAt.IsZero() && (t.ExpiresAt.IsZero() || t.ExpiresAt.After(now))
}

// Errors of tokens.
var (
	// ErrTokenExists means a token of this name, or of this agent, is in force.
	ErrTokenExists = errors.New("there is one already")
	// ErrLastAdmin means it is the last usable admin token.
	ErrLastAdmin = errors.New("it is the last token of kind admin: create another one first")
)

// CreateToken stores a token and returns it with its ID and CreatedAt, both the
// store's. The row and its audit row are one transaction. detail goes into the
// audit.
func (s *Store) CreateToken(ctx context.Context, t Token, detail string) (Token, error) {
	return s.changeToken(ctx, "", "", t, detail)
}

// ReplaceToken revokes the token in force of t's name, if there is one, and
// stores t in its place, in one transaction.
func (s *Store) ReplaceToken(ctx context.Context, t Token, detail string) (Token, error) {
	return s.changeToken(ctx, t.Name, t.CreatedBy, t, detail)
}

// RevokeToken revokes the token in force of this name, in the name of by. ErrNotFound when there is
// none; ErrLastAdmin when the revocation would be final.
func (s *Store) RevokeToken(ctx context.Context, name, by string) (Token, error) {
	var gone Token
	run := func(ctx context.Context, x *tx) (err error) {
		if gone, err = s.revoke(ctx, x, name, by); err != nil {
			return err
		}
		return keepsAdmin(ctx, x, gone, s.now())
	}
	if err := s.writer.do(ctx, &job{run: run}); err != nil {
		return Token{}, fmt.Errorf("revoke token %q: %w", name, err)
	}
	return gone, nil
}

func (s *Store) changeToken(ctx context.Context, old, by string, t Token, detail string) (Token, error) {
	t.ID, t.CreatedAt = newID(), s.now().UTC().Round(0)
	t.ExpiresAt, t.LastUsedAt, t.RevokedAt, t.Refused = t.ExpiresAt.UTC().Round(0), time.Time{}, time.Time{}, false
	if err := checkToken(t); err != nil {
		return Token{}, fmt.Errorf("token %q: %w", t.Name, err)
	}
	run := func(ctx context.Context, x *tx) error {
		if old != "" {
			if _, err := s.revoke(ctx, x, old, by); err != nil && !errors.Is(err, ErrNotFound) {
				return err
			}
		}
		return s.insertToken(ctx, x, t, detail)
	}
	if err := s.writer.do(ctx, &job{run: run}); err != nil {
		return Token{}, fmt.Errorf("token %q: %w", t.Name, err)
	}
	return t, nil
}

func checkToken(t Token) error {
	switch {
	case !slices.Contains(TokenKinds(), t.Kind):
		return fmt.Errorf("kind %q: want check, approver, admin or integrator", t.Kind)
	case t.Name == "" || len(t.Name) > maxName || !utf8.ValidString(t.Name+t.Agent+t.CreatedBy):
		return fmt.Errorf("want a name of 1 to %d bytes", maxName)
	case (t.Kind == TokenCheck) != (t.Agent != ""):
		return errors.New("a check token, and no other, belongs to an agent")
	case t.Sum == Hash{}:
		return errors.New("it has no digest")
	case !t.ExpiresAt.IsZero() && !t.ExpiresAt.After(t.CreatedAt):
		return fmt.Errorf("it expired at %s", t.ExpiresAt.Format(time.RFC3339))
	}
	return nil
}

func (s *Store) insertToken(ctx context.Context, x *tx, t Token, detail string) error {
	for _, known := range []struct{ column, value string }{{"name", t.Name}, {"agent", t.Agent}} {
		var exists bool
		row := x.QueryRowContext(ctx, "SELECT count(*) > 0 FROM tokens WHERE revoked_at = 0 AND "+known.column+" = ? AND ? <> ''", known.value, known.value)
		if err := row.Scan(&exists); err != nil {
			return err
		}
		if exists {
			return ErrTokenExists
		}
	}
	if err := s.auditToken(x, EventTokenCreated, t, t.CreatedBy, detail); err != nil {
		return err
	}
	x.changed(KindToken, t.Name)
	_, err := x.ExecContext(ctx, "INSERT INTO tokens ("+tokenColumns+") VALUES (?,?,?,?,?,?,?,?,?,?,?)",
		t.ID, t.Name, string(t.Kind), t.Agent, t.Sum[:], t.CreatedBy, nanos(t.CreatedAt), nanos(t.ExpiresAt), 0, 0, x.chain.head.seq)
	return err
}

func (s *Store) revoke(ctx context.Context, x *tx, name, by string) (Token, error) {
	found, err := selectTokens(ctx, x, " WHERE revoked_at = 0 AND name = ?", name)
	if err != nil {
		return Token{}, err
	}
	if len(found) == 0 {
		return Token{}, ErrNotFound
	}
	t := found[0].Token
	t.RevokedAt = s.now().UTC().Round(0)
	if err := s.auditToken(x, EventTokenRevoked, t, by, string(t.Kind)); err != nil {
		return Token{}, err
	}
	x.changed(KindToken, t.Name)
	_, err = x.ExecContext(ctx, "UPDATE tokens SET revoked_at = ? WHERE id = ?", nanos(t.RevokedAt), t.ID)
	return t, err
}

// keepsAdmin refuses a change that locks every admin out.
func keepsAdmin(ctx context.Context, x *tx, gone Token, now time.Time) error {
	if gone.Kind != TokenAdmin {
		return nil
	}
	left, err := selectTokens(ctx, x, " WHERE revoked_at = 0 AND kind = 'admin' AND (expires_at = 0 OR expires_at > ?)", now.UnixNano())
	if err == nil && len(left) == 0 {
		err = ErrLastAdmin
	}
	return err
}

// auditToken records a change of a token in the change's own transaction.
func (s *Store) auditToken(x *tx, event Event, t Token, by, detail string) error {
	row, err := s.clean(Row{Event: event, Agent: t.Agent, DecidedBy: by, RuleID: t.ID, RuleText: tokenRow(t.Name),
		Digest: tokenDigest(t), Detail: detail})
	if err != nil {
		return err
	}
	x.chain.add(&row)
	return nil
}

// tokenRow is a row's name for its token.
func tokenRow(name string) string { return "token " + name }

// tokenDigest is the SHA-256 over the constant part of a token.
func tokenDigest(t Token) string {
	text, err := json.Marshal([]any{"callgate token", t.ID, t.Name, t.Kind, t.Agent, t.Sum, t.CreatedBy, nanos(t.CreatedAt), nanos(t.ExpiresAt)})
	if err != nil {
		return "" // never: texts and numbers
	}
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:])
}

// NoteTokenUse notes when a token was used last. It is not audited.
func (s *Store) NoteTokenUse(ctx context.Context, id string, at time.Time) error {
	run := func(ctx context.Context, x *tx) error {
		_, err := x.ExecContext(ctx, "UPDATE tokens SET last_used_at = ? WHERE id = ?", nanos(at), id)
		return err
	}
	if err := s.writer.do(ctx, &job{run: run, single: true}); err != nil {
		return fmt.Errorf("token %s: %w", id, err)
	}
	return nil
}

// Tokens returns all tokens, revoked ones as well, the oldest first. begun reports whether the
// audit knows of tokens: then an empty table was emptied outside Callgate.
func (s *Store) Tokens(ctx context.Context) (tokens []Token, begun bool, err error) {
	stored, err := selectTokens(ctx, s.reads, "")
	if err != nil {
		return nil, false, fmt.Errorf("tokens: %w", s.closedOr(err))
	}
	last, err := s.tokenRows(ctx)
	if err != nil {
		return nil, false, fmt.Errorf("tokens: %w", s.closedOr(err))
	}
	for _, t := range stored {
		t.Refused = t.RevokedAt.IsZero() && !admitsToken(last[t.ID], t)
		tokens = append(tokens, t.Token)
	}
	return tokens, len(last) > 0, nil
}

// tokenRows are the last rows of the audit about tokens, by the token's id.
func (s *Store) tokenRows(ctx context.Context) (map[string]Row, error) {
	rows, err := s.reads.QueryContext(ctx, "SELECT "+columns+" FROM audit_log WHERE event IN (?, ?, ?) AND event <> 'decision' ORDER BY seq",
		string(EventTokenCreated), string(EventTokenRevoked), string(EventTokenKept))
	if err != nil {
		return nil, err
	}
	defer rows.Close() // its error comes out of rows.Err
	last := map[string]Row{}
	for rows.Next() {
		var r Row
		if err := r.scan(rows); err != nil {
			return nil, err
		}
		last[r.RuleID] = r
	}
	return last, rows.Err()
}

// admitsToken reports whether the last row about a token is whole, created it or kept it, and
// matches the token.
func admitsToken(row Row, t storedToken) bool {
	sum, _ := row.sum(nil)
	return sum == row.Hash && (row.Event == EventTokenCreated || row.Event == EventTokenKept) && row.Seq == t.auditSeq && row.Digest == tokenDigest(t.Token)
}

const tokenColumns = "id, name, kind, agent, sha256, created_by, created_at, expires_at, last_used_at, revoked_at, audit_seq"

// storedToken is a token with its admitting audit row.
type storedToken struct {
	Token
	auditSeq int64
}

func selectTokens(ctx context.Context, q queryer, where string, args ...any) ([]storedToken, error) {
	rows, err := q.QueryContext(ctx, "SELECT "+tokenColumns+" FROM tokens"+where+" ORDER BY created_at, audit_seq", args...)
	if err != nil {
		return nil, err
	}
	defer rows.Close() // its error comes out of rows.Err
	var found []storedToken
	for rows.Next() {
		var t storedToken
		var sum []byte
		var created, expires, used, revoked int64
		if err := rows.Scan(&t.ID, &t.Name, &t.Kind, &t.Agent, &sum, &t.CreatedBy, &created, &expires, &used, &revoked, &t.auditSeq); err != nil {
			return nil, fmt.Errorf("%w: table tokens: %w", ErrCorrupt, err)
		}
		copy(t.Sum[:], sum)
		t.CreatedAt, t.ExpiresAt, t.LastUsedAt, t.RevokedAt = fromNanos(created), fromNanos(expires), fromNanos(used), fromNanos(revoked)
		found = append(found, t)
	}
	return found, rows.Err()
}
