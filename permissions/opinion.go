package permissions

import "context"

// Opinion returns what a policy and hooks say about a call that somebody else decides about:
// undecided if neither says anything. hooks asks the plugins; it is not called for what a rule
// denies. Errors are those of hooks.
func Opinion(ctx context.Context, p Policy, c Call, hooks func(context.Context) (Judgement, error)) (Judgement, error) {
	ruled := p.Judge(c)
	if ruled.Decision == Deny {
		return ruled, nil
	}
	hooked, err := hooks(ctx)
	return Strictest(ruled, hooked), err
}
