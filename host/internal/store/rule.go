package store

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"database/sql"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/callgate/callgate/engine"
)

// Limits of a stored rule, in bytes and in examples.
const (
	maxTool     = 256
	maxContent  = 64 << 10
	maxKey      = 4 << 10
	maxExamples = 100
)

// AddRule stores a rule and returns it with its ID and CreatedAt; the store sets both. An equal
// rule in the same place (tool, content, behavior, server, scope and key) is not stored twice: the
// existing one comes back, and lives as long as the longer-lived of the two. The change and its
// audit row are one transaction, and RulesFor sees it when AddRule returns.
func (s *Store) AddRule(ctx context.Context, r engine.Rule) (engine.Rule, error) {
	r, err := s.checkRule(r)
	if err != nil {
		return engine.Rule{}, fmt.Errorf("add rule %s: %w: %w", r, ErrBadRule, err)
	}
	change := ruleChange{store: s, want: r}
	j := &job{run: change.add, after: change.publish}
	if err := s.writer.do(ctx, j); err != nil {
		return engine.Rule{}, fmt.Errorf("add rule %s: %w", r, err)
	}
	return change.rule, nil
}

// checkRule refuses an invalid rule and gives the rest one spelling.
func (s *Store) checkRule(r engine.Rule) (engine.Rule, error) {
	if r.WholeTool() {
		r.Content = nil
	}
	r.ID, r.CreatedAt = newID(), s.now().UTC().Round(0)
	r.ExpiresAt = r.ExpiresAt.UTC().Round(0)
	_, scopeErr := engine.ParseScope(string(r.Scope))
	switch {
	case scopeErr != nil:
		return r, scopeErr
	case strings.TrimSpace(r.Tool) == "" || len(r.Tool) > maxTool:
		return r, fmt.Errorf("tool name of %d bytes: want 1 to %d", len(r.Tool), maxTool)
	case r.Behavior != engine.Deny && r.Behavior != engine.Ask && r.Behavior != engine.Allow:
		return r, fmt.Errorf("behavior %s: want deny, ask or allow", r.Behavior)
	case (r.Scope == engine.Global) != (r.ScopeKey == ""):
		return r, fmt.Errorf("scope %s with key %q: every scope but global needs one", r.Scope, r.ScopeKey)
	case len(r.ScopeKey) > maxKey || r.Content != nil && len(*r.Content) > maxContent:
		return r, fmt.Errorf("too long: want a content of at most %d bytes and a key of %d", maxContent, maxKey)
	case len(r.Match) > maxExamples || len(r.NotMatch) > maxExamples:
		return r, fmt.Errorf("%d and %d examples: want at most %d of each", len(r.Match), len(r.NotMatch), maxExamples)
	case len(r.Server) > maxTool || r.Server != "" && r.Behavior != engine.Allow:
		return r, fmt.Errorf("server %.80q: only an allow rule is kept for one MCP server, of at most %d bytes: deny and ask rules hold for all", r.Server, maxTool)
	case r.ExpiresAt.After(lastMoment):
		return r, fmt.Errorf("it ends at %s: want a time before %s, or none for a rule that stays", r.ExpiresAt.Format(time.RFC3339), lastMoment.UTC().Format(time.DateOnly))
	case !r.ExpiresAt.IsZero() && !r.ExpiresAt.After(r.CreatedAt):
		return r, fmt.Errorf("it expired at %s", r.ExpiresAt.Format(time.RFC3339))
	case r.Source == engine.SourceProjectFile:
		return r, errors.New("rules of a project file are read from the file and never stored")
	}
	return r, checkTexts(r)
}

// checkTexts refuses texts SQLite would change.
func checkTexts(r engine.Rule) error {
	texts := append([]string{r.Tool, r.ScopeKey, r.Source, r.CreatedBy, r.Reason, r.Server}, r.Match...)
	texts = append(texts, r.NotMatch...)
	if r.Content != nil {
		texts = append(texts, *r.Content)
	}
	for _, t := range texts {
		if !utf8.ValidString(t) || strings.ContainsRune(t, 0) {
			return fmt.Errorf("%.40q is not valid UTF-8 without NUL", t)
		}
	}
	return nil
}

// newID returns a random identifier of 16 hex digits.
func newID() string {
	var b [8]byte
	rand.Read(b[:])
	return hex.EncodeToString(b[:])
}

// ruleChange adds one rule and, when it is durable, shows it in memory.
type ruleChange struct {
	store *Store
	want  engine.Rule
	rule  engine.Rule // as stored
	gone  string      // an expired or refused rule to replace
}

func (c *ruleChange) add(ctx context.Context, t *tx) error {
	c.rule, c.gone = c.want, ""
	old, err := findSame(ctx, t, c.rule)
	if err != nil {
		return err
	}
	switch {
	case old == nil:
		return c.insert(ctx, t)
	case c.store.rules.refuses(old.ID):
		return c.replace(ctx, t, *old, EventRuleRemoved, c.rule.CreatedBy)
	case expired(*old, c.store.now()):
		return c.replace(ctx, t, *old, EventRuleExpired, "callgate")
	case outlives(c.rule.ExpiresAt, old.ExpiresAt):
		return c.extend(ctx, t, *old)
	}
	c.rule = *old
	return nil
}

// replace puts the rule in the place of an ineffective one.
func (c *ruleChange) replace(ctx context.Context, t *tx, old engine.Rule, why Event, by string) error {
	c.gone = old.ID
	t.changed(KindRule, old.ID)
	if _, err := t.ExecContext(ctx, "DELETE FROM rules WHERE id = ?", old.ID); err != nil {
		return err
	}
	if err := c.store.auditRule(t, why, old, by); err != nil {
		return err
	}
	return c.insert(ctx, t)
}

func (c *ruleChange) insert(ctx context.Context, t *tx) error {
	t.changed(KindRule, c.rule.ID)
	if err := c.store.auditRule(t, EventRuleAdded, c.rule, c.rule.CreatedBy); err != nil {
		return err
	}
	r := c.rule
	_, err := t.ExecContext(ctx, "INSERT INTO rules ("+ruleColumns+") VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)",
		r.ID, r.Tool, r.Content, r.Behavior.String(), r.Source, string(r.Scope), r.ScopeKey, r.CreatedBy,
		nanos(r.CreatedAt), nanos(r.ExpiresAt), r.Reason, list(r.Match), list(r.NotMatch), t.chain.head.seq, r.Server)
	return err
}

func (c *ruleChange) extend(ctx context.Context, t *tx, old engine.Rule) error {
	t.changed(KindRule, old.ID)
	by := c.rule.CreatedBy
	old.ExpiresAt = c.rule.ExpiresAt
	c.rule = old
	if err := c.store.auditRule(t, EventRuleExtended, old, by); err != nil {
		return err
	}
	_, err := t.ExecContext(ctx, "UPDATE rules SET expires_at = ?, audit_seq = ? WHERE id = ?",
		nanos(old.ExpiresAt), t.chain.head.seq, old.ID)
	return err
}

func (c *ruleChange) publish() {
	if c.gone != "" {
		c.store.rules.drop(c.gone)
	}
	c.store.rules.put(c.rule)
}

// RemoveRule deletes a rule in the name of by. ErrNotFound when there is none.
func (s *Store) RemoveRule(ctx context.Context, id, by string) error {
	_, err := s.removeRules(ctx, EventRuleRemoved, by, "id = ?", id)
	if err == nil {
		return nil
	}
	return fmt.Errorf("remove rule %q: %w", id, err)
}

// ExpireRules deletes the expired rules and returns their number. Whether it runs or not, an
// expired rule never applies.
func (s *Store) ExpireRules(ctx context.Context) (int, error) {
	n, err := s.removeRules(ctx, EventRuleExpired, "callgate", "expires_at > 0 AND expires_at <= ?", s.now().UnixNano())
	if err != nil && !errors.Is(err, ErrNotFound) {
		return 0, fmt.Errorf("expire rules: %w", err)
	}
	return n, nil
}

// DropSession deletes all rules of a session, in the name of by, and tells how
// many there were.
func (s *Store) DropSession(ctx context.Context, session, by string) (int, error) {
	n, err := s.removeRules(ctx, EventRuleRemoved, by, "scope = 'session' AND scope_key = ?", session)
	if err != nil && !errors.Is(err, ErrNotFound) {
		return 0, fmt.Errorf("drop the grants of session %q: %w", session, err)
	}
	return n, nil
}

// removeRules deletes the rules chosen by where, each with its audit row.
func (s *Store) removeRules(ctx context.Context, event Event, by, where string, arg any) (int, error) {
	var gone []engine.Rule
	run := func(ctx context.Context, t *tx) (err error) {
		gone, err = s.deleteRules(ctx, t, event, by, where, arg)
		return err
	}
	after := func() {
		for _, r := range gone {
			s.rules.drop(r.ID)
		}
	}
	if err := s.writer.do(ctx, &job{run: run, after: after}); err != nil {
		return 0, err
	}
	return len(gone), nil
}

func (s *Store) deleteRules(ctx context.Context, t *tx, event Event, by, where string, arg any) ([]engine.Rule, error) {
	gone, err := selectRules(ctx, t, " WHERE "+where, arg)
	if err != nil {
		return nil, err
	}
	if len(gone) == 0 {
		return nil, ErrNotFound
	}
	for _, r := range gone {
		t.changed(KindRule, r.ID)
		for _, table := range []string{"rules WHERE id", "rule_uses WHERE rule_id"} {
			if _, err := t.ExecContext(ctx, "DELETE FROM "+table+" = ?", r.ID); err != nil {
				return nil, err
			}
		}
		if err := s.auditRule(t, event, r.Rule, by); err != nil {
			return nil, err
		}
	}
	return plain(gone), nil
}

// auditRule records a change of a rule in the change's own transaction.
func (s *Store) auditRule(t *tx, event Event, r engine.Rule, by string) error {
	row := Row{Event: event, Tool: r.Tool, DecidedBy: by, RuleID: r.ID, Digest: ruleDigest(r),
		RuleText: r.Behavior.String() + " " + r.String(), Detail: strings.TrimSpace(string(r.Scope) + " " + r.ScopeKey)}
	switch r.Scope {
	case engine.Agent:
		row.Agent = r.ScopeKey
	case engine.Session:
		row.Session = r.ScopeKey
	}
	row, err := s.clean(row)
	if err != nil {
		return err
	}
	t.chain.add(&row)
	return nil
}

// ruleDigest is the SHA-256 over a rule's whole content. A stored rule with another digest than its
// audit row was changed outside Callgate.
func ruleDigest(r engine.Rule) string {
	r.CreatedAt, r.ExpiresAt = time.Unix(0, nanos(r.CreatedAt)).UTC(), time.Unix(0, nanos(r.ExpiresAt)).UTC()
	text, err := json.Marshal(r)
	if err != nil {
		return "" // never: a rule is strings and two times
	}
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:])
}

// expired reports whether the rule's time is over.
func expired(r engine.Rule, now time.Time) bool {
	return !r.ExpiresAt.IsZero() && !r.ExpiresAt.After(now)
}

// outlives reports whether the expiry a is later than b; zero is never.
func outlives(a, b time.Time) bool {
	return !b.IsZero() && (a.IsZero() || a.After(b))
}

// nanos is a time as it is stored; the zero time is 0.
func nanos(t time.Time) int64 {
	if t.IsZero() {
		return 0
	}
	return t.UnixNano()
}

// The first and the last moment in nanoseconds since 1970.
var firstMoment, lastMoment = time.Unix(0, math.MinInt64), time.Unix(0, math.MaxInt64)

// moment is a time for comparisons with stored ones, in nanoseconds since 1970. Times out of range,
// where UnixNano returns garbage, are the first or the last.
func moment(t time.Time) int64 {
	switch {
	case t.Before(firstMoment):
		return math.MinInt64
	case t.After(lastMoment):
		return math.MaxInt64
	}
	return t.UnixNano()
}

// fromNanos turns nanos round.
func fromNanos(n int64) time.Time {
	if n == 0 {
		return time.Time{}
	}
	return time.Unix(0, n).UTC()
}

// list is a list of texts as it is stored.
func list(texts []string) string {
	if len(texts) == 0 {
		return ""
	}
	text, _ := json.Marshal(texts) // a list of strings always encodes
	return string(text)
}

func unlist(text string) (texts []string, err error) {
	if text == "" {
		return nil, nil
	}
	err = json.Unmarshal([]byte(text), &texts)
	return texts, err
}

const ruleColumns = `id, tool, content, behavior, source, scope, scope_key, created_by, created_at, expires_at,
	reason, match, not_match, audit_seq, server`

// storedRule is a rule with its admitting audit row.
type storedRule struct {
	engine.Rule
	auditSeq int64
}

func plain(stored []storedRule) []engine.Rule {
	rules := make([]engine.Rule, len(stored))
	for i, r := range stored {
		rules[i] = r.Rule
	}
	return rules
}

func findSame(ctx context.Context, q queryer, r engine.Rule) (*engine.Rule, error) {
	found, err := selectRules(ctx, q,
		" WHERE scope = ? AND scope_key = ? AND tool = ? AND behavior = ? AND server = ? AND coalesce(content, '*') = coalesce(?, '*')",
		string(r.Scope), r.ScopeKey, r.Tool, r.Behavior.String(), r.Server, r.Content)
	if err != nil || len(found) == 0 {
		return nil, err
	}
	return &found[0].Rule, nil
}

func selectRules(ctx context.Context, q queryer, where string, args ...any) ([]storedRule, error) {
	return selectRulesBy(ctx, q, where, "created_at, id", args...)
}

// selectRulesBy is selectRules in an order of its own.
func selectRulesBy(ctx context.Context, q queryer, where, order string, args ...any) ([]storedRule, error) {
	rows, err := q.QueryContext(ctx, "SELECT "+ruleColumns+" FROM rules"+where+" ORDER BY "+order, args...)
	if err != nil {
		return nil, err
	}
	defer rows.Close() // its error comes out of rows.Err
	var found []storedRule
	for rows.Next() {
		r, err := scanRule(rows)
		if err != nil {
			return nil, fmt.Errorf("%w: table rules: %w", ErrCorrupt, err)
		}
		found = append(found, r)
	}
	return found, rows.Err()
}

func scanRule(rows *sql.Rows) (r storedRule, err error) {
	var content sql.NullString
	var behavior, scope, match, notMatch string
	var created, expires int64
	if err := rows.Scan(&r.ID, &r.Tool, &content, &behavior, &r.Source, &scope, &r.ScopeKey, &r.CreatedBy,
		&created, &expires, &r.Reason, &match, &notMatch, &r.auditSeq, &r.Server); err != nil {
		return r, err
	}
	if content.Valid {
		r.Content = &content.String
	}
	r.CreatedAt, r.ExpiresAt = fromNanos(created), fromNanos(expires)
	var errs [4]error
	r.Behavior, errs[0] = engine.ParseBehavior(behavior)
	r.Scope, errs[1] = engine.ParseScope(scope)
	r.Match, errs[2] = unlist(match)
	r.NotMatch, errs[3] = unlist(notMatch)
	return r, errors.Join(errs[:]...)
}
