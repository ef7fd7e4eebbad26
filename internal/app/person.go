package app

import (
	"fmt"

	"github.com/chibi-host/chibi/agent"
)

// person shows a person what happens; functions that are nil show nothing.
type person agent.Output

// notice shows a sentence.
func (p person) notice(text string) {
	if p.Notice != nil {
		p.Notice(text)
	}
}

// detail shows a sentence that matters only to somebody who wants to know more.
func (p person) detail(format string, args ...any) {
	if p.Detail != nil {
		p.Detail(fmt.Sprintf(format, args...))
	}
}

// waiting shows what is being waited for, until the returned function is called.
func (p person) waiting(what string) func() {
	if p.Waiting == nil {
		return func() {}
	}
	return p.Waiting(what)
}
