package discord

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/bwmarrin/discordgo"

	"github.com/callgate/callgate/host/ask"
	"github.com/callgate/callgate/host/config"
	"github.com/callgate/callgate/host/discord/link"
	"github.com/callgate/callgate/host/discord/member"
	"github.com/callgate/callgate/host/discord/slash"
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
	hints   sync.Map // channels where somebody is being told something
	// lateTold are those who were told how an ask ended, by card and account: people who
	// may answer, so that they are few.
	lateTold sync.Map
	early    early
	running  sync.WaitGroup // what spawn started
	closing  sync.Once

	mu sync.Mutex
	// follow are the asks that are shown, by id, and cards their messages, by id.
	asks  map[string]*follower
	cards map[string]*posted
	// dms are the channels of direct messages, by account, unread those where it was said
	// that replies cannot be read.
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

// maxRemembered bounds what is remembered of channels.
const maxRemembered = 10_000

// Open reads the token and takes its lock, and makes everything ready without asking
// Discord anything: that it is down is no error. ErrOff where the configuration names no
// server; the other errors are those that only a person can mend: no token, a file that
// others may read, a daemon that has the token already. The caller calls Run, or Close.
func Open(ctx context.Context, c Config) (_ *Surface, err error) {
	if c, err = c.withDefaults(); err != nil {
		return nil, err
	}
	settings := c.Settings().DiscordSettings()
	if !settings.Enabled() {
		return nil, ErrOff
	}
	s := &Surface{
		c: c, settings: settings, asks: map[string]*follower{}, cards: map[string]*posted{}, dms: map[string]string{}, unread: map[string]bool{},
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
			_ = s.Close() // the error that stopped us is the one to tell
		}
	}()
	if s.instance, err = c.Store.Instance(ctx); err != nil {
		return nil, err
	}
	if s.client, err = link.NewClient(link.ClientConfig{Token: token, APIURL: settings.APIURL, Log: c.Log}); err != nil {
		return nil, err
	}
	s.members = member.New(member.Config{
		Server: string(settings.Server), Discord: s.client, Now: c.Now,
		Settings: func() member.Settings { return c.Settings() },
	})
	s.commands = s.newCommands()
	if settings.UsesGateway() {
		s.gateway = link.NewGateway(link.GatewayConfig{Client: s.client, Intents: link.Intents, Events: events{s}, Log: c.Log, Now: c.Now})
	}
	return s, nil
}

// meetingPlaces are where daemons of one account with state directories of their own find
// that they have one bot: the account's default one, as the system's list of accounts has
// it, since $HOME and $XDG_STATE_HOME are what makes them differ. None where the API is
// on this machine: a trial or a test has nobody to meet, and leaves nothing behind.
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

// note keeps and logs what went wrong; nil is nothing.
func (s *Surface) note(what string, err error) {
	if err == nil || errors.Is(err, context.Canceled) || errors.Is(err, link.ErrSuperseded) {
		return
	}
	s.c.Log.Warn("discord: "+what, "error", err)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.state.LastError, s.state.LastErrorAt = fmt.Sprintf("%s: %v", what, err), s.c.Now()
}

// follower is who brings the cards of an ask up to date; nil when it is not shown.
func (s *Surface) follower(id string) *follower {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.asks[ask.NormalID(id)]
}

// cardAt is the open card that a message is; nil when it is none.
func (s *Surface) cardAt(channel, message string) *posted {
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

// own reports whether an account is the bot's; what it does itself answers nothing.
func (s *Surface) own(account string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return account == s.self || s.me != nil && s.me.ID == account
}

// patience is how long one thing may take that nobody waits for.
const patience = 30 * time.Second
