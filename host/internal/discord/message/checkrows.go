package message

import (
	"errors"
	"fmt"

	"github.com/bwmarrin/discordgo"
)

// checkComponents wants rows of buttons, or of one menu.
func checkComponents(list []discordgo.MessageComponent) error {
	if len(list) > MaxRows {
		return fmt.Errorf("%d rows: at most %d", len(list), MaxRows)
	}
	ids := map[string]bool{}
	for i, c := range list {
		r, ok := asRow(c)
		if !ok {
			return fmt.Errorf("component %d is not a row", i+1)
		}
		if err := checkRow(r, ids); err != nil {
			return fmt.Errorf("row %d: %w", i+1, err)
		}
	}
	return nil
}

func asRow(c discordgo.MessageComponent) (discordgo.ActionsRow, bool) {
	switch c := c.(type) {
	case discordgo.ActionsRow:
		return c, true
	case *discordgo.ActionsRow:
		if c != nil {
			return *c, true
		}
	}
	return discordgo.ActionsRow{}, false
}

func checkRow(r discordgo.ActionsRow, ids map[string]bool) error {
	if n := len(r.Components); n < 1 || n > MaxButtons {
		return fmt.Errorf("%d components: it needs 1 to %d", n, MaxButtons)
	}
	for _, c := range r.Components {
		switch c := c.(type) {
		case discordgo.Button:
			if err := checkButton(c, ids); err != nil {
				return err
			}
		case discordgo.SelectMenu:
			if len(r.Components) > 1 {
				return errors.New("a menu needs a row to itself")
			}
			if err := checkMenu(c, ids); err != nil {
				return err
			}
		default:
			return fmt.Errorf("a %T is neither a button nor a menu", c)
		}
	}
	return nil
}

// checkID checks the custom id of a component.
func checkID(id string) error { return within("custom_id", id, 1, MaxCustomID) }

// once is checkID for one of several components.
func once(id string, ids map[string]bool) error {
	if err := checkID(id); err != nil {
		return err
	}
	if ids[id] {
		return fmt.Errorf("custom_id %.40q occurs twice", id)
	}
	ids[id] = true
	return nil
}

func checkButton(b discordgo.Button, ids map[string]bool) error {
	if b.Label == "" && b.Emoji == nil {
		return errors.New("a button needs a label")
	}
	if err := within("button label", b.Label, 0, MaxLabel); err != nil {
		return err
	}
	switch {
	case b.SKUID != "" || b.Style > discordgo.LinkButton:
		return fmt.Errorf("a button has style %d, which we do not use", b.Style)
	case b.Style == discordgo.LinkButton:
		if b.CustomID != "" || b.URL == "" {
			return errors.New("a link button needs a URL and no custom_id")
		}
		return within("button URL", b.URL, 1, MaxURL)
	case b.URL != "":
		return errors.New("only a link button has a URL")
	}
	return once(b.CustomID, ids)
}

func checkMenu(m discordgo.SelectMenu, ids map[string]bool) error {
	if err := once(m.CustomID, ids); err != nil {
		return err
	}
	if err := within("menu placeholder", m.Placeholder, 0, MaxPlaceholder); err != nil {
		return err
	}
	if m.MenuType != 0 && m.MenuType != discordgo.StringSelectMenu {
		return fmt.Errorf("a menu is of type %d: we use those of texts", m.MenuType)
	}
	n := len(m.Options)
	if n < 1 || n > MaxOptions {
		return fmt.Errorf("a menu has %d options: it needs 1 to %d", n, MaxOptions)
	}
	least := 1
	if m.MinValues != nil {
		least = *m.MinValues
	}
	if most := max(m.MaxValues, 1); least < 0 || least > most || most > n {
		return fmt.Errorf("a menu wants %d to %d of %d options", least, most, n)
	}
	values := map[string]bool{}
	for _, o := range m.Options {
		if err := checkOption(o, values); err != nil {
			return err
		}
	}
	return nil
}

func checkOption(o discordgo.SelectMenuOption, values map[string]bool) error {
	if err := within("option label", o.Label, 1, MaxOptionText); err != nil {
		return err
	}
	if err := within("option value", o.Value, 1, MaxOptionText); err != nil {
		return err
	}
	if values[o.Value] {
		return fmt.Errorf("option value %.40q occurs twice", o.Value)
	}
	values[o.Value] = true
	return within("option description", o.Description, 0, MaxOptionText)
}

// checkInputRow wants a row with one text input.
func checkInputRow(c discordgo.MessageComponent, ids map[string]bool) error {
	r, ok := asRow(c)
	if !ok || len(r.Components) != 1 {
		return errors.New("it is not a row of one text input")
	}
	input, ok := r.Components[0].(discordgo.TextInput)
	if !ok {
		return fmt.Errorf("a %T is not a text input", r.Components[0])
	}
	if err := once(input.CustomID, ids); err != nil {
		return err
	}
	if err := within("input label", input.Label, 1, MaxInputLabel); err != nil {
		return err
	}
	if input.Style != discordgo.TextInputShort && input.Style != discordgo.TextInputParagraph {
		return fmt.Errorf("a text input has style %d: it is 1 or 2", input.Style)
	}
	if input.MinLength < 0 || input.MinLength > MaxInput || input.MaxLength < 0 || input.MaxLength > MaxInput ||
		input.MaxLength > 0 && input.MinLength > input.MaxLength {
		return fmt.Errorf("a text input takes %d to %d units: at most %d", input.MinLength, input.MaxLength, MaxInput)
	}
	if err := within("input value", input.Value, 0, MaxInput); err != nil {
		return err
	}
	return within("input placeholder", input.Placeholder, 0, MaxInputHint)
}
