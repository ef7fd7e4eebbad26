package plugin

import (
	"fmt"
	"sync/atomic"

	"github.com/dustin/go-humanize"
)

// DefaultAnswers bounds what the plugins asked at one moment may answer together,
// where nothing else is said.
const DefaultAnswers = 8 << 20

// room is how many bytes the plugins of one dispatch may still answer. Plugins
// that are asked at once would otherwise fill the memory with answers that each
// are within the bound. Nil is room for all.
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

// take reports whether there is room for so many bytes more, which are then gone.
func (r *room) take(bytes int) bool { return r == nil || r.left.Add(-int64(bytes)) >= 0 }

// failure is why an answer is not taken.
func (r *room) failure() error {
	return fmt.Errorf("%w: the answers of all plugins at this hook are more than %s together, as limits.hook_answers_bytes says",
		ErrOutputLimit, humanize.IBytes(uint64(r.max)))
}
