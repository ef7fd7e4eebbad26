package plugin

import (
	"sync"

	"github.com/chibi-host/chibi/hookpoints"
)

// maxSaid bounds how many different notices about the answers of one plugin at one point chibi
// shows and remembers: a plugin can make up new ones forever.
const maxSaid = 20

// said has the notices that people saw.
type said struct {
	mu    sync.Mutex
	texts map[sayer]map[string]bool
}

// sayer is what a notice is about.
type sayer struct {
	plugin string
	point  hookpoints.Name
}

// once returns what to say of a text: the text if it is the first time, "" otherwise. The last of
// maxSaid texts says that no others follow.
func (s *said) once(about sayer, text string) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	before := s.texts[about]
	if before[text] || len(before) == maxSaid {
		return ""
	}
	if before == nil {
		if s.texts == nil {
			s.texts = map[sayer]map[string]bool{}
		}
		before = map[string]bool{}
		s.texts[about] = before
	}
	if before[text] = true; len(before) == maxSaid {
		return text + "; chibi says nothing more about its answers here"
	}
	return text
}
