package native

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/chibi-host/chibi/hookpoints"
	"github.com/chibi-host/chibi/plugin/oneshot"
	"github.com/chibi-host/chibi/plugin/process"
	"github.com/tidwall/gjson"
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
	timeout := opts.ProbeTimeout
	if timeout == 0 {
		timeout = DefaultProbeTimeout
	}
	cmd := process.Command{
		Path: file.real, Args: []string{"--schema"}, Env: environment(opts),
		Timeout: timeout, MaxOutput: maxSchema,
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
	schemas, warnings, err := parseSchemas(out.Stdout, opts.knows)
	if opts.Strict && err == nil {
		warnings = append(warnings, unknownKeys(out.Stdout)...)
	}
	elements := 1
	if list := gjson.ParseBytes(out.Stdout); err == nil && list.IsArray() {
		elements = len(list.Array())
	}
	return probed{schemas, elements, warnings, err}
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
