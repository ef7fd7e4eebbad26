package cli

import (
	"context"
	"fmt"
	"os"
	"time"

	"github.com/chibi-host/chibi/internal/app"
)

// maxDepth is how many runs may be nested: a plugin that calls chibi is asked by that
// chibi too.
const maxDepth = 4

func checkDepth() error {
	if app.Depth() <= maxDepth {
		return nil
	}
	return fmt.Errorf("%d runs of chibi are nested, each started by a plugin of the previous one; "+
		"in the plugin that calls chibi, use chibi --no-plugins", maxDepth+1)
}

// watchParent returns a context that ends when the process that started a nested run
// has ended, because nobody waits for its answer then. A run in a session of its own is
// meant to outlive that process.
func watchParent(ctx context.Context) (context.Context, func()) {
	ctx, cancel := context.WithCancel(ctx)
	parent := os.Getppid()
	if app.Depth() == 0 || isDetached(parent) {
		return ctx, cancel
	}
	go func() {
		ticker := time.NewTicker(250 * time.Millisecond)
		defer ticker.Stop()
		for parent > 1 && os.Getppid() == parent {
			select {
			case <-ctx.Done():
				return
			case <-ticker.C:
			}
		}
		cancel()
	}()
	return ctx, cancel
}
