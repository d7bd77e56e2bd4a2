package message

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/bwmarrin/discordgo"
)

// ourFlags are the flags we set; the one for the new kind of components would forbid a content.
const ourFlags = discordgo.MessageFlagsSuppressEmbeds | discordgo.MessageFlagsEphemeral | discordgo.MessageFlagsSuppressNotifications

// Check reports an error Discord would return, or content never in our messages: the first
// broken limit.
func (m Message) Check() error {
	if strings.TrimSpace(m.Content) == "" && len(m.Files) == 0 {
		return errors.New("the message is empty: it needs a content or a file")
	}
	if !utf8.ValidString(m.Content) {
		return errors.New("content is not UTF-8")
	}
	if err := within("content", m.Content, 0, MaxContent); err != nil {
		return err
	}
	if m.Flags&^ourFlags != 0 {
		return fmt.Errorf("flags %d are not among those that we set: suppressed embeds, ephemeral, silent", m.Flags)
	}
	if err := within("nonce", m.Nonce, 0, MaxNonce); err != nil {
		return err
	}
	if m.EnforceNonce && m.Nonce == "" {
		return errors.New("enforce_nonce needs a nonce")
	}
	if m.Reference != nil && !snowflake.MatchString(m.Reference.MessageID) {
		return errors.New("message_reference has no message id")
	}
	if err := m.AllowedMentions.check(); err != nil {
		return err
	}
	if err := checkFiles(m.Files); err != nil {
		return err
	}
	return checkComponents(m.Components)
}

// Check reports an error Discord would return, as Message.Check does.
func (m Modal) Check() error {
	if err := checkID(m.CustomID); err != nil {
		return err
	}
	if err := within("modal title", m.Title, 1, MaxModalTitle); err != nil {
		return err
	}
	if n := len(m.Components); n < 1 || n > MaxRows {
		return fmt.Errorf("modal has %d rows: it needs 1 to %d", n, MaxRows)
	}
	seen := map[string]bool{}
	for i, c := range m.Components {
		if err := checkInputRow(c, seen); err != nil {
			return fmt.Errorf("row %d of the modal: %w", i+1, err)
		}
	}
	return nil
}

// within wants min to most UTF-16 units.
func within(what, text string, least, most int) error {
	if n := Units(text); n < least || n > most {
		return fmt.Errorf("%s has %d UTF-16 units: it may have %d to %d", what, n, least, most)
	}
	return nil
}

func (m Mentions) check() error {
	if len(m.Parse) > 0 {
		return errors.New("allowed_mentions.parse is not empty: nobody is pinged for what a text says")
	}
	for _, ids := range [][]string{m.Roles, m.Users} {
		if len(ids) > MaxIDs {
			return fmt.Errorf("allowed_mentions has %d ids in one list: at most %d", len(ids), MaxIDs)
		}
		for i, id := range ids {
			if !snowflake.MatchString(id) {
				return fmt.Errorf("allowed_mentions: %.40q is not an id", id)
			}
			if slices.Contains(ids[:i], id) {
				return fmt.Errorf("allowed_mentions: the id %s occurs twice", id)
			}
		}
	}
	return nil
}

var fileName = regexp.MustCompile(`^[a-z0-9][a-z0-9_-]{0,40}\.[a-z0-9]{1,8}$`)

func checkFiles(files []File) error {
	if len(files) > MaxFiles {
		return fmt.Errorf("%d files: at most %d", len(files), MaxFiles)
	}
	size := 0
	seen := map[string]bool{}
	for _, f := range files {
		if !fileName.MatchString(f.Name) || seen[f.Name] {
			return fmt.Errorf("file name %.40q is not plain, or occurs twice", f.Name)
		}
		seen[f.Name] = true
		size += len(f.Data)
	}
	if size > MaxFile {
		return fmt.Errorf("the files have %d bytes: at most %d together", size, MaxFile)
	}
	return nil
}
