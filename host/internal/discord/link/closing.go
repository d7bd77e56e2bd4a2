package link

import (
	"errors"
	"fmt"

	"github.com/gorilla/websocket"
)

// fatalCodes are the close codes after which Discord wants no new connection, and their fixes.
// Source: Discord's page "Opcodes and Status Codes".
var fatalCodes = map[int]string{
	4004: badToken,
	4010: "Discord refuses the connection's shard (4010): that is a fault of this program",
	4011: "Discord wants this bot to be split into shards (4011), which this program does not do: it is in too many servers; make a bot of your own for it",
	4012: "Discord no longer speaks the version of the gateway that this program speaks (4012): get a newer version",
	4013: "Discord refuses the intents that were asked for (4013): that is a fault of this program",
	4014: "Discord refuses the intents that were asked for (4014): in the developer portal, under Bot, check that the bot is not restricted; " +
		"no privileged intent is needed",
}

// overCodes are the close codes that end a session.
var overCodes = map[int]bool{1000: true, 1001: true, 4003: true, 4007: true, 4009: true}

// fatalError is err as people get to read it, when only they can mend it.
func fatalError(err error) error {
	if errors.Is(err, ErrUnauthorized) {
		return fmt.Errorf("%s (%w)", badToken, ErrUnauthorized)
	}
	if text, ok := fatalCodes[closeCode(err)]; ok {
		if closeCode(err) == 4004 {
			return fmt.Errorf("%s (%w)", text, ErrUnauthorized)
		}
		return errors.New(text)
	}
	return nil
}

func sessionOver(err error) bool { return overCodes[closeCode(err)] }

// closeCode is the code of a server's close, 0 for another end.
func closeCode(err error) int {
	var closed *websocket.CloseError
	if errors.As(err, &closed) {
		return closed.Code
	}
	return 0
}
