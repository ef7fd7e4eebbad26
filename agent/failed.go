package agent

import (
	"cmp"
	"context"
	"errors"

	"github.com/chibi-host/chibi/hookpoints"
	"github.com/chibi-host/chibi/llm"
	"github.com/chibi-host/chibi/plugin"
)

// failureOf returns the kind of an error of a request to the model.
func failureOf(err error) hookpoints.FailureKind {
	if errors.Is(err, llm.ErrTooLong) {
		return hookpoints.FailureTooLong
	}
	return hookpoints.FailureServer
}

// fireFailed fires on_turn_failed for a turn that ended by an error or was interrupted, even
// if ctx has ended. That a plugin refused the prompt or ended the turn is no failure. response is what the model
// answered last.
func fireFailed(ctx context.Context, t *turn, response string, failure error) {
	var refused *RefusedError
	var halted *HaltedError
	if errors.As(failure, &refused) || errors.As(failure, &halted) || !t.agent.Host.IsHeard(hookpoints.OnTurnFailed.Name) {
		return
	}
	payload := hookpoints.OnTurnFailedPayload{ContextName: t.contextName(), Status: hookpoints.TurnError,
		Kind: cmp.Or(t.failure, hookpoints.FailureOther), Error: failure.Error(), Response: response,
		Nesting: t.agent.inner.told()}
	if ctx.Err() != nil {
		payload.Status, payload.Kind = hookpoints.TurnInterrupted, ""
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), endTimeout)
	defer cancel()
	plugin.Fire(ctx, t.agent.Host, hookpoints.OnTurnFailed, payload) // its error would say no more than the failure
}
