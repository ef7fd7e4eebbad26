package native

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/chibi-host/chibi/hookpoints"
	"github.com/chibi-host/chibi/internal/strictjson"
	"github.com/chibi-host/chibi/plugin"
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

// probeAll returns the schemas of executables, in their order. Those that the prober
// remembers are read at once, in one goroutine: that is faster than starting one for each.
func probeAll(ctx context.Context, opts Options, prober *oneshot.Prober, found []executable) []probed {
	all := make([]probed, len(found))
	var unknown []int
	for i, file := range found {
		p, known, err := oneshot.Recall(prober, opts.probe(file), opts.read)
		if !known {
			unknown = append(unknown, i)
			continue
		}
		p.err = err
		all[i] = p
	}
	prober.Each(len(unknown), func(i int) {
		file := found[unknown[i]]
		begun := time.Now()
		p, err := oneshot.Run(ctx, prober, opts.probe(file), opts.read)
		if opts.Probed != nil {
			opts.Probed(file.name, time.Since(begun))
		}
		p.err = err
		all[unknown[i]] = p
	})
	return all
}

// probe returns the probe of an executable: it is run with --schema.
func (o Options) probe(file executable) oneshot.Probe {
	runner := o.runner(file.name)
	runner.Stderr, runner.Lender = nil, nil // a probe must not print or ask; the tail of stderr goes into the error
	return oneshot.Probe{
		Name: file.name, Runner: runner, Required: o.requires(file.name, file.guard),
		File: oneshot.File{Path: file.real, Info: file.info, Folder: file.folder, Question: "--schema"},
		Command: process.Command{
			Path: file.real, Args: []string{"--schema"}, Env: environment(o),
			Timeout: cmp.Or(o.ProbeTimeout, DefaultProbeTimeout), MaxOutput: maxSchema,
		},
		Explain: func(err error) error { return fmt.Errorf("--schema: %w", err) },
	}
}

// read takes apart what --schema printed.
func (o Options) read(out []byte) (p probed, rules oneshot.Rules, err error) {
	if p, err = parseSchemas(out, o.unknownHook); err != nil {
		return p, rules, err
	}
	if o.Strict {
		p.warnings = append(p.warnings, unknownKeys(out)...)
	}
	for _, s := range p.schemas {
		rules.Never = rules.Never || s.Cache != nil && !*s.Cache
		rules.Blocks = rules.Blocks || s.OnFailure == plugin.Block
	}
	return p, rules, nil
}

// unknownHook says that a hook point does not exist for this program, and which one was
// probably meant; "": it exists.
func (o Options) unknownHook(name hookpoints.Name) string {
	if hookpoints.Exists(name) || slices.Contains(o.Points, name) {
		return ""
	}
	var meant []string
	if o.Meant != nil {
		for _, point := range o.Meant(string(name)) {
			meant = append(meant, strconv.Quote(string(point)))
		}
	}
	if near := strictjson.Nearest(string(name), hookpoints.Names()); len(meant) == 0 && near != "" {
		meant = []string{strconv.Quote(near)}
	}
	if len(meant) == 0 {
		return fmt.Sprintf("hook %.60q does not exist; see chibi hook list", name)
	}
	return fmt.Sprintf("hook %.60q does not exist; did you mean %s?", name, strings.Join(meant, " or "))
}

// environment returns the variables that every process of this protocol gets.
func environment(opts Options) []string {
	env := []string{"CHIBI_HOME=" + opts.Home, "CHIBI_CONTEXT=" + opts.Context}
	if opts.Verbose {
		env = append(env, "CHIBI_VERBOSE=1")
	}
	return env
}
