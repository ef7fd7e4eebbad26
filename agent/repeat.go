package agent

// From the second repetition on, the result of a repeated call says so; the last one ends the turn.
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
