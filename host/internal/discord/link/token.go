package link

import (
	"encoding/base64"
	"errors"
	"fmt"
	"os"
	"regexp"
	"strings"

	"github.com/callgate/callgate/host/internal/machine/securedir"
)

// TokenVariable is the environment variable with the bot's token, used without a file.
const TokenVariable = "CALLGATE_DISCORD_TOKEN"

// maxToken is far above the length of Discord's tokens, about 72 characters.
const maxToken = 512

// tokenShape is three parts, as Discord writes them; their content is not checked.
var tokenShape = regexp.MustCompile(`^[A-Za-z0-9_-]{4,}\.[A-Za-z0-9_-]{2,}\.[A-Za-z0-9_-]{10,}$`)

// ReadToken reads the bot's token from a file readable by this account only, or, with file
// empty, from the environment. A leading "Bot " is removed. Its errors say what to do, and
// never quote the text.
func ReadToken(file string) (string, error) {
	text, from := os.Getenv(TokenVariable), "the variable "+TokenVariable
	if file != "" {
		data, err := securedir.ReadFile(file, maxToken)
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

// BotOf is the id of a token's bot, from its first part in base64; empty when it is no base64.
// Only Discord knows whether the token is good.
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
