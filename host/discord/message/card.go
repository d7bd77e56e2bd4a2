package message

import (
	"slices"

	"github.com/bwmarrin/discordgo"

	"github.com/callgate/callgate/host/ask"
	"github.com/callgate/callgate/host/card"
)

// View is what a card says besides its ask.
type View struct {
	// Instance is the daemon's, see CustomID.
	Instance string
	// Waiting is how many asks wait behind this one.
	Waiting int
	// MentionRoles are the ids of roles to ping.
	MentionRoles []string
	// Note is a sentence of ours.
	Note string
}

// Shown is a card as it is posted.
type Shown struct {
	Message
	// Body is the part that stays when the ask has ended.
	Body string
	// Whole tells that everything that a person has to know is in the content. When not,
	// the files have it, an approval needs a confirmation, and no rule is offered.
	Whole bool
}

// Card lays an ask out. Whether it is whole and what it offers depends on the ask alone,
// so that it stays so at every edit. The files are for the post; an edit that leaves
// them out keeps them.
func Card(a ask.Ask, v View) Shown {
	l := layOut(a)
	content := join(l.head, l.body)
	content = join(content, foot(a, v, l, MaxContent-Units(content)-1))
	return Shown{
		Message: Message{
			Content:         content,
			Components:      components(a, v.Instance, l),
			AllowedMentions: Mentions{Parse: []string{}, Roles: roles(v.MentionRoles)},
			Flags:           discordgo.MessageFlagsSuppressEmbeds,
			Files:           l.files,
		},
		Body: l.body, Whole: l.whole,
	}
}

// layout is what of a card depends on the ask alone.
type layout struct {
	head, body string
	whole      bool
	files      []File
	// rules are the lines of the rules on offer that have room.
	rules      string
	offers     []Offer
	session    card.Choice
	hasSession bool
	// left says what of the call stands only in what "Show all" shows.
	left []string
}

func layOut(a ask.Ask) layout {
	var l layout
	var headWhole, bodyWhole bool
	c := callOf(a)
	l.head, headWhole = head(a)
	l.body, bodyWhole = layBody(c)
	l.whole = headWhole && bodyWhole
	if !l.whole {
		files, says := c.attach()
		l.files, l.body = files, shortBody(c, says)
		return l
	}
	l.offer(a, MaxContent-Units(l.head)-Units(l.body)-roomRest)
	l.addLess(c)
	return l
}

// offer lays the rules on offer out in at most room units.
func (l *layout) offer(a ask.Ask, room int) {
	list := ruleChoices(a)
	if i := slices.IndexFunc(list, func(c card.Choice) bool { return c.Key == sessionKey }); i >= 0 {
		l.session = list[i]
		list = slices.Delete(list, i, i+1)
	}
	group := len(list) > 1 && lasts(list[0]) && lasts(list[1])
	said := ""
	for i, c := range list {
		scoped := group && lasts(c)
		text := ruleLine(a, i+1, c, scoped)
		if i == 0 && scoped {
			text = join(scopeLine(a, c), text)
		}
		onCard := Units(l.rules)+Units(text)+1 <= room
		switch {
		case onCard:
			l.rules, said = join(l.rules, text), join(said, text, saidLine(c))
		case i == 0:
			group = false // the line that says where did not fit either
		}
		if i == 0 {
			l.hasSession = onCard && l.session.Key == sessionKey
		}
		l.offers = append(l.offers, Offer{Value: c.Key, Choice: c, Exact: onCard || inOption(i+1, c)})
	}
	if Units(said) <= room {
		l.rules = said
	}
	if l.session.Key == sessionKey && !l.hasSession {
		l.offers = append(l.offers, Offer{Value: sessionKey, Choice: l.session, Exact: inOption(len(list)+1, l.session)})
	}
}

func inOption(number int, c card.Choice) bool {
	_, label := optionLabel(number, c)
	_, description := optionDescription(c)
	return label && description
}
