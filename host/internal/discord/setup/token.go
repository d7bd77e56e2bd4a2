package setup

import (
	"encoding/base64"
	"regexp"
	"strings"

	"github.com/callgate/callgate/host/internal/config"
	"github.com/callgate/callgate/host/internal/discord/link"
)

// tokenText is the form of a bot's token: the bot's id in base64, a time, and a signature. It
// is wider than Discord's own tokens are.
var tokenText = regexp.MustCompile(`[A-Za-z0-9_-]{18,}={0,2}\.[A-Za-z0-9_-]{4,}\.[A-Za-z0-9_-]{20,}`)

// HoldsToken reports whether a text holds something like a bot's token.
func HoldsToken(text string) bool { return tokenText.MatchString(text) }

// BotID is the id of a token's bot, from its first part; empty when it is no token. Only
// Discord knows whether the token is good.
func BotID(token string) string {
	id := link.BotOf(token)
	if !strings.Contains(token, ".") || !config.IsSnowflake(id) {
		return ""
	}
	return id
}

// TokenOf reports whether a text holds a token of the bot with this id, an old one as
// well: all tokens of a bot begin with its id in base64.
func TokenOf(text, bot string) bool {
	if !config.IsSnowflake(bot) {
		return false
	}
	first := base64.RawURLEncoding.EncodeToString([]byte(bot))
	return strings.Contains(text, first+".") || strings.Contains(text, first+"=")
}
