package link

import (
	"encoding/base64"
	"errors"
	"fmt"
	"os"
	"regexp"
	"strings"

	"github.com/callgate/callgate/host/internal/private"
)

// TokenVariable is the variable of the environment that holds the bot's token when no
// file does.
const TokenVariable = "CALLGATE_DISCORD_TOKEN"

// maxToken is far above what Discord gives out, about 72 characters.
const maxToken = 512

// tokenShape is three parts, as Discord writes them; what they hold is not looked at.
var tokenShape = regexp.MustCompile(`^[A-Za-z0-9_-]{4,}\.[A-Za-z0-9_-]{2,}\.[A-Za-z0-9_-]{10,}$`)

// ReadToken reads the bot's token from a file that nobody else can read, or, with file
// empty, from the environment. A leading "Bot " is taken off. Its errors say what to do,
// and never quote what was read.
func ReadToken(file string) (string, error) {
	text, from := os.Getenv(TokenVariable), "the variable "+TokenVariable
	if file != "" {
		data, err := private.ReadFile(file, maxToken)
		if err != nil {
			return "", fmt.Errorf("the bot's token cannot be read: %w", err)
		}
		text, from = string(data), file
	}
	text = strings.TrimSpace(text)
	if rest, ok := strings.CutPrefix(text, "Bot "); ok {
		text = strings.TrimSpace(rest)
	}
	if text == "" {
		return "", fmt.Errorf("there is no bot token in %s: copy it from the developer portal (Bot, Reset Token) into a file "+
			"that only you can read (chmod 600), and name that as discord.token_file; or set %s", from, TokenVariable)
	}
	if err := checkToken(text); err != nil {
		return "", fmt.Errorf("%s: %w", from, err)
	}
	return text, nil
}

// BotOf is the id of the bot that a token belongs to, as its first part says in base64;
// empty when that is no base64. Whether the token is good only Discord can tell.
func BotOf(token string) string {
	first, _, _ := strings.Cut(token, ".")
	id, err := base64.RawURLEncoding.DecodeString(strings.TrimRight(first, "="))
	if err != nil {
		return ""
	}
	return string(id)
}

func checkToken(token string) error {
	if len(token) > maxToken || !tokenShape.MatchString(token) {
		return errors.New("what stands there is no bot token: a token has three parts with dots between; " +
			"copy it from the developer portal (Bot, Reset Token), not the client secret, the public key or the application id")
	}
	return nil
}
