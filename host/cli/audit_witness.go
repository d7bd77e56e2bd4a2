package cli

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"github.com/callgate/callgate/host/internal/config"
	"github.com/callgate/callgate/host/internal/store/proof"
	"github.com/callgate/callgate/host/internal/store/witness"
)

// witnessFlags are those of audit witness.
type witnessFlags struct {
	logs              []string
	name, listen, dir string
	cert, key         string
}

func auditWitness(c *cli) *cobra.Command {
	var f witnessFlags
	cmd := &cobra.Command{
		Use:   "witness",
		Short: "Sign the checkpoints of another machine's audit",
		Long: `Runs a witness (C2SP tlog-witness): it signs each checkpoint that extends the one it signed
last, and refuses one of a log that went back or was rewritten. Run it on a machine that the
owner of the audit does not control. The daemon there sends its checkpoints to the address
in audit.witnesses, with the key that this command shows.

The directory holds the witness's key and the last checkpoint of each log: keep it. To other
machines it speaks TLS only.`,
		Example: "  callgate audit witness --log audit.pub --name witness.example.org\n" +
			"  callgate audit witness --log audit.pub --name witness.example.org --listen 0.0.0.0:9466 --tls-cert cert.pem --tls-key key.pem",
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if c.json {
				return errors.New("a witness has no answer to print as JSON")
			}
			logs, err := each(f.logs, proof.ParseKey)
			if err != nil {
				return fmt.Errorf("--log: %w", err)
			}
			return serveWitness(cmd, f, logs)
		},
	}
	flags := cmd.Flags()
	flags.StringArrayVar(&f.logs, "log", nil, "the public key of an audit, or a file with one, from callgate audit key (repeatable)")
	flags.StringVar(&f.name, "name", "", "the witness's name, such as its host name")
	flags.StringVar(&f.listen, "listen", "127.0.0.1:9466", "the address with port")
	flags.StringVar(&f.dir, "dir", "", "the private directory (default: witness in the state directory)")
	flags.StringVar(&f.cert, "tls-cert", "", "a certificate as PEM")
	flags.StringVar(&f.key, "tls-key", "", "its private key as PEM")
	for _, name := range []string{"log", "name"} {
		_ = cmd.MarkFlagRequired(name) // they exist
	}
	cmd.MarkFlagsRequiredTogether("tls-cert", "tls-key")
	return cmd
}

// serveWitness answers until the command is interrupted.
func serveWitness(cmd *cobra.Command, f witnessFlags, logs []proof.Key) error {
	if f.dir == "" {
		dirs, err := config.UserDirs()
		if err != nil {
			return err
		}
		f.dir = filepath.Join(dirs.State, "witness")
	}
	log := slog.New(logHandler(cmd.ErrOrStderr()))
	w, err := witness.Open(witness.Config{Name: f.name, Logs: logs, Dir: f.dir, Log: log})
	if err != nil {
		return err
	}
	listener, err := listenWitness(f)
	if err != nil {
		return err
	}
	server := &http.Server{Handler: w.Handler(), ReadTimeout: 10 * time.Second, WriteTimeout: 10 * time.Second, IdleTimeout: 3 * time.Minute, MaxHeaderBytes: 16 << 10}
	fmt.Fprintln(cmd.OutOrStdout(), w.Key())
	log.Info("the witness listens", "address", listener.Addr().String(), "logs", len(logs), "directory", f.dir)
	ended := context.AfterFunc(cmd.Context(), func() { _ = server.Close() }) // a lost client asks again
	defer ended()
	if err := server.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}

// listenWitness opens the address: without TLS only one of this machine.
func listenWitness(f witnessFlags) (net.Listener, error) {
	host, _, err := net.SplitHostPort(f.listen)
	if err != nil {
		return nil, fmt.Errorf("--listen %q: want an address with port, such as 127.0.0.1:9466", f.listen)
	}
	if f.cert == "" {
		if ip := net.ParseIP(host); ip == nil || !ip.IsLoopback() {
			return nil, fmt.Errorf("--listen %s: other machines may reach it: add --tls-cert and --tls-key, or listen on 127.0.0.1 behind a proxy with TLS", f.listen)
		}
		return net.Listen("tcp", f.listen)
	}
	pair, err := tls.LoadX509KeyPair(f.cert, f.key)
	if err != nil {
		return nil, fmt.Errorf("--tls-cert: %w", err)
	}
	return tls.Listen("tcp", f.listen, &tls.Config{MinVersion: tls.VersionTLS12, Certificates: []tls.Certificate{pair}})
}
