package native

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/chibi-host/chibi/hookpoints"
	"github.com/chibi-host/chibi/plugin/oneshot"
	"github.com/chibi-host/chibi/plugin/process"
)

// maxSchema bounds the output of --schema, in bytes.
const maxSchema = 1 << 20

// probed is the result of asking an executable for its schema.
type probed struct {
	schemas  []schema
	elements int // all elements, usable or not
	warnings []string
	err      error
}

// probe runs an executable with --schema.
func probe(ctx context.Context, opts Options, prober *oneshot.Prober, file executable) probed {
	runner := opts.runner(file.name)
	runner.Stderr, runner.Lender = nil, nil // a probe must not print or ask; the tail of stderr goes into the error
	cmd := process.Command{
		Path: file.real, Args: []string{"--schema"}, Env: environment(opts),
		Timeout: cmp.Or(opts.ProbeTimeout, DefaultProbeTimeout), MaxOutput: maxSchema,
	}
	begun := time.Now()
	out, err := prober.Run(ctx, oneshot.Probe{Runner: runner, Command: cmd,
		Required: opts.Overrides[file.name].Required()})
	if opts.Probed != nil {
		opts.Probed(file.name, time.Since(begun))
	}
	if err == nil {
		err = out.Err()
	}
	if err != nil {
		return probed{err: fmt.Errorf("--schema: %w", err)}
	}
	p, err := parseSchemas(out.Stdout, opts.knows)
	if err != nil {
		return probed{err: err}
	}
	if opts.Strict {
		p.warnings = append(p.warnings, unknownKeys(out.Stdout)...)
	}
	return p
}

// knows reports whether a hook point exists for this program.
func (o Options) knows(name hookpoints.Name) bool {
	_, ok := hookpoints.Find(name)
	return ok || slices.Contains(o.Points, name)
}

// environment returns the variables that every process of this protocol gets.
func environment(opts Options) []string {
	env := []string{"CHIBI_HOME=" + opts.Home, "CHIBI_CONTEXT=" + opts.Context}
	if opts.Verbose {
		env = append(env, "CHIBI_VERBOSE=1")
	}
	return env
}
