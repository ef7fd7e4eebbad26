package kodelet

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/chibi-host/chibi/plugin/oneshot"
	"github.com/chibi-host/chibi/plugin/process"
)

// maxAnswer bounds the output of `hook`, in bytes.
const maxAnswer = 64 << 10

// query returns a hook's event. The hook is asked with `hook`, unless the prober remembers
// what it answered.
func query(ctx context.Context, opts Options, file executable) (event, error) {
	runner := opts.Runner.WithEnv(opts.Overrides[file.name].Env)
	runner.Stderr, runner.Lender = nil, nil // its tail goes into the error
	return oneshot.Ask(ctx, opts.Prober, oneshot.Probe{
		Name: file.name, Runner: runner, Required: opts.Overrides[file.name].Required(),
		File: oneshot.File{Path: file.path, Question: "hook"},
		Command: process.Command{Path: file.path, Args: []string{"hook"}, Env: file.env, Check: file.check,
			Timeout: cmp.Or(opts.QueryTimeout, DefaultQueryTimeout), MaxOutput: maxAnswer},
		Explain: func(err error) error {
			if errors.Is(err, ErrUntrusted) {
				return err
			}
			return fmt.Errorf("asked `hook` for its event: %w", err)
		},
	}, read)
}

// read takes apart what `hook` printed.
func read(stdout []byte) (event, oneshot.Rules, error) {
	name := strings.TrimSpace(string(stdout))
	if e, ok := findEvent(name); ok {
		return e, oneshot.Rules{}, nil
	}
	return event{}, oneshot.Rules{}, fmt.Errorf("asked `hook` for its event, it answered %.60q; want one of %s", name,
		eventNames())
}

func eventNames() string {
	var names []string
	for _, e := range events() {
		names = append(names, e.name)
	}
	return strings.Join(names, ", ")
}
