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

const pollInterval = 300 * time.Millisecond

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
