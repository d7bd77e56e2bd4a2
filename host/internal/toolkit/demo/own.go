package demo

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/callgate/callgate/host/internal/daemon"
	"github.com/callgate/callgate/host/internal/modules"
	"github.com/callgate/callgate/host/wire"
)

// ownFile is the name of the third party's module in the directory of modules.
const ownFile = "deploy.wasm"

// ownCalls are the agent's calls of the tool; ownLater those after its module's file was
// replaced.
var (
	ownCalls = []string{
		`{"operation":"deploy","target":"staging/web"}`,
		`{"operation":"deploy","target":"staging/web"}`,
		`{"operation":"rollback","target":"staging/web"}`,
		`{"operation":"deploy","target":"prod/web"}`,
	}
	ownLater = []string{`{"operation":"deploy","target":"staging/web"}`}
)

// own shows the life of a third party's module: it gets a grant, judges calls, and its file is
// replaced by one without a grant.
func (r *replayer) own(ctx context.Context, d *daemon.Daemon, wasm []byte) error {
	r.out.title("a-tool-of-your-own")
	done, err := d.Host.Catalog.Add(ctx, modules.Request{File: ownFile, Wasm: wasm, By: "demo approver"})
	if err != nil {
		return err
	}
	r.out.granted(done)
	if err := r.ownCalls(ctx, "before", ownCalls); err != nil {
		return err
	}
	if err := r.replaced(ctx, d, wasm); err != nil {
		return err
	}
	return r.ownCalls(ctx, "after", ownLater)
}

func (r *replayer) ownCalls(ctx context.Context, when string, inputs []string) error {
	for i, input := range inputs {
		req := wire.Request{CallID: fmt.Sprintf("own_%s_%d", when, i), Tool: "Deploy", Input: json.RawMessage(input)}
		req.Context.Session, req.Context.CWD, req.Context.Mode = "a-tool-of-your-own", r.project, "default"
		if err := r.put(ctx, req); err != nil {
			return err
		}
	}
	return nil
}

// replaced writes other bytes into the module's file, as anyone with write access can; then a
// person in haste pins them, without granting the new requests.
func (r *replayer) replaced(ctx context.Context, d *daemon.Daemon, wasm []byte) error {
	other := bytes.Replace(wasm, []byte(`["deploy"]`), []byte(`["Bash"]  `), 1)
	if bytes.Equal(other, wasm) {
		return errors.New("the module does not call itself deploy")
	}
	if err := os.WriteFile(filepath.Join(d.Host.Config().Modules.Dir, ownFile), other, 0o600); err != nil {
		return err
	}
	outcome, err := d.Host.Catalog.Reload(ctx)
	if err != nil {
		return err
	}
	at := slices.IndexFunc(outcome.Problems, func(p modules.Problem) bool { return p.File == ownFile })
	if at < 0 {
		return fmt.Errorf("%s was replaced, and the gate accepted it", ownFile)
	}
	_, err = d.Host.Catalog.Pin(ctx, modules.Request{File: ownFile, By: "demo approver"})
	if !errors.Is(err, modules.ErrNeedsGrant) {
		return fmt.Errorf("%s names itself otherwise, and pinning it gave %w", ownFile, err)
	}
	r.out.refused(outcome.Problems[at].Err, err)
	return nil
}

// granted prints a person's view of a module before its use, and its acceptance.
func (p printer) granted(done wire.ModuleChange) {
	var names []string
	for _, t := range done.Tools {
		names = append(append(names, t.Name), t.Aliases...)
	}
	fmt.Fprintf(p.w, "module   %s %s, %d bytes, sha256 %.12s; declares: %s\n", done.Name, done.Version, done.Size, done.Digest, done.Summary)
	fmt.Fprintf(p.w, "declares %s\n", strings.Join(names, ", "))
	p.text(fmt.Sprintf("granted  names %s; its own allow counts: %s, its own read-only: %s (by the demo approver)",
		strings.Join(done.Grant.Names, ", "), yes(done.Grant.MayAllow), yes(done.Grant.MayReadOnly)))
	fmt.Fprintf(p.w, "in use after %s\n", done.Took.Round(100*time.Microsecond))
}

func yes(b bool) string {
	if b {
		return "yes"
	}
	return "no"
}

// refused prints the fate of bytes without a grant.
func (p printer) refused(loading, pinning error) {
	fmt.Fprintln(p.w, "Its file is replaced by one that also claims the name Bash:")
	p.text(fmt.Sprintf("refused  %s", loading))
	p.text(fmt.Sprintf("refused  %s", pinning))
	fmt.Fprintln(p.w, "The granted version stays in use:")
}
