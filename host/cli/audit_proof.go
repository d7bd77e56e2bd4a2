package cli

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/callgate/callgate/host/internal/approval/card"
	"github.com/callgate/callgate/host/internal/client"
	"github.com/callgate/callgate/host/internal/store/history"
	"github.com/callgate/callgate/host/internal/store/proof"
)

// written is the output of audit prove.
type written struct {
	File string `json:"file"`
	proof.Checked
}

func auditProve(c *cli) *cobra.Command {
	var output string
	cmd := &cobra.Command{
		Use:   "prove SEQ",
		Short: "Write a file that proves one row without the daemon",
		Long: `Writes one file with the row, its place in the audit's Merkle tree, and a checkpoint
signed with the daemon's key. An approval signed by a passkey is in it, with the row that
added the passkey. callgate audit check-proof verifies the file on any machine. Secrets
in inputs are masked, as in the audit.`,
		Example: "  callgate audit prove 42\n  callgate audit prove 42 --output approval.json",
		Args:    cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			seq, err := rowNumber(args[0])
			if err != nil {
				return err
			}
			return c.withClient("", func(client *client.Client) error {
				file, err := client.ProveAudit(cmd.Context(), seq)
				if err != nil {
					return seeAlso(err, "callgate audit list")
				}
				checked, err := file.Check(nil, nil)
				if err != nil {
					return err
				}
				text, err := file.Pages()
				if err != nil {
					return err
				}
				name := cmp.Or(output, fmt.Sprintf("audit-%d.proof.json", seq))
				if err := writeNew(name, text); err != nil {
					return err
				}
				return c.print(cmd.OutOrStdout(), written{name, checked}, func(w io.Writer) {
					fmt.Fprintf(w, "%s proves row %d of %s\nkey: %s\nverify it anywhere: callgate audit check-proof %s --key KEY\n", name, seq, checked.Log, checked.Key, name)
				})
			})
		},
	}
	cmd.Flags().StringVar(&output, "output", "", "a new file to write (default: audit-SEQ.proof.json)")
	return cmd
}

// writeNew writes a file that does not exist yet.
func writeNew(name string, text []byte) error {
	f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	_, err = f.Write(text)
	return errors.Join(err, f.Close())
}

// verdict is the output of audit check-proof.
type verdict struct {
	Valid  bool            `json:"valid"`
	Error  string          `json:"error,omitempty"`
	Proofs []proof.Checked `json:"proofs"`
}

func auditCheckProof(c *cli) *cobra.Command {
	var keys, witnesses []string
	cmd := &cobra.Command{
		Use:   "check-proof FILE",
		Short: "Verify a proof without daemon, store or network",
		Long: `Verifies a file of callgate audit prove, or of callgate audit export --format proof: the
hash of the row, its path to the root of the tree, the signature of the checkpoint, and
the signature of the approver's device. Exit code 1 when anything is wrong.

A file brings the key of its checkpoint along. With --key, only this key counts: take it
from callgate audit key, on a way that the sender of the file does not control. With
--witness, this witness must have signed too.`,
		Example: "  callgate audit check-proof audit-42.proof.json --key audit.pub\n  callgate audit check-proof audit-42.proof.json --json",
		Args:    cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			known, err := each(keys, proof.ParseKey)
			if err != nil {
				return fmt.Errorf("--key: %w", err)
			}
			seen, err := each(witnesses, proof.ParseWitness)
			if err != nil {
				return fmt.Errorf("--witness: %w", err)
			}
			out, err := checkProofs(args[0], known, seen)
			if err != nil && !errors.Is(err, proof.ErrFile) {
				return err
			}
			if err := c.print(cmd.OutOrStdout(), out, func(w io.Writer) { printVerdict(w, out) }); err != nil || out.Valid {
				return err
			}
			return exit(exitDeny)
		},
	}
	cmd.Flags().StringArrayVar(&keys, "key", nil, "a trusted public key, or a file with one (repeatable)")
	cmd.Flags().StringArrayVar(&witnesses, "witness", nil, "the public key of a required witness, or a file with one (repeatable)")
	return cmd
}

// each parses keys, given as they are or in files.
func each[K any](texts []string, parse func(string) (K, error)) (out []K, err error) {
	for _, text := range texts {
		if !strings.Contains(text, "+") {
			data, err := os.ReadFile(text)
			if err != nil {
				return nil, err
			}
			text = strings.TrimSpace(string(data))
		}
		key, err := parse(text)
		if err != nil {
			return nil, err
		}
		out = append(out, key)
	}
	return out, nil
}

// checkProofs verifies each proof of a file and stops at the first bad one.
func checkProofs(name string, keys []proof.Key, witnesses []proof.Witness) (verdict, error) {
	out := verdict{Proofs: []proof.Checked{}}
	f, err := os.Open(name)
	if err != nil {
		return out, err
	}
	defer func() { _ = f.Close() }() // opened for reading
	err = proof.All(f, func(number int, text []byte) error {
		file, err := proof.Parse(text)
		var checked proof.Checked
		if err == nil {
			checked, err = file.Check(keys, witnesses)
		}
		if err != nil && number > 1 {
			return fmt.Errorf("proof %d of the file: %w", number, err)
		}
		out.Proofs = append(out.Proofs, checked)
		return err
	})
	if err != nil {
		out.Error, out.Proofs = err.Error(), []proof.Checked{}
	}
	out.Valid = err == nil
	return out, err
}

func printVerdict(w io.Writer, v verdict) {
	switch {
	case !v.Valid:
		fmt.Fprintf(w, "NOT valid: %s\n", card.Line(v.Error))
		return
	case len(v.Proofs) == 1:
		printProof(w, v.Proofs[0])
	default:
		first, last := v.Proofs[0], v.Proofs[len(v.Proofs)-1]
		fmt.Fprintf(w, "%d valid proofs, rows %d to %d of %s\n", len(v.Proofs), first.Row.Seq, last.Row.Seq, card.Line(first.Log))
	}
	trusted := true
	for _, p := range v.Proofs {
		trusted = trusted && p.Trusted
	}
	if !trusted {
		fmt.Fprintln(w, "The key came with the file: it proves nothing about who signed. Compare it with\ncallgate audit key on the daemon's machine, or add --key KEY.")
	}
}

func printProof(w io.Writer, p proof.Checked) {
	r := p.Row
	fmt.Fprintf(w, "valid: row %d is in the audit log %s\n", r.Seq, card.Line(p.Log))
	cells := [][]string{
		{"row", card.Line(strings.Join(history.Cells(r), "  "))},
		{"hash", r.Hash.String()},
		{"checkpoint", fmt.Sprintf("%d rows, signed with %s", p.Rows, card.Line(p.Key))},
		{"witnesses", dash(card.Line(strings.Join(p.Witnesses, ", ")))},
	}
	if a := p.Approval; a != nil {
		s := a.Statement
		cells = append(cells,
			[]string{"approved by", card.Line(s.By) + ", signed by the device " + card.Line(strconv.Quote(a.Device)) + " after verifying its user"},
			[]string{"call", card.Line(s.Tool) + " of " + card.Line(s.Agent) + ", digest " + card.Line(s.Call)},
			[]string{"on the page", card.Line(a.Origin)},
			[]string{"passkey", "SHA-256 " + a.Fingerprint})
		for _, rule := range s.Rules {
			cells = append(cells, []string{"stores", card.Line(fmt.Sprintf("%s (%s %s)", rule.Text, rule.Scope, rule.Key))})
		}
		if e := a.Enrolled; e != nil {
			cells = append(cells, []string{"passkey added", fmt.Sprintf("row %d, %s, by %s", e.Seq, e.At.Local().Format(time.DateTime), card.Line(e.By))})
		} else {
			cells = append(cells, []string{"passkey added", "not in the file: compare the passkey's SHA-256 with the person's"})
		}
	}
	fmt.Fprint(w, table(cells))
}

func auditKey(c *cli) *cobra.Command {
	return &cobra.Command{
		Use:   "key",
		Short: "Show the public key that signs the audit's checkpoints",
		Long: `Shows the public key that verifies this daemon's checkpoints and proofs. Give it to the
people who will check them, and to witnesses. The private key is audit.key in the state
directory.`,
		Example: "  callgate audit key > audit.pub",
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return c.withClient("", func(client *client.Client) error {
				s, err := client.AuditCheckpoint(cmd.Context(), 0)
				if err != nil {
					return err
				}
				out := struct {
					Key         string `json:"key"`
					Fingerprint string `json:"fingerprint"`
				}{s.Key, s.Fingerprint}
				return c.print(cmd.OutOrStdout(), out, func(w io.Writer) { fmt.Fprintln(w, s.Key) })
			})
		},
	}
}

func auditCheckpoint(c *cli) *cobra.Command {
	var against string
	cmd := &cobra.Command{
		Use:   "checkpoint",
		Short: "Show the newest signed checkpoint, or compare with an earlier one",
		Long: `Shows the newest checkpoint: the name of the log, its number of rows and the root over
them, signed. Keep copies elsewhere. With --against FILE the daemon has to prove that its
audit still begins with all rows of that earlier checkpoint, unchanged. Exit code 1 when
it cannot.`,
		Example: "  callgate audit checkpoint > monday.checkpoint\n  callgate audit checkpoint --against monday.checkpoint",
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return c.withClient("", func(client *client.Client) error {
				if against != "" {
					return compareCheckpoint(c, cmd, client, against)
				}
				s, err := client.AuditCheckpoint(cmd.Context(), 0)
				if err != nil {
					return err
				}
				return c.print(cmd.OutOrStdout(), s, func(w io.Writer) {
					fmt.Fprint(w, cmp.Or(newestSeen(s), s.Checkpoint))
					for _, witness := range s.Witnesses {
						if witness.Error != "" {
							fmt.Fprintf(cmd.ErrOrStderr(), "note: the witness %s has not signed: %s\n", witness.Name, card.Line(witness.Error))
						}
					}
				})
			})
		},
	}
	cmd.Flags().StringVar(&against, "against", "", "an earlier checkpoint of this audit, in a file")
	return cmd
}

// newestSeen is the newest checkpoint with its witnesses; empty when they have not signed that one.
func newestSeen(s proof.State) string {
	if strings.HasPrefix(s.Seen, s.Checkpoint) {
		return s.Seen
	}
	return ""
}

// compareCheckpoint has the daemon prove that its audit extends an earlier checkpoint.
func compareCheckpoint(c *cli, cmd *cobra.Command, client *client.Client, name string) error {
	data, err := os.ReadFile(name)
	if err != nil {
		return err
	}
	now, err := client.AuditCheckpoint(cmd.Context(), 0)
	if err != nil {
		return err
	}
	key, err := proof.ParseKey(now.Key)
	if err != nil {
		return err
	}
	old, err := proof.Open(string(data), key)
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	out := struct {
		Extends bool   `json:"extends"`
		Error   string `json:"error,omitempty"`
		Rows    int64  `json:"rows"`
		Since   int64  `json:"since"`
	}{Since: old.Size}
	now, err = client.AuditCheckpoint(cmd.Context(), old.Size)
	if err == nil {
		err = now.Extends(old.Checkpoint, key)
	}
	if out.Extends = err == nil; !out.Extends {
		out.Error = err.Error()
	} else if signed, err := proof.Open(now.Checkpoint, key); err == nil {
		out.Rows = signed.Size
	}
	if err := c.print(cmd.OutOrStdout(), out, func(w io.Writer) {
		if out.Extends {
			fmt.Fprintf(w, "the audit begins with all %d rows of %s, unchanged; it has %d now\n", out.Since, name, out.Rows)
			return
		}
		fmt.Fprintf(w, "NOT the same audit: %s\n", card.Line(out.Error))
	}); err != nil || out.Extends {
		return err
	}
	return exit(exitDeny)
}
