package agent

import "github.com/chibi-host/chibi/contexts"

// recorder stores and shows the messages of a turn.
type recorder interface {
	// record stores entries of the conversation and shows them.
	record(entries ...contexts.Entry) error
	// showText shows a piece of a response as it arrives.
	showText(delta string)
	// endText is called when the text of a response has ended.
	endText()
}

// storeRecorder stores entries in the agent's context and shows them to the person.
type storeRecorder struct{ agent *Agent }

func (r storeRecorder) record(entries ...contexts.Entry) error {
	if len(entries) == 0 {
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

func (r storeRecorder) showText(delta string) {
	if show := r.agent.Output.Text; show != nil {
		show(delta)
	}
}

func (r storeRecorder) endText() {
	if end := r.agent.Output.TextEnd; end != nil {
		end()
	}
}

// noRecorder stores and shows nothing: it is for turns that run detached from the
// conversation.
type noRecorder struct{}

func (noRecorder) record(...contexts.Entry) error { return nil }
func (noRecorder) showText(string)                {}
func (noRecorder) endText()                       {}
