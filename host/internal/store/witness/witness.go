package witness

import (
	"crypto/ed25519"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"golang.org/x/mod/sumdb/note"
	"golang.org/x/mod/sumdb/tlog"

	"github.com/callgate/callgate/host/internal/machine/atomicfile"
	"github.com/callgate/callgate/host/internal/machine/securedir"
	"github.com/callgate/callgate/host/internal/store/proof"
)

// Config are the parts of a Witness. All but Log and Now are required.
type Config struct {
	// Name is the witness's own, such as the host name of its address.
	Name string
	// Logs are the keys of the audits that it signs for.
	Logs []proof.Key
	// Dir is the private directory of its key and of the checkpoints it signed last.
	Dir string
	// Log hears of refused checkpoints; nil means silence.
	Log *slog.Logger
	// Now is the clock; nil means time.Now.
	Now func() time.Time
}

// Witness signs checkpoints. It is safe for concurrent use.
type Witness struct {
	c      Config
	key    proof.Witness
	signer note.Signer

	mu   sync.Mutex
	logs map[string]*known // by the log's name
}

// known is a log, and the checkpoint signed last; the zero one before the first.
type known struct {
	key    proof.Key
	signed proof.Checkpoint
}

// KeyFile is the name of the key's file in the directory.
const KeyFile = "witness.key"

// Open reads the key, or makes one, and the checkpoints signed last. Only one program may use a
// directory at a time.
func Open(c Config) (*Witness, error) {
	if c.Log == nil {
		c.Log = slog.New(slog.DiscardHandler)
	}
	if c.Now == nil {
		c.Now = time.Now
	}
	if c.Name == "" || strings.ContainsAny(c.Name, " \t\r\n+") {
		return nil, fmt.Errorf("the name %q of the witness: want one without spaces and +, such as witness.example.org", c.Name)
	}
	if err := securedir.MakePrivate(c.Dir); err != nil {
		return nil, err
	}
	private, _, err := securedir.SigningKey(filepath.Join(c.Dir, KeyFile))
	if err != nil {
		return nil, fmt.Errorf("the key of the witness: %w", err)
	}
	w := &Witness{c: c, key: proof.NewWitness(c.Name, private.Public().(ed25519.PublicKey)), logs: map[string]*known{}}
	w.signer = proof.Cosigner(c.Name, private, func() uint64 { return uint64(c.Now().Unix()) })
	for _, key := range c.Logs {
		if w.logs[key.Name()] != nil {
			return nil, fmt.Errorf("the log %s is named twice", key.Name())
		}
		if w.logs[key.Name()], err = w.readLast(key); err != nil {
			return nil, err
		}
	}
	return w, nil
}

// Key is the witness's public key.
func (w *Witness) Key() proof.Witness { return w.key }

// lastPath is the file with the checkpoint of a log signed last.
func (w *Witness) lastPath(log string) string {
	sum := sha256.Sum256([]byte(log))
	return filepath.Join(w.c.Dir, hex.EncodeToString(sum[:8])+".checkpoint")
}

func (w *Witness) readLast(key proof.Key) (*known, error) {
	path := w.lastPath(key.Name())
	text, err := securedir.ReadFile(path, proof.MaxCheckpoint)
	if errors.Is(err, fs.ErrNotExist) {
		return &known{key: key}, nil
	}
	if err != nil {
		return nil, err
	}
	signed, err := proof.Open(string(text), key)
	if err != nil {
		return nil, fmt.Errorf("%s, the checkpoint signed last: %w; restore a copy", path, err)
	}
	return &known{key, signed.Checkpoint}, nil
}

// The refusals of a checkpoint.
var (
	errUnknown  = errors.New("this witness does not know the log")
	errKey      = errors.New("the log's key has not signed it")
	errRequest  = errors.New("not a request of a checkpoint")
	errSize     = errors.New("another checkpoint was signed last")
	errFork     = errors.New("it is another history than the one signed last")
	errNotProof = errors.New("the proof does not show that it extends the one signed last")
)

// add signs a checkpoint that extends the one signed last, of old rows, and returns the signature's
// line. On errSize, size is that of the last one. It is on disk before the signature leaves, so a
// witness that restarts does not sign another history.
func (w *Witness) add(r request) (line string, size int64, err error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	log := w.logs[r.origin()]
	if log == nil {
		return "", 0, errUnknown
	}
	now, err := proof.Open(r.checkpoint, log.key)
	if err != nil {
		return "", 0, fmt.Errorf("%w: %w", errKey, err)
	}
	last := log.signed
	switch {
	case r.old > now.Size:
		return "", 0, fmt.Errorf("%w: it has %d rows, fewer than the old one's %d", errRequest, now.Size, r.old)
	case r.old != last.Size:
		return "", last.Size, errSize
	case now.Size == last.Size && now.Root != last.Root && last.Size > 0:
		return "", 0, w.shout(errFork, last, r)
	case last.Size > 0 && tlog.CheckTree(r.path, now.Size, now.Root, last.Size, last.Root) != nil:
		return "", 0, w.shout(errNotProof, last, r)
	}
	text, err := now.Sign(w.signer)
	if err != nil {
		return "", 0, err
	}
	if now.Checkpoint != last {
		if err := atomicfile.Write(w.lastPath(now.Origin), []byte(r.checkpoint), nil); err != nil {
			return "", 0, err
		}
		log.signed = now.Checkpoint
		w.c.Log.Info("signed a checkpoint", "log", now.Origin, "rows", now.Size)
	}
	_, line, _ = strings.Cut(text, "\n\n")
	return line, 0, nil
}

// shout logs a checkpoint with a valid signature of the log that contradicts the last one.
func (w *Witness) shout(err error, last proof.Checkpoint, r request) error {
	w.c.Log.Error("refused a checkpoint: the log may have been rewritten", "log", last.Origin, "rows", last.Size, "error", err, "checkpoint", r.checkpoint)
	return err
}
