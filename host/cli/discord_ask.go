package cli

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/callgate/callgate/host/internal/config"
	"github.com/callgate/callgate/host/internal/discord/setup"
)

// ask asks the person at the terminal for settings missing in flags and configuration; without a
// terminal it asks nothing.
func (f *setupFlags) ask(ctx context.Context, cfg *config.Config) error {
	p, err := atTerminal()
	if errors.Is(err, errNobody) {
		return nil
	}
	if err != nil {
		return err
	}
	defer p.close()
	if err := f.askToken(ctx, p); err != nil {
		return err
	}
	d := cfg.DiscordSettings()
	for _, q := range []struct {
		missing bool
		prompt  string
		into    *string
	}{
		{d.Server == "" && f.choice.Server == "", "Server ID (Settings, Advanced, Developer Mode; right-click the server, Copy Server ID): ", &f.choice.Server},
		{cfg.Agent(f.choice.Agent).Discord.Channel == "" && f.choice.Channel == "", "Channel for cards (right-click it, Copy Channel ID): ", &f.choice.Channel},
	} {
		if !q.missing {
			continue
		}
		if q.into == &f.choice.Server {
			f.invite(ctx, p, cfg)
		}
		if *q.into, err = askID(ctx, p, q.prompt); err != nil {
			return err
		}
	}
	if len(setup.Of(cfg).People)+len(f.choice.People) > 0 {
		return nil
	}
	return f.askPerson(ctx, p)
}

// askToken has the token typed, unseen, where its file is not there yet.
func (f *setupFlags) askToken(ctx context.Context, p *person) error {
	path := f.choice.TokenFile
	if path == "" {
		return nil
	}
	if _, err := os.Lstat(path); !errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	fmt.Fprint(p.screen, "Create an application at https://discord.com/developers/applications, open Bot, and press Reset Token.\n")
	token, err := p.secret(ctx, "Paste the token (it is not shown; it will be saved in "+path+"): ")
	if err != nil {
		return err
	}
	token = strings.TrimSpace(token)
	if setup.BotID(token) == "" {
		return errors.New("that does not look like a bot token (expected three dot-separated parts): copy it from Bot, Reset Token; the client secret and the public key do not work")
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	file, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	_, err = file.WriteString(token + "\n")
	return errors.Join(err, file.Sync(), file.Close())
}

// invite shows the link before it asks for the server. For an unreadable application, the checks
// give the reason.
func (f *setupFlags) invite(ctx context.Context, p *person, cfg *config.Config) {
	client, err := discordClient(cfg, f.choice.TokenFile, f.choice.APIURL)
	if err != nil {
		return
	}
	defer func() { _ = client.Close() }() // nothing waits in it
	if app, err := client.Application(ctx); err == nil && app != nil {
		fmt.Fprintf(p.screen, "Invite the bot if it is not on the server yet: %s\n", setup.Invite(app.ID, ""))
	}
}

// askID asks until an id, or nothing, is typed.
func askID(ctx context.Context, p *person, prompt string) (string, error) {
	for {
		text, err := p.line(ctx, prompt)
		if err != nil || text == "" || config.IsSnowflake(text) {
			return text, err
		}
		fmt.Fprintln(p.screen, "That is not a Discord ID (15 to 20 digits).")
	}
}

// askPerson asks who may answer.
func (f *setupFlags) askPerson(ctx context.Context, p *person) error {
	account, err := askID(ctx, p, "Your user ID (right-click yourself, Copy User ID; Enter to skip): ")
	if err != nil || account == "" {
		return err
	}
	name, err := p.line(ctx, "Your name in rules and the audit log: ")
	if err == nil && name != "" {
		f.choice.People[name] = account
	}
	return err
}
