package message

import (
	"slices"

	"github.com/bwmarrin/discordgo"

	"github.com/callgate/callgate/host/internal/approval/ask"
	"github.com/callgate/callgate/host/internal/approval/card"
	"github.com/callgate/callgate/host/wire"
)

// View is what a card says besides its ask.
type View struct {
	// Instance is the daemon's, see CustomID.
	Instance string
	// Waiting is how many asks wait behind this one; Behind are the first of them, in
	// their order, which get a line each where there is room.
	Waiting int
	Behind  []ask.Ask
	// Limits are sentences about limits that are near.
	Limits []string
	// Done are the lines of Done about asks that were on the list.
	Done []string

	listed bool // some of Behind have a line
	// MentionRoles are the ids of roles to ping.
	MentionRoles []string
	// Note is a sentence of ours.
	Note string
}

// Shown is a card as it is posted.
type Shown struct {
	Message
	// Call is the row about the call that stays when the ask has ended, see End.
	Call string
	// Whole tells that everything that a person has to know is in the content. When not,
	// the files have it, an approval needs a confirmation, and no rule is offered.
	Whole bool
}

// Card lays an ask out. Whether it is whole and what it offers depends on the ask alone,
// so that it stays so at every edit. The files are for the post; an edit that leaves
// them out keeps them.
func Card(a ask.Ask, v View) Shown {
	l := layOut(a)
	content := join(l.body, l.who)
	room := MaxContent - Units(content) - 1
	needs := foot(a, View{Waiting: v.Waiting, Limits: v.Limits, MentionRoles: v.MentionRoles, Note: v.Note}, l, room)
	behind := listOf(a, l.whole, v, room-max(roomFoot, Units(needs)))
	content = join(content, behind.text)
	buttons := append(components(a, v.Instance, l), behind.buttons(a, v.Instance, v.Waiting)...)
	v.Waiting, v.listed = v.Waiting-len(behind.lines), len(behind.lines) > 0
	content = join(content, foot(a, v, l, MaxContent-Units(content)-1))
	return Shown{
		Message: Message{
			Content:         content,
			Components:      buttons,
			AllowedMentions: Mentions{Parse: []string{}, Roles: roles(v.MentionRoles)},
			Flags:           discordgo.MessageFlagsSuppressEmbeds,
			Files:           l.files,
		},
		Call: CallLine(a, len(l.files) > 0), Whole: l.whole,
	}
}

// layout is what of a card depends on the ask alone.
type layout struct {
	// body is the call; who are the two lines below it, of who and until when.
	body, who string
	whole     bool
	files     []File
	offers    []Offer
	// session has a button of its own where hasSession is set.
	session    card.Choice
	hasSession bool
	// folder is what the card asks about the project folder, folders are its buttons;
	// both empty where the text has no room.
	folder  string
	folders []card.Choice
}

func layOut(a ask.Ask) layout {
	var l layout
	c := callOf(a)
	who, whoWhole := c.who(roomWho / 2)
	l.who = join(who, c.until())
	body, bodyWhole := layBody(c)
	l.body, l.whole = body, whoWhole && bodyWhole
	if !l.whole {
		files, says := c.attach()
		l.files, l.body = files, shortBody(c, says)
		return l
	}
	l.offerFolder(a, MaxContent-Units(l.who)-Units(l.body)-roomFoot)
	l.offer(a)
	return l
}

// offer puts the rules into the menu, and the session's on a button if all of it has room
// there and no button of a folder takes that place.
func (l *layout) offer(a ask.Ask) {
	for _, c := range ruleChoices(a) {
		if _, fits := sessionLabel(c); c.Key == sessionKey && fits && !c.Wide && len(l.folders) == 0 {
			l.session, l.hasSession = c, true
			continue
		}
		l.offers = append(l.offers, Offer{Value: c.Key, Choice: c, Exact: inOption(c) && !c.Wide})
	}
}

// offerFolder asks about the project folder in at most room units: the text as a whole, for
// what is trusted has to stand on the card.
func (l *layout) offerFolder(a ask.Ask, room int) {
	if !oneTap(a) || len(card.FolderChoices(a)) == 0 {
		return
	}
	text, _ := line(0, func(w *writer) { w.pieces(card.FolderQuestion(a)) })
	for _, c := range card.FolderChoices(a) {
		text = join(text, "-# "+folderLabels[c.Answer.Folder]+": "+c.Allows)
	}
	text = join(text, "-# holds until taken back with /folders")
	if Units(text)+1 <= room {
		l.folder, l.folders = text, card.FolderChoices(a)
	}
}

// folderLabels are what the buttons for the folder say, folderVerbs what they do.
var (
	folderLabels = map[wire.FolderAccess]string{wire.ReadFolder: "Trust reading", wire.EditFolder: "Trust editing"}
	folderVerbs  = map[wire.FolderAccess]Verb{wire.ReadFolder: VerbTrustRead, wire.EditFolder: VerbTrustEdit}
)

// FolderChoice is what a button for the folder does; false where there is none, because
// the card does not offer it.
func FolderChoice(a ask.Ask, v Verb) (card.Choice, bool) {
	if !oneTap(a) {
		return card.Choice{}, false
	}
	folders := layOut(a).folders
	i := slices.IndexFunc(folders, func(c card.Choice) bool { return folderVerbs[c.Answer.Folder] == v })
	if i < 0 {
		return card.Choice{}, false
	}
	return folders[i], true
}

// inOption reports whether an entry of the menu has room for all of a choice.
func inOption(c card.Choice) bool {
	_, label := optionLabel(c)
	_, description := optionDescription(c)
	return label && description
}
