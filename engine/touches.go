package engine

import "context"

// Touches reports whether one of the request's deny and ask rules can have a part in its decision:
// it matches, or it could not be tried. A tool reads each of them by itself, so rules that do not
// touch a call leave the decision beside any others as it is. Lists, profile and allow rules are
// not looked at.
func Touches(ctx context.Context, req Request) bool {
	w := newWalk(ctx, req)
	if _, hit := w.ruleStep(StageDenyRule, Deny); hit {
		return true
	}
	_, hit := w.ruleStep(StageAskRule, Ask)
	return hit
}
