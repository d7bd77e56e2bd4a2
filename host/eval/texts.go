package eval

import "errors"

var errTexts = errors.New("not built")

func (e *Evaluator) command(r *request) (any, error) { return nil, errTexts }

func (r *request) frontmatter() (any, error) { return nil, errTexts }
