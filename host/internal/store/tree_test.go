package store_test

import (
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"golang.org/x/mod/sumdb/tlog"
	"pgregory.net/rapid"

	"github.com/callgate/callgate/host/internal/store"
)

// grown is the store's tree with all rows.
func grown(t *testing.T, s *store.Store) store.Tree {
	t.Helper()
	tree, err := s.GrowTree(t.Context())
	must(t, err)
	return tree
}

// A tree grown in steps is the one that RFC 6962 defines over all rows, and each of its rows has a
// proof for each later size.
func TestGrowTree_isTheTreeOverAllRows(t *testing.T) {
	t.Parallel()
	s := fresh(t)
	for _, n := range []int{1, 1, 2, 251, 1, 1, 3, 400} {
		appendMany(t, s, n)
		grown(t, s)
	}
	rows := rowsOf(t, s, store.Filter{})
	if tree := grown(t, s); tree.Size != 660 || len(rows) != 660 || tree.Base != 0 || tree.Origin == "" {
		t.Fatalf("got %+v over %d rows, want 660 leaves", tree, len(rows))
	}
	verified(t, s)
	hashes := s.TreeHashes(t.Context())
	rapid.Check(t, func(rt *rapid.T) {
		size := rapid.Int64Range(1, 660).Draw(rt, "size")
		leaf := rapid.Int64Range(0, size-1).Draw(rt, "leaf")
		want := rootOf(t, rows[:size])
		if got, err := tlog.TreeHash(size, hashes); err != nil || got != want {
			rt.Fatalf("root: got %v, %v, want %v", got, err, want)
		}
		proof, err := tlog.ProveRecord(size, leaf, hashes)
		must(t, err)
		must(t, tlog.CheckRecord(proof, size, want, leaf, tlog.RecordHash(rows[leaf].Hash[:])))
	})
}

// rootOf is the root over rows, computed apart from the store.
func rootOf(t *testing.T, rows []store.Row) tlog.Hash {
	t.Helper()
	var stored []tlog.Hash
	read := tlog.HashReaderFunc(func(at []int64) (out []tlog.Hash, err error) {
		for _, i := range at {
			out = append(out, stored[i])
		}
		return out, nil
	})
	for i, row := range rows {
		hashes, err := tlog.StoredHashes(int64(i), row.Hash[:], read)
		must(t, err)
		stored = append(stored, hashes...)
	}
	root, err := tlog.TreeHash(int64(len(rows)), read)
	must(t, err)
	return root
}

// Rows removed by retention stay in the tree, so earlier checkpoints hold and later rows have proofs.
func TestGrowTree_outlivesPruning(t *testing.T) {
	t.Parallel()
	s, _ := aged(t, 700)
	rows := rowsOf(t, s, store.Filter{})
	_, err := s.PruneAudit(t.Context(), start.Add(600*time.Minute), "ann")
	must(t, err)
	tree := grown(t, s)
	if tree.Base != 0 || tree.Size < 701 {
		t.Fatalf("got %+v, want all rows from the first on", tree)
	}
	hashes := s.TreeHashes(t.Context())
	want := rootOf(t, rows)
	if got, err := tlog.TreeHash(700, hashes); err != nil || got != want {
		t.Errorf("root before the removal: got %v, %v, want %v", got, err, want)
	}
	root, err := tlog.TreeHash(tree.Size, hashes)
	must(t, err)
	proof, err := tlog.ProveTree(tree.Size, 700, hashes)
	must(t, err)
	must(t, tlog.CheckTree(proof, tree.Size, root, 700, want))
	if r := verified(t, s); r.Tree == nil || r.Tree.Size != tree.Size || tlog.Hash(r.Tree.Root) != root {
		t.Errorf("verify: got %+v, want the tree of %d rows", r.Tree, tree.Size)
	}
	if tree = grown(t, reopened(t, s)); tree.Size < 701 {
		t.Errorf("reopened: got %+v", tree)
	}
}

// TestT15_TreeTellsARewrittenChain: a writer of the file computes a whole new chain, with its head;
// the tree still has the old hashes. A change of the tree's own hashes is told as well.
func TestT15_TreeTellsARewrittenChain(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(t *testing.T, s *store.Store){
		"new chain": func(t *testing.T, s *store.Store) { rewriteFrom(t, s, 300) },
		"last row":  func(t *testing.T, s *store.Store) { rewriteFrom(t, s, 600) },
		"leaf":      func(t *testing.T, s *store.Store) { tamper(t, s.Path(), flip(0, 1, 40)) },
		"node":      func(t *testing.T, s *store.Store) { tamper(t, s.Path(), flip(1, 0, 33)) },
		"no tile":   func(t *testing.T, s *store.Store) { tamper(t, s.Path(), "DELETE FROM audit_tiles WHERE number = 1") },
		"no tree":   func(t *testing.T, s *store.Store) { tamper(t, s.Path(), "UPDATE audit_tree SET size = 601") },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			sqliteOnly(t)
			s := fresh(t)
			appendMany(t, s, 600)
			grown(t, s)
			verified(t, s)
			change(t, s)
			r, err := s.VerifyAudit(t.Context())
			if err != nil || r.OK() {
				t.Fatalf("verify: got %+v, %v, want a break", r, err)
			}
		})
	}
}

// flip changes a byte of a stored tile.
func flip(level, number, at int) string {
	return fmt.Sprintf(`UPDATE audit_tiles SET hashes = CAST(substr(hashes, 1, %d) || CASE substr(hashes, %[2]d, 1) WHEN x'00' THEN x'01' ELSE x'00' END || substr(hashes, %d) AS BLOB)
		WHERE level = %d AND number = %d`, at, at+1, at+2, level, number)
}

// rewriteFrom gives a row another detail, and it and all later ones the hashes of a whole chain.
func rewriteFrom(t *testing.T, s *store.Store, seq int64) {
	t.Helper()
	rows := rowsOf(t, s, store.Filter{After: seq - 2})
	rows[1].Detail = "something else"
	for i := 1; i < len(rows); i++ {
		rows[i].Prev = rows[i-1].Hash
		rows[i].Hash = rows[i].Sum()
		tamper(t, s.Path(), "UPDATE audit_log SET detail = ?, prev = ?, hash = ? WHERE seq = ?", rows[i].Detail, rows[i].Prev[:], rows[i].Hash[:], rows[i].Seq)
	}
	last := rows[len(rows)-1]
	tamper(t, s.Path(), "UPDATE audit_head SET hash = ? WHERE one = 1", last.Hash[:])
}

// The tree never covers an altered row, and retention removes nothing then.
func TestGrowTree_stopsAtAnAlteredRow(t *testing.T) {
	t.Parallel()
	s := fresh(t)
	appendMany(t, s, 30)
	grown(t, s)
	appendMany(t, s, 30)
	tamper(t, s.Path(), "UPDATE audit_log SET detail = 'other' WHERE seq = 40")
	if tree, err := s.GrowTree(t.Context()); !errors.Is(err, store.ErrAuditBroken) || tree.Size != 30 {
		t.Errorf("got %+v, %v, want ErrAuditBroken after 30 rows", tree, err)
	}
}

// Several hands extend the tree while rows are appended and removed.
func TestGrowTree_hammer(t *testing.T) {
	t.Parallel()
	s, clock := aged(t, 50)
	var wg sync.WaitGroup
	for range 3 {
		wg.Go(func() { appendMany(t, s, 60) })
		wg.Go(func() {
			for range 5 {
				if _, err := s.GrowTree(t.Context()); err != nil {
					t.Error(err)
				}
			}
		})
		wg.Go(func() {
			if _, err := s.PruneAudit(t.Context(), clock.now().Add(-20*time.Minute), "ann"); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	tree := grown(t, s)
	if r := verified(t, s); tree.Through() != r.Head {
		t.Errorf("got the tree %+v, want it to end at row %d", tree, r.Head)
	}
}

// A checkpoint never goes back, and never covers more than the tree.
func TestSaveCheckpoint_isTheNewest(t *testing.T) {
	t.Parallel()
	s := fresh(t)
	appendMany(t, s, 9)
	grown(t, s)
	for _, c := range []struct {
		size int64
		want string
	}{{5, "at 5"}, {8, "at 8"}, {7, "at 8"}, {10, "at 8"}, {9, "at 9"}} {
		for _, seen := range []bool{false, true} {
			must(t, s.SaveCheckpoint(t.Context(), c.size, fmt.Sprintf("at %d", c.size), seen))
		}
		if tree := grown(t, s); tree.Signed != c.want || tree.Seen != c.want {
			t.Errorf("after %d: got %q and %q, want %q", c.size, tree.Signed, tree.Seen, c.want)
		}
	}
}
