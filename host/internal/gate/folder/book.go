package folder

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/callgate/callgate/host/internal/gate/target"
	"github.com/callgate/callgate/host/internal/store"
	"github.com/callgate/callgate/host/wire"
)

// Store keeps the list; store.Store is one.
type Store interface {
	Setting(ctx context.Context, name string) ([]byte, error)
	SaveSetting(ctx context.Context, name string, value []byte, row store.Row) error
}

// Looker finds folders; target.Resolver is one.
type Looker interface {
	Folder(ctx context.Context, dir string) (target.Folder, error)
	SameFolders(ctx context.Context, folders []target.Folder) ([]bool, error)
}

// The errors of a Book.
var (
	// ErrRefused marks a folder refused by the laws, or different from the one shown.
	ErrRefused = errors.New("this folder cannot be trusted")
	// ErrUnknown means: no trusted folder has that id.
	ErrUnknown = errors.New("no such trusted folder")
)

// setting is the list's name in the store; maxFolders bounds it.
const (
	setting    = "trusted_folders"
	maxFolders = 1000
)

// patience bounds a write; it goes on without its caller.
const patience = 10 * time.Second

// entry is one trusted folder as it is kept.
type entry struct {
	wire.Folder
	// File is target.Folder.File when it was trusted.
	File string `json:"file"`
}

// Config are the parts of a Book. All members but Log are required.
type Config struct {
	Laws   func() Laws
	Store  Store
	Looker Looker
	Now    func() time.Time
	Log    *slog.Logger
}

// Book is the list of trusted folders. It is safe for concurrent use.
type Book struct {
	c Config

	mu     sync.Mutex
	loaded bool
	all    []entry // replaced as a whole
}

// NewBook returns a book over its parts.
func NewBook(c Config) *Book {
	if c.Log == nil {
		c.Log = slog.New(slog.DiscardHandler)
	}
	return &Book{c: c}
}

// entries are those in the store, read once.
func (b *Book) entries(ctx context.Context) ([]entry, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.held(ctx)
}

// Forgets drops the copy of the stored list when name is its setting, or empty. It reports whether
// it could: not during a change.
func (b *Book) Forgets(name string) bool {
	if name != "" && name != setting {
		return true
	}
	if !b.mu.TryLock() {
		return false
	}
	defer b.mu.Unlock()
	b.loaded = false
	return true
}

// held is entries with the lock taken.
func (b *Book) held(ctx context.Context) ([]entry, error) {
	if b.loaded {
		return b.all, nil
	}
	var all []entry
	if err := store.ReadSetting(ctx, b.c.Store, setting, &all); err != nil {
		return nil, fmt.Errorf("the trusted folders cannot be read, so none counts: take them back with callgate folders forget --all: %w", err)
	}
	b.all, b.loaded = all, true
	return all, nil
}

// save stores the list with the row for the change. The caller holds the lock.
func (b *Book) save(ctx context.Context, next []entry, row store.Row) error {
	text, err := json.Marshal(next)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), patience)
	defer cancel()
	row.Time = b.c.Now()
	if err := b.c.Store.SaveSetting(ctx, setting, text, row); err != nil {
		return err
	}
	b.all, b.loaded = next, true
	return nil
}

// Find returns the folder to offer for calls from dir; ErrRefused, with why, when there is
// none. After any other error it is unknown.
func (b *Book) Find(ctx context.Context, dir string) (target.Folder, error) {
	f, err := b.c.Looker.Folder(ctx, dir)
	if errors.Is(err, target.ErrNoProject) {
		return f, fmt.Errorf("%w: %s: %w", ErrRefused, dir, err)
	}
	if err != nil {
		return f, err
	}
	if why := b.c.Laws().Refuse(f); why != "" {
		return f, fmt.Errorf("%w: %s %s", ErrRefused, f.Path, why)
	}
	return f, nil
}

// Trusting is one change of the list.
type Trusting struct {
	Agent  string
	Folder target.Folder
	Access wire.FolderAccess
	// By is the trusting person, AskID the ask on whose card; Session and User are that ask's.
	By, AskID, Session, User string
}

// Trust keeps a folder for an agent. The folder has to be unchanged since t.Folder, and lawful.
// An agent keeps an earlier, wider access to a folder.
func (b *Book) Trust(ctx context.Context, t Trusting) (wire.Folder, error) {
	if _, err := wire.ParseFolderAccess(string(t.Access)); err != nil || t.Agent == "" {
		return wire.Folder{}, fmt.Errorf("%w: access %w", ErrRefused, cmp.Or(err, errors.New("for no agent")))
	}
	now, err := b.Find(ctx, t.Folder.Path)
	switch {
	case err != nil:
		return wire.Folder{}, err
	case now.Path != t.Folder.Path || now.File != t.Folder.File:
		return wire.Folder{}, fmt.Errorf("%w: the directory at %s was replaced after it was shown", ErrRefused, t.Folder.Path)
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	all, err := b.held(ctx)
	if err != nil {
		return wire.Folder{}, err
	}
	made := entry{Folder: wire.Folder{
		ID: "f" + strings.ToLower(rand.Text()[:7]), Agent: t.Agent, Path: now.Path, Access: t.Access, By: t.By, AskID: t.AskID, At: b.c.Now().UTC(),
	}, File: now.File}
	next := slices.Clone(all)
	if i := slices.IndexFunc(next, func(e entry) bool { return e.Agent == t.Agent && e.Path == now.Path }); i >= 0 {
		if next[i].File == now.File && (next[i].Access == t.Access || next[i].Access == wire.EditFolder) {
			return next[i].Folder, nil
		}
		next = slices.Delete(next, i, i+1)
	}
	if len(next) >= maxFolders {
		return wire.Folder{}, fmt.Errorf("%d folders are trusted already: take some back with callgate folders forget", maxFolders)
	}
	row := store.Row{
		Event: store.EventFolderTrusted, Agent: t.Agent, User: t.User, Session: t.Session, DecidedBy: t.By, AskID: t.AskID,
		Detail: fmt.Sprintf("%s: the agent may %s", now.Path, t.Access.Allows()),
	}
	return made.Folder, b.save(ctx, append(next, made), row)
}

// Forget takes a trusted folder back, in the name of by. ErrUnknown when there is none.
func (b *Book) Forget(ctx context.Context, id, by string) (wire.Folder, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	all, err := b.held(ctx)
	if err != nil {
		return wire.Folder{}, err
	}
	i := slices.IndexFunc(all, func(e entry) bool { return e.ID == strings.ToLower(strings.TrimSpace(id)) })
	if i < 0 {
		return wire.Folder{}, fmt.Errorf("%w: %.40q", ErrUnknown, id)
	}
	gone := all[i].Folder
	row := store.Row{Event: store.EventFolderForgotten, Agent: gone.Agent, DecidedBy: by, Detail: gone.Path + ": trust for " + string(gone.Access) + " taken back"}
	return gone, b.save(ctx, slices.Delete(slices.Clone(all), i, i+1), row)
}

// ForgetAll takes every folder back. It reads nothing: it is the way out when the list
// cannot be read.
func (b *Book) ForgetAll(ctx context.Context, by string) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.save(ctx, []entry{}, store.Row{Event: store.EventFolderForgotten, DecidedBy: by, Detail: "all trusted folders taken back"})
}

// List returns all, of one agent unless agent is empty, in the order of agents and paths.
func (b *Book) List(ctx context.Context, agent string) ([]wire.Folder, error) {
	all, err := b.entries(ctx)
	if err != nil {
		return nil, err
	}
	all = ofAgent(all, agent)
	standing, err := b.standing(ctx, all)
	if err != nil {
		return nil, err
	}
	out := make([]wire.Folder, len(all))
	for i, e := range all {
		out[i], out[i].Problem = e.Folder, standing[i]
	}
	slices.SortFunc(out, func(a, b wire.Folder) int { return cmp.Or(cmp.Compare(a.Agent, b.Agent), cmp.Compare(a.Path, b.Path)) })
	return out, nil
}

// Of returns the folders in force for an agent now: for reading, and those of them for editing.
// An unknown folder does not count, and the log says why.
func (b *Book) Of(ctx context.Context, agent string) (read, edit []string) {
	all, err := b.entries(ctx)
	if err != nil {
		b.c.Log.Warn("the trusted folders could not be read", "error", err)
		return nil, nil
	}
	if all = ofAgent(all, agent); len(all) == 0 || agent == "" {
		return nil, nil
	}
	standing, err := b.standing(ctx, all)
	if err != nil {
		b.c.Log.Warn("the trusted folders could not be looked at", "agent", agent, "error", err)
		return nil, nil
	}
	for i, e := range all {
		if standing[i] != "" {
			continue
		}
		switch e.Access {
		case wire.EditFolder:
			read, edit = append(read, e.Path), append(edit, e.Path)
		case wire.ReadFolder:
			read = append(read, e.Path)
		}
	}
	return read, edit
}

func ofAgent(all []entry, agent string) []entry {
	if agent == "" {
		return all
	}
	var out []entry
	for _, e := range all {
		if e.Agent == agent {
			out = append(out, e)
		}
	}
	return out
}

// standing says of each why it does not count; empty when it does.
func (b *Book) standing(ctx context.Context, all []entry) ([]string, error) {
	if len(all) == 0 {
		return nil, nil
	}
	laws := b.c.Laws()
	folders, out := make([]target.Folder, len(all)), make([]string, len(all))
	for i, e := range all {
		folders[i] = target.Folder{Path: e.Path, File: e.File}
	}
	same, err := b.c.Looker.SameFolders(ctx, folders)
	if err != nil {
		return nil, fmt.Errorf("look at the trusted folders: %w", err)
	}
	for i := range all {
		switch why := laws.Refuse(folders[i]); {
		case why != "":
			out[i] = "it " + why
		case !same[i]:
			out[i] = "it was moved, removed or replaced since: trust it again"
		}
	}
	return out, nil
}
