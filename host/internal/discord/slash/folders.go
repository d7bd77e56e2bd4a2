package slash

import (
	"context"
	"fmt"

	"github.com/callgate/callgate/host/wire"
)

// Folders are the project folders trusted by people; implemented by *folder.Book.
type Folders interface {
	List(ctx context.Context, agent string) ([]wire.Folder, error)
	Forget(ctx context.Context, id, by string) (wire.Folder, error)
}

// folders shows the trusted folders, or revokes one. That only tightens, so any person with
// access to commands may.
func (h *Handler) folders(ctx context.Context, who asker, r request) (answer, error) {
	if h.c.Folders == nil {
		return answer{message: listing("**/folders**", []string{"no trusted folders"}, "")}, nil
	}
	if id := r.texts[optForget]; id != "" {
		gone, err := h.c.Folders.Forget(ctx, id, who.Name)
		if err != nil {
			return answer{}, badRequest{err}
		}
		return answer{message: listing("**/folders**", []string{gone.Path + " is not trusted any more for " + gone.Agent}, "")}, nil
	}
	list, err := h.c.Folders.List(ctx, r.texts[optAgent])
	if err != nil {
		return answer{}, err
	}
	lines := []string{}
	for _, f := range list {
		lines = append(lines, folderLine(f))
	}
	if len(lines) == 0 {
		lines = []string{"no trusted folders"}
	}
	return answer{message: listing("**/folders** trusted for agents; take one back with the option forget", lines, "")}, nil
}

func folderLine(f wire.Folder) string {
	text := fmt.Sprintf("%s %s: %s may %s (trusted by %s)", f.ID, f.Path, f.Agent, f.Access, f.By)
	if f.Problem != "" {
		text += ", not in force: " + f.Problem
	}
	return text
}

// folderProposals are the revocable folders.
func (h *Handler) folderProposals(ctx context.Context) ([]proposal, error) {
	if h.c.Folders == nil {
		return nil, nil
	}
	list, err := h.c.Folders.List(ctx, "")
	var out []proposal
	for _, f := range list {
		out = append(out, proposal{folderLine(f), f.ID})
	}
	return out, err
}
