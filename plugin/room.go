package plugin

import (
	"fmt"
	"sync/atomic"

	"github.com/dustin/go-humanize"
)

// DefaultAnswers bounds what the plugins asked at one moment may answer together,
// where nothing else is said.
const DefaultAnswers = 8 << 20

// ownAnswer is what each plugin may answer whatever the others did, in bytes: no
// flood of one plugin takes the place that another needs to block.
const ownAnswer = 64 << 10

// room is how many bytes the plugins of one dispatch may still answer beyond what
// each has of its own. Plugins that are asked at once would otherwise fill the
// memory with answers that each are within the bound.
type room struct {
	max  int64
	left atomic.Int64
}

func newRoom(max int64) *room {
	if max <= 0 {
		max = DefaultAnswers
	}
	r := &room{max: max}
	r.left.Store(max)
	return r
}

// share is one plugin's part of a room: what it has of its own, then what is left
// for all. It is for one goroutine; nil is room for everything.
type share struct {
	room *room
	own  int
	used bool // room was asked for
}

func (r *room) share() *share { return &share{room: r, own: ownAnswer} }

// take takes room for so many bytes more. The error says that there is none.
func (s *share) take(bytes int) error {
	if s == nil {
		return nil
	}
	s.used = true
	own := min(bytes, s.own)
	s.own -= own
	if bytes == own || s.room.left.Add(-int64(bytes-own)) >= 0 {
		return nil
	}
	return fmt.Errorf("the answers of all plugins at this hook are more than %s together, as "+
		"limits.hook_answers_bytes says", humanize.IBytes(uint64(s.room.max)))
}
