package agent

import "fmt"

// The model is told of a repeated call from the second repetition; the last one ends the
// turn.
const (
	firstToldRepeat = 2
	lastRepeat      = 5
)

// repeats notices that the model makes the same call again and again and gets the same
// result.
type repeats struct {
	last  madeCall
	count int // how often the last call was repeated
}

// madeCall is a call with its result. The result is not compared if the output was cached:
// it then has an id that is new each time.
type madeCall struct {
	tool, arguments, result string
	cached                  bool
}

// add adds a call and returns how often it has been repeated.
func (r *repeats) add(made madeCall) int {
	if made.cached {
		made.result = ""
	}
	r.count++
	if made != r.last {
		r.last, r.count = made, 0
	}
	return r.count
}

// noteRepeat returns what is added to the result of a call for the model if it has been
// repeated, "" otherwise, and tells the person. The last repetition ends the turn.
func (s *step) noteRepeat(c *toolCall, seen rendered) string {
	count := s.turn.repeats.add(madeCall{c.inv.ToolName, string(c.inv.Arguments), seen.text, seen.cached})
	if count < firstToldRepeat {
		return ""
	}
	same := "with the same arguments and the same result"
	if seen.cached {
		same = "with the same arguments"
	}
	ending := ""
	if count >= lastRepeat {
		s.ending, ending = "a call was repeated too often", "; the turn ends"
	}
	s.turn.agent.Output.notice("the model repeated the call of %s %d times %s%s", c.inv.ToolName, count, same, ending)
	return fmt.Sprintf("\n[This call has been repeated %d times %s. Do something else, or answer.]", count, same)
}
