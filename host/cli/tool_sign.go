package cli

import (
	"fmt"
	"io"
	"os"

	"github.com/spf13/cobra"

	"github.com/callgate/callgate/host/internal/modules"
	"github.com/callgate/callgate/host/internal/modules/sandbox"
	"github.com/callgate/callgate/host/wire"
)

// signedFile is the result of `tool sign`.
type signedFile struct {
	File      string               `json:"file"`
	Digest    string               `json:"digest"`
	Signature wire.ModuleSignature `json:"signature"`
	Written   string               `json:"written"`
}

func toolSign(c *cli) *cobra.Command {
	var key, name, out string
	cmd := &cobra.Command{
		Use:   "sign [MODULE]",
		Short: "Sign a module with a key of your own",
		Long: `Writes an Ed25519 signature of a module to MODULE.sig, where callgate tool add finds it.
Operators who have your public key under modules.keys can require it.

The key is a file made by callgate tool key. MODULE is a .wasm file, or a directory with
one.`,
		Example:           "  callgate tool sign deploy.wasm --key acme.key --name acme",
		Args:              cobra.MaximumNArgs(1),
		ValidArgsFunction: completeModule,
		RunE: func(cmd *cobra.Command, args []string) error {
			path, err := moduleArg(args)
			if err != nil {
				return err
			}
			if name != "" {
				if err := modules.CheckKeyName(name); err != nil {
					return err
				}
			}
			secret, err := modules.ReadPrivateKey(key)
			if err != nil {
				return err
			}
			wasm, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			done := signedFile{File: path, Digest: sandbox.Digest(wasm), Written: out}
			if done.Written == "" {
				done.Written = path + ".sig"
			}
			done.Signature = modules.Sign(secret, name, done.Digest)
			if err := os.WriteFile(done.Written, done.Signature.Text(), 0o644); err != nil { // everybody may read it
				return err
			}
			return c.print(cmd.OutOrStdout(), done, func(w io.Writer) {
				fmt.Fprintf(w, "%s: signed sha256 %s, signature in %s\n", path, done.Digest, done.Written)
			})
		},
	}
	cmd.Flags().StringVar(&key, "key", "", "file with your private key")
	cmd.Flags().StringVar(&name, "name", "", "name of the key in operators' configurations; without it each of their keys is tried")
	cmd.Flags().StringVar(&out, "out", "", "file for the signature (default: MODULE.sig)")
	_ = cmd.MarkFlagRequired("key") // it is there
	return cmd
}

func toolKey(c *cli) *cobra.Command {
	var name string
	cmd := &cobra.Command{
		Use:   "key NEW-FILE",
		Short: "Create a key pair for signing modules",
		Long: `Creates an Ed25519 key pair. The private key is written to NEW-FILE, readable only by you;
the public key is printed as operators put it into their configuration.`,
		Example: "  callgate tool key acme.key --name acme",
		Args:    cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := modules.CheckKeyName(name); err != nil {
				return err
			}
			secret, public, err := modules.NewKey()
			if err != nil {
				return err
			}
			f, err := os.OpenFile(args[0], os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
			if err != nil {
				return err
			}
			if _, err = f.Write(secret); err != nil {
				_ = f.Close() // the first error is the one to tell
				return err
			}
			if err := f.Close(); err != nil {
				return err
			}
			made := map[string]string{"file": args[0], "name": name, "public_key": public}
			return c.print(cmd.OutOrStdout(), made, func(w io.Writer) {
				fmt.Fprintf(w, "%s holds the private key: keep it secret\nfor the configuration of operators who trust it:\nmodules:\n  keys:\n    %s: %s\n", args[0], name, public)
			})
		},
	}
	cmd.Flags().StringVar(&name, "name", "mine", "name for the key in the operators' configuration")
	return cmd
}
