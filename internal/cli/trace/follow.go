package trace

import (
	"context"
	"os"
	"time"

	"github.com/chibi-host/chibi/internal/trace"
)

// following is a trace file whose turns are printed as they are written.
type following struct {
	path  string
	shown int // how many turns were printed
	print func(trace.Turn)
	last  os.FileInfo // of the file, when it was read last
}

// pollInterval is how often a file is checked for new turns.
const pollInterval = 300 * time.Millisecond

// follow prints turns when they are complete, until ctx ends.
func follow(ctx context.Context, f following) error {
	ticker := time.NewTicker(pollInterval)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-ticker.C:
			f.poll()
		}
	}
}

// poll prints the turns that were completed since the last call.
func (f *following) poll() {
	info, err := os.Stat(f.path)
	if err != nil || f.last != nil && info.Size() == f.last.Size() && info.ModTime().Equal(f.last.ModTime()) {
		return
	}
	f.last = info
	turns, _, err := trace.ReadFile(f.path)
	if err != nil {
		return
	}
	f.shown = min(f.shown, len(turns))
	for _, turn := range turns[f.shown:] {
		if !turn.Over() {
			return
		}
		f.print(turn)
		f.shown++
	}
}
