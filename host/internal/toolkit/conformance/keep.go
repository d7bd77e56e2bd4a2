package conformance

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/callgate/callgate/host/internal/approval/card"
	"github.com/callgate/callgate/host/internal/machine/atomicfile"
	"github.com/callgate/callgate/host/internal/toolkit/workbench/cases"
)

// Keep adds findings to a file of cases, each once, for `callgate tool test` to find them
// again. The file and its directory are made if missing; it is replaced whole, or not at all.
func Keep(file string, findings []Finding) error {
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		return err
	}
	text, err := os.ReadFile(file)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	for _, f := range findings {
		if f.Case == nil {
			continue
		}
		name := f.caseName()
		if strings.Contains(string(text), name) {
			continue
		}
		entry, err := f.Case.YAML(name)
		if err != nil {
			return err
		}
		text = fmt.Appendf(text, "# %s\n%s", card.Line(f.Title), entry)
	}
	if _, err := cases.Parse(file, text); err != nil {
		return fmt.Errorf("the findings are not written: %w", err)
	}
	return atomicfile.Write(file, text, nil)
}

// caseName is one of the finding's own.
func (f Finding) caseName() string {
	sum := sha256.Sum256(append([]byte(f.ID+f.Tool+f.Verb), f.Case.Call.Input...))
	return fmt.Sprintf("%s of %s %s", f.ID, f.Tool, hex.EncodeToString(sum[:4]))
}
