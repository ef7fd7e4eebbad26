package cli

import (
	"context"
	"fmt"

	"github.com/chibi-host/chibi/internal/hung"
	"github.com/chibi-host/chibi/plugin"
	"github.com/chibi-host/chibi/plugin/oneshot"
	"golang.org/x/sync/errgroup"
)

// probing makes what asks plugins what they are. Those that hung are remembered
// in the home; keep writes that.
func (s *session) probing() (prober *oneshot.Prober, keep func()) {
	memory := hung.Open(s.home, hung.Options{AskAgain: s.askAgain, Report: s.notice})
	return oneshot.NewProber(memory), func() {
		if err := memory.Save(); err != nil {
			s.notice(fmt.Sprintf("plugins that hung cannot be remembered and are asked each time: %v", err))
		}
	}
}

// askAll finds the plugins of the protocols that are asked what they are, all
// protocols at once. What is found comes in their order, and the first one's
// error is the error.
func (s *session) askAll(ctx context.Context) ([]plugin.Loaded, error) {
	prober, keep := s.probing()
	defer keep()
	s.runner() // makes what all share
	loaders := []func(context.Context, *oneshot.Prober) (plugin.Loaded, error){s.loadNative, s.loadKodelet}
	found, errs := make([]plugin.Loaded, len(loaders)), make([]error, len(loaders))
	var all errgroup.Group
	for i, load := range loaders {
		all.Go(func() error {
			found[i], errs[i] = load(ctx, prober)
			return nil
		})
	}
	all.Wait()
	for _, err := range errs {
		if err != nil {
			return nil, err
		}
	}
	return found, nil
}
