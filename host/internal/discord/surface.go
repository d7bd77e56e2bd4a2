package discord

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/bwmarrin/discordgo"

	"github.com/callgate/callgate/host/internal/approval/approvers"
	"github.com/callgate/callgate/host/internal/approval/ask"
	"github.com/callgate/callgate/host/internal/config"
	"github.com/callgate/callgate/host/internal/discord/link"
	"github.com/callgate/callgate/host/internal/discord/member"
	"github.com/callgate/callgate/host/internal/discord/slash"
)

// Surface shows and answers asks in Discord. Its methods are safe for concurrent use.
type Surface struct {
	c        Config
	settings config.Discord
	instance string
	self     string // the bot's account, as the token says it
	client   *link.Client
	gateway  *link.Gateway // nil where nothing comes in by one
	members  *member.Directory
	commands *slash.Handler
	release  func()

	threads keyed
	hints   sync.Map // channels with a hint being sent
	// lateTold are the people informed of an ask's end, by card and account: only possible
	// approvers, so they are few.
	lateTold sync.Map
	early    early
	changed  chan struct{}  // of one: the connection is another
	reading  chan struct{}  // one for each card being read
	running  sync.WaitGroup // the goroutines of spawn
	closing  sync.Once

	mu sync.Mutex
	// asks are the displays of asks, by id, and cards their messages, by id.
	asks  map[string]*display
	cards map[string]*card
	// dms are the channels of direct messages, by account, unread those with a notice that
	// replies cannot be read.
	dms    map[string]string
	unread map[string]bool
	// life is the context of Run; nil before and after it.
	life   context.Context //nolint:containedctx // what comes in from Discord lives as long as Run
	me     *discordgo.User
	app    string
	detach func()
	state  State
	fatal  error
}

// maxRemembered bounds the remembered channels.
const maxRemembered = 10_000

// Open reads the token and takes its lock, and prepares everything without a call of Discord:
// its being down is no error. ErrOff where the configuration names no server; the other errors
// need a person: no token, a file readable by others, a daemon already using the token. The
// caller calls Run, or Close.
func Open(ctx context.Context, c Config) (_ *Surface, err error) {
	if c, err = c.withDefaults(); err != nil {
		return nil, err
	}
	settings := c.Settings().DiscordSettings()
	if !settings.Enabled() {
		return nil, ErrOff
	}
	s := &Surface{
		c: c, settings: settings, asks: map[string]*display{}, cards: map[string]*card{}, dms: map[string]string{}, unread: map[string]bool{},
		changed: make(chan struct{}, 1), reading: make(chan struct{}, atOnce),
		state: State{Since: c.Now(), Problem: "not connected yet"},
	}
	token := c.Token
	if settings.TokenFile != "" || token == "" {
		if token, err = link.ReadToken(settings.TokenFile); err != nil {
			return nil, err
		}
	}
	s.self = link.BotOf(token)
	if s.release, err = link.TakeLock(c.StateDir, token, meetingPlaces(settings.APIURL)...); err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			_ = s.Close() // the first error is the one to report
		}
	}()
	if s.instance, err = c.Store.Instance(ctx); err != nil {
		return nil, err
	}
	if s.client, err = link.NewClient(link.ClientConfig{Token: token, APIURL: settings.APIURL, Pace: c.pace, Log: c.Log}); err != nil {
		return nil, err
	}
	s.members = member.New(member.Config{
		Server: string(settings.Server), Discord: s.client, Now: c.Now,
		Settings: func() member.Settings { return c.Settings() },
	})
	s.commands = s.newCommands()
	if settings.UsesGateway() {
		s.gateway = link.NewGateway(link.GatewayConfig{Client: s.client, Intents: link.Intents, Events: events{s}, Changed: s.looks, Pace: c.pace, Log: c.Log, Now: c.Now})
	}
	return s, nil
}

// Member implements authority.Members with the roles on the server.
func (s *Surface) Member(ctx context.Context, name string, fresh bool) (approvers.Person, bool, error) {
	account := s.c.Settings().DiscordAccount(name)
	unlisted := account == "" && config.IsSnowflake(name) // named as slash commands name such a person
	switch {
	case unlisted:
		account = name
	case account == "":
		return approvers.Person{}, false, nil
	}
	actor, err := s.members.Holds(ctx, account, fresh)
	return actor.Person, actor.Listed || unlisted, err
}

// meetingPlaces are places where daemons of one account with state directories of their own
// detect their common bot: the account's default one, by the system's list of accounts, since
// $HOME and $XDG_STATE_HOME make them differ. None where the API is on this machine: a trial or
// a test has no other daemon to meet, and leaves nothing behind.
func meetingPlaces(apiURL string) []string {
	if link.OnThisMachine(apiURL) {
		return nil
	}
	dirs, err := config.AccountDirs()
	if err != nil {
		return nil // an account without a home: its own directory is all there is
	}
	return []string{dirs.State}
}

// Close gives the lock of the token back. It may be called more than once.
func (s *Surface) Close() error {
	var err error
	s.closing.Do(func() {
		if s.client != nil {
			err = s.client.Close()
		}
		s.release()
	})
	return err
}

// State tells how the surface stands.
func (s *Surface) State() State {
	s.mu.Lock()
	defer s.mu.Unlock()
	out := s.state
	out.Asks, out.Cards = len(s.asks), len(s.cards)
	if s.me != nil {
		out.Bot = fmt.Sprintf("%s (%s)", s.me.Username, s.me.ID)
	}
	return out
}

// note keeps and logs an error; nil is nothing.
func (s *Surface) note(what string, err error) {
	if err == nil || errors.Is(err, context.Canceled) || errors.Is(err, link.ErrSuperseded) {
		return
	}
	s.c.Log.Warn("discord: a step failed", "step", what, "error", err)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.state.LastError, s.state.LastErrorAt = fmt.Sprintf("%s: %v", what, err), s.c.Now()
}

// display is the display of an ask; nil when it has none.
func (s *Surface) display(id string) *display {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.asks[ask.NormalID(id)]
}

// cardAt is the open card of a message; nil when there is none.
func (s *Surface) cardAt(channel, message string) *card {
	s.mu.Lock()
	defer s.mu.Unlock()
	if c := s.cards[message]; c != nil && c.Channel == channel {
		return c
	}
	return nil
}

// living is the context of Run, done when it does not run.
func (s *Surface) living() context.Context {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.life == nil {
		ctx, cancel := context.WithCancel(context.Background())
		cancel()
		return ctx
	}
	return s.life
}

// own reports whether an account is the bot's; its own actions answer nothing.
func (s *Surface) own(account string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return account == s.self || s.me != nil && s.me.ID == account
}

// patience is how long one background task may take.
const patience = 30 * time.Second
