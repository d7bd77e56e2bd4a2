package discordtest_test

import (
	"context"
	"fmt"
	"io"
	"log"
	"net/http"
	"strings"
	"time"

	"github.com/callgate/callgate/host/internal/testkit/discordtest"
)

// A bot posts a card, and a person looks at it and reacts.
func Example() {
	s, err := discordtest.New(discordtest.Options{HandWritten: true})
	if err != nil {
		log.Fatal(err)
	}
	defer s.Close()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()

	const card = `{"content":"May I run ls?","components":[{"type":1,"components":[` +
		`{"type":2,"style":3,"label":"Approve","custom_id":"a"},{"type":2,"style":4,"label":"Deny","custom_id":"d"}]}]}`
	req, err := http.NewRequestWithContext(ctx, http.MethodPost,
		s.URL()+"/api/v10/channels/"+s.Channel+"/messages", strings.NewReader(card))
	if err != nil {
		log.Fatal(err)
	}
	req.Header.Set("Authorization", "Bot "+s.Token)
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("User-Agent", "DiscordBot (https://example.org, 1)")
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		log.Fatal(err)
	}
	_, _ = io.Copy(io.Discard, resp.Body)
	_ = resp.Body.Close()

	m, err := s.WaitMessage(ctx, func(m discordtest.Message) bool { return m.ChannelID == s.Channel })
	if err != nil {
		log.Fatal(err)
	}
	alice := s.Person("alice")
	if err := alice.React(m.ID, "✅"); err != nil {
		log.Fatal(err)
	}
	m, _ = alice.Message(m.ID)
	fmt.Print(m)
	fmt.Println("violations:", len(s.Violations()))
	// Output:
	// callgate
	//   May I run ls?
	//   [Approve] [Deny]
	//   ✅ 1
	// violations: 0
}
