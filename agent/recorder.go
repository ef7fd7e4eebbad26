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
