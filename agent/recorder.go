package agent

import "github.com/chibi-host/chibi/contexts"

// recorder stores the messages of a turn in the context of an agent, and shows them to the
// person. Without an agent it does neither: it is for turns that run detached from the
// conversation.
type recorder struct{ agent *Agent }

// record stores entries of the conversation and shows them.
func (r recorder) record(entries ...contexts.Entry) error {
	if r.agent == nil || len(entries) == 0 {
		return nil
	}
	if err := r.agent.Context.Append(entries...); err != nil {
		return err
	}
	if show := r.agent.Output.Entry; show != nil {
		for _, e := range entries {
			show(e)
		}
	}
	return nil
}

// showText shows a piece of a response as it arrives.
func (r recorder) showText(delta string) {
	if r.agent != nil && r.agent.Output.Text != nil {
		r.agent.Output.Text(delta)
	}
}

// endText is called when the text of a response has ended.
func (r recorder) endText() {
	if r.agent != nil && r.agent.Output.TextEnd != nil {
		r.agent.Output.TextEnd()
	}
}

// storeUnanswered stores messages that need an answer; the first of them ends with
// the prompt.
func (t *turn) storeUnanswered(prompt string, first contexts.Entry, more ...contexts.Entry) error {
	first = first.Asking(prompt, t.recipe.name())
	if err := t.recorder.record(append([]contexts.Entry{first}, more...)...); err != nil {
		return err
	}
	t.unanswered = first.ID
	return nil
}

func (t *turn) userMessage(text string) contexts.Entry {
	return contexts.UserMessage(t.agent.Settings.userName(), t.contextName(), text)
}
