package notary

import (
	"context"
	"crypto/ed25519"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"log/slog"
	"path/filepath"
	"sync"
	"time"

	"golang.org/x/mod/sumdb/note"
	"golang.org/x/mod/sumdb/tlog"

	"github.com/callgate/callgate/host/internal/machine/securedir"
	"github.com/callgate/callgate/host/internal/store"
	"github.com/callgate/callgate/host/internal/store/proof"
)

// Config are the parts of a Notary. Store and State are required.
type Config struct {
	Store *store.Store
	// State is the directory of the key.
	State string
	// Others reports whether another daemon of the store is alive; nil where there is never one.
	Others func(context.Context) bool
	// Witnesses sign the checkpoints too; none is fine.
	Witnesses []Address
	// Log hears of failures; nil means silence.
	Log *slog.Logger
	// Now is the clock; nil means time.Now.
	Now func() time.Time
}

// Notary signs the audit's checkpoints. It is safe for concurrent use.
type Notary struct {
	c       Config
	private ed25519.PrivateKey
	// alone means that no other daemon ran at the start: this one's key counts.
	alone bool

	sealing   sync.Mutex // held while a checkpoint is made
	last      string     // the newest checkpoint of this daemon, as in its file
	witnesses []*witness
	failed    string // the last failure logged by Run
}

// every is the time between two looks for new rows.
const every = time.Minute

// Open reads the key, or makes one. Where another key signed before, the log says so.
func Open(ctx context.Context, c Config) (*Notary, error) {
	if c.Log == nil {
		c.Log = slog.New(slog.DiscardHandler)
	}
	if c.Now == nil {
		c.Now = time.Now
	}
	private, made, err := securedir.SigningKey(filepath.Join(c.State, KeyFile))
	if err != nil {
		return nil, fmt.Errorf("the key of the audit log: %w", err)
	}
	n := &Notary{c: c, private: private, alone: c.Others == nil || !c.Others(ctx)}
	if n.last, err = readLast(c.State); err != nil {
		return nil, err
	}
	for _, at := range c.Witnesses {
		n.witnesses = append(n.witnesses, newWitness(at))
	}
	tree, err := c.Store.Tree(ctx)
	if err == nil && made && tree.Signed != "" && n.alone {
		c.Log.Warn("the key of the audit was missing, and a new one was made: give its public half to everybody who has the old one; see `callgate audit key`", "file", filepath.Join(c.State, KeyFile))
	}
	return n, err
}

// signer signs for the log, and key is its public half.
func (n *Notary) signer(origin string) (note.Signer, proof.Key, error) {
	signer, err := proof.NewSigner(origin, n.private)
	if err != nil {
		return nil, proof.Key{}, err
	}
	key, err := proof.NewKey(origin, n.private.Public().(ed25519.PublicKey))
	return signer, key, err
}

// KeyName names the daemon's key among those of a store: the first half of the SHA-256 of its public
// half, in hex.
func (n *Notary) KeyName() string {
	sum := sha256.Sum256(n.private.Public().(ed25519.PublicKey))
	return hex.EncodeToString(sum[:len(sum)/2])
}

// sealed is the tree with the daemon's own newest checkpoint.
type sealed struct {
	tree store.Tree
	key  proof.Key
	proof.Signed
	text string
}

// ErrOtherKey means that another daemon of the store signs with another key. This one signs nothing:
// a log has one key. RATIONALE.md, "Who has the key of the audit?".
var ErrOtherKey = errors.New("another daemon of this store signs the audit with another key")

// errEmpty means that the audit has no row.
var errEmpty = fmt.Errorf("the audit has no row: %w", store.ErrNotFound)

// seal takes all rows into the tree, verifying them, and signs the result unless that was done.
// store.ErrAuditBroken for an altered row, and for a tree without the rows of an earlier
// checkpoint: neither is ever signed.
func (n *Notary) seal(ctx context.Context) (sealed, error) {
	n.sealing.Lock()
	defer n.sealing.Unlock()
	tree, err := n.c.Store.GrowTree(ctx)
	if err != nil {
		return sealed{}, err
	}
	if tree.Size == 0 {
		return sealed{}, errEmpty
	}
	signer, key, err := n.signer(tree.Origin)
	if err != nil {
		return sealed{}, err
	}
	if _, err := proof.Open(tree.Signed, key); err != nil && tree.Signed != "" && !n.alone {
		return sealed{}, fmt.Errorf("%w: copy %s from the machine of the other one, and restart this daemon", ErrOtherKey, filepath.Join(n.c.State, KeyFile))
	}
	hashes := n.c.Store.TreeHashes(ctx)
	root, err := tlog.TreeHash(tree.Size, hashes)
	if err != nil {
		return sealed{}, err
	}
	now := proof.Checkpoint{Origin: tree.Origin, Size: tree.Size, Root: root}
	for _, earlier := range []string{tree.Signed, n.last} {
		switch old, err := proof.Open(earlier, key); {
		case err != nil: // none yet, of another store, or of another daemon
		case old.Checkpoint == now:
			return sealed{tree, key, old, earlier}, n.keep(earlier)
		default:
			if err := extends(old.Checkpoint, now, hashes); err != nil {
				return sealed{}, fmt.Errorf("%w (%s); after restoring a backup on purpose, delete that file", err, lastPath(n.c.State))
			}
		}
	}
	out := sealed{tree: tree, key: key, Signed: proof.Signed{Checkpoint: now}}
	if out.text, err = now.Sign(signer); err != nil {
		return sealed{}, err
	}
	return out, errors.Join(n.c.Store.SaveCheckpoint(ctx, now.Size, out.text, false), n.keep(out.text))
}

// extends verifies that a tree begins with the rows of an earlier checkpoint.
func extends(old, now proof.Checkpoint, hashes tlog.HashReader) error {
	if old.Size > now.Size {
		return fmt.Errorf("%w: it went back: the last checkpoint has %d rows, the tree %d", store.ErrAuditBroken, old.Size, now.Size)
	}
	path, err := tlog.ProveTree(now.Size, old.Size, hashes)
	if err == nil && tlog.CheckTree(path, now.Size, now.Root, old.Size, old.Root) != nil {
		err = fmt.Errorf("%w: it was rewritten: the tree does not begin with the %d rows of the last checkpoint", store.ErrAuditBroken, old.Size)
	}
	return err
}

// Run signs and has signed what is new, at once and each minute until ctx ends, and once more then.
func (n *Notary) Run(ctx context.Context) {
	tick := time.NewTicker(every)
	defer tick.Stop()
	for ctx.Err() == nil {
		n.Sign(ctx)
		select {
		case <-ctx.Done():
		case <-tick.C:
		}
	}
	last, cancel := context.WithTimeout(context.WithoutCancel(ctx), endPatience)
	defer cancel()
	if _, err := n.seal(last); err != nil && !errors.Is(err, errEmpty) {
		n.c.Log.Warn("the last checkpoint of the audit was not signed; the next start does it", "error", err)
	}
}

// endPatience bounds the last checkpoint.
const endPatience = 5 * time.Second

// Sign signs what is new, and has the witnesses sign. A failure is logged when it is another than
// before. It is for one goroutine: that of Run.
func (n *Notary) Sign(ctx context.Context) {
	s, err := n.seal(ctx)
	if err == nil {
		n.cosign(ctx, s)
	}
	text := ""
	if err != nil && ctx.Err() == nil && !errors.Is(err, errEmpty) {
		text = err.Error()
	}
	if text != "" && text != n.failed {
		n.c.Log.Error("the audit could not be signed; run `callgate doctor`", "error", err)
	}
	n.failed = text
}

// VerifyNew verifies the rows since the newest checkpoint, that checkpoint itself, and signs what is
// new. It takes milliseconds where Verify reads everything.
func (n *Notary) VerifyNew(ctx context.Context) (store.Report, error) {
	s, err := n.seal(ctx)
	if err != nil {
		return store.Report{}, err
	}
	return store.Report{From: s.tree.Base + 1, Rows: s.tree.Size, Head: s.tree.Through()}, nil
}
