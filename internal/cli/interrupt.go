package cli

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"sync"
	"syscall"
	"time"

	"github.com/chibi-host/chibi/internal/app"
)

// interrupts cancels contexts on signals. SIGTERM ends the run, and so does SIGHUP,
// which means that the terminal was closed, unless it was ignored from the start, as
// under nohup. Ctrl-C ends the answer in progress in a conversation, otherwise the run.
// After that, a second Ctrl-C ends the program at once. For a second after an answer,
// Ctrl-C does nothing: it was meant for the answer.
type interrupts struct {
	mu    sync.Mutex
	turn  context.CancelFunc // ends the answer in progress; nil if there is none
	ended time.Time          // when the latest answer ended
}

// watch returns a context that signals cancel.
func (i *interrupts) watch(ctx context.Context) (context.Context, func()) {
	ending := []os.Signal{syscall.SIGTERM}
	if !signal.Ignored(syscall.SIGHUP) {
		ending = append(ending, syscall.SIGHUP)
	}
	ctx, cancel := signal.NotifyContext(ctx, ending...)
	ctx, end := context.WithCancel(ctx)
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, os.Interrupt)
	go func() {
		for range signals {
			if i.endTurn() {
				continue
			}
			end()
			signal.Reset(os.Interrupt)
		}
	}()
	return ctx, func() {
		signal.Stop(signals)
		end()
		cancel()
	}
}

// begin begins an answer that Ctrl-C ends without ending the run.
func (i *interrupts) begin(ctx context.Context) (context.Context, func()) {
	ctx, cancel := context.WithCancel(ctx)
	i.mu.Lock()
	defer i.mu.Unlock()
	i.turn = cancel
	return ctx, func() {
		cancel()
		i.mu.Lock()
		defer i.mu.Unlock()
		i.turn, i.ended = nil, time.Now()
	}
}

// endTurn ends the answer in progress, and reports whether there was one a moment ago.
func (i *interrupts) endTurn() bool {
	i.mu.Lock()
	defer i.mu.Unlock()
	if i.turn == nil {
		return time.Since(i.ended) < time.Second
	}
	i.turn()
	i.turn, i.ended = nil, time.Now()
	return true
}

// maxDepth is how many runs may be nested: a plugin that calls chibi is asked by that
// chibi too.
const maxDepth = 4

// checkDepth refuses runs that are nested too deep. An event of another agent has bounds of its own: plugins
// get events of an agent that a hook has started as of any other.
func checkDepth(words []string) error {
	isEvent := len(words) > 1 && words[0] == "bridge" && words[1] == "run"
	if app.Depth() <= maxDepth || isEvent {
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
