package slash

import (
	"github.com/bwmarrin/discordgo"

	"github.com/callgate/callgate/host/internal/admin/command"
	"github.com/callgate/callgate/host/internal/discord/message"
	"github.com/callgate/callgate/host/internal/store/history"
)

// The names of options.
const (
	optAgent    = "agent"
	optSession  = "session"
	optProject  = "project"
	optGlobal   = "global"
	optRule     = "rule"
	optRemove   = "remove"
	optMode     = "mode"
	optForks    = "forks"
	optProfile  = "profile"
	optReset    = "reset"
	optPatterns = "patterns"
	optDoes     = "does"
	optFor      = "for"
	optTool     = "tool"
	optID       = "id"
	optResume   = "resume"
	optText     = "text"
	optRow      = "row"
	optPerson   = "person"
	optDecision = "decision"
	optSince    = "since"
	optUntil    = "until"
	optForget   = "forget"
)

// agentsMode is the choice that gives a session the agent's mode again.
const agentsMode = "agent"

// Commands are the commands as they are registered. Everybody sees them; who may use
// them is decided here, for Discord's own permissions know nothing of our roles.
func Commands() []*discordgo.ApplicationCommand {
	return []*discordgo.ApplicationCommand{
		listCommand("allow", "Show the allow list, add a rule to it, or take one off it"),
		listCommand("ask", "Show the ask list, add a rule to it, or take one off it"),
		listCommand("deny", "Show the deny list, add a rule to it, or take one off it"),
		slashCommand("permission", "Show the mode of a session, or change it", modeOptions()...),
		slashCommand("permissions", "Show and change what agents may do",
			sub("show", "Show the lists, the mode and the profile", places()...),
			sub("mode", "Show the mode of a session, or change it", modeOptions()...),
			sub("profile", "Show the profiles, or give an agent another one",
				completed(optProfile, "The profile to give; left out: show which agent has which"),
				completed(optAgent, "The agent; left out: the one of this channel"),
				flag(optReset, "Give the agent the configuration's profile again"),
				flag(optPatterns, "Only show the patterns of the profile")),
			sub("builder", "Show what a rule would match of the last calls, and store it when you say so", append([]*discordgo.ApplicationCommandOption{
				required(completed(optRule, "Tool or Tool(content)")),
				chosen(optDoes, "What it does; left out: "+behaviors[0], behaviors),
				chosen(optFor, "For how long; left out: for good", spanNames),
			}, places()...)...),
		),
		slashCommand("asks", "Show the calls that wait for a person",
			completed(optID, "Show this ask as its approver sees it, whole"),
			completed(optAgent, "Only asks of this agent"),
			completed(optSession, "Only asks of this session"),
			completed(optResume, "Let this paused session ask again")),
		slashCommand("audit", "Show what was decided, the latest first",
			text(optText, "Only rows whose action, reason, rule or input holds this"),
			&discordgo.ApplicationCommandOption{Type: discordgo.ApplicationCommandOptionInteger, Name: optRow, Description: "Show the row of this number, whole", MinValue: new(float64(1))},
			completed(optAgent, "Only this agent"), completed(optSession, "Only this session"), completed(optTool, "Only this tool"),
			text(optPerson, "Only what this person triggered, decided or did"),
			chosen(optDecision, "Only this outcome", history.Outcomes()),
			text(optSince, "Only from then on: a time, a date, or how long ago (2h, 7d)"),
			text(optUntil, "Only before then: likewise")),
		slashCommand("folders", "Show the project folders that people trusted, or take one back",
			completed(optForget, "Take this folder back"),
			completed(optAgent, "Only folders of this agent")),
		slashCommand("clear", "Cancel what waits in a session and drop its grants and modes",
			completed(optSession, "The session; left out: the one of this thread")),
	}
}

// slashCommand is a command of the server. Commands of a server do not show in direct messages,
// in any context.
func slashCommand(name, description string, options ...*discordgo.ApplicationCommandOption) *discordgo.ApplicationCommand {
	contexts := []discordgo.InteractionContextType{discordgo.InteractionContextGuild, discordgo.InteractionContextBotDM}
	return &discordgo.ApplicationCommand{
		Type: discordgo.ChatApplicationCommand, Name: name, Description: description, Options: options, Contexts: &contexts,
	}
}

func sub(name, description string, options ...*discordgo.ApplicationCommandOption) *discordgo.ApplicationCommandOption {
	return &discordgo.ApplicationCommandOption{Type: discordgo.ApplicationCommandOptionSubCommand, Name: name, Description: description, Options: options}
}

func listCommand(name, description string) *discordgo.ApplicationCommand {
	options := []*discordgo.ApplicationCommandOption{
		completed(optRule, "Tool or Tool(content) to add, -Tool(content) to take off; left out: show the list"),
		completed(optRemove, "The rule to take off the list"),
	}
	return slashCommand(name, description, append(options, places()...)...)
}

// places are the options for the place of a command.
func places() []*discordgo.ApplicationCommandOption {
	return []*discordgo.ApplicationCommandOption{
		completed(optAgent, "The lists of this agent; left out: of this thread's session or this channel's agent"),
		completed(optSession, "The lists of this session"),
		completed(optProject, "The lists of the project with this root"),
		flag(optGlobal, "The lists for every agent"),
	}
}

func modeOptions() []*discordgo.ApplicationCommandOption {
	return []*discordgo.ApplicationCommandOption{
		chosen(optMode, "The mode; agent gives it back to the agent's; left out: show it", append(command.Modes(), agentsMode)),
		completed(optSession, "The session; left out: the one of this thread"),
		completed(optAgent, "Choose among the sessions of this agent"),
		flag(optForks, "Only for the session's interactive forks, until they end"),
	}
}

func text(name, description string) *discordgo.ApplicationCommandOption {
	return &discordgo.ApplicationCommandOption{Type: discordgo.ApplicationCommandOptionString, Name: name, Description: description, MaxLength: message.MaxTyped}
}

func completed(name, description string) *discordgo.ApplicationCommandOption {
	o := text(name, description)
	o.Autocomplete = true
	return o
}

func required(o *discordgo.ApplicationCommandOption) *discordgo.ApplicationCommandOption {
	o.Required = true
	return o
}

func chosen(name, description string, words []string) *discordgo.ApplicationCommandOption {
	o := &discordgo.ApplicationCommandOption{Type: discordgo.ApplicationCommandOptionString, Name: name, Description: description}
	for _, w := range words {
		o.Choices = append(o.Choices, &discordgo.ApplicationCommandOptionChoice{Name: w, Value: w})
	}
	return o
}

func flag(name, description string) *discordgo.ApplicationCommandOption {
	return &discordgo.ApplicationCommandOption{Type: discordgo.ApplicationCommandOptionBoolean, Name: name, Description: description}
}
