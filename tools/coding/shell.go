package coding

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/chibi-host/chibi/plugin/process"
	"github.com/chibi-host/chibi/tools"
	"github.com/dustin/go-humanize"
)

const (
	// ShellTimeout is how long a command may run if the call does not say.
	ShellTimeout = 2 * time.Minute
	// MaxShellTimeout is how long it may run at most, unless ShellConfig.Timeout says less or
	// more.
	MaxShellTimeout = 10 * time.Minute
	// MaxShellOutput is how much it may write, in bytes, unless ShellConfig.MaxOutput says less
	// or more.
	MaxShellOutput = 2 << 30
)

// maxCommand bounds a command in bytes: Linux takes no longer argument.
const maxCommand = 128<<10 - 1

// ShellConfig has everything that shell_exec needs.
type ShellConfig struct {
	// Runner runs the commands. Its Env is their environment, without the variables that describe an event or
	// a call to plugins; its MaxStderr bounds their standard error. Its Stderr and Terminal have no effect.
	Runner process.Runner
	// Env, if set, returns further variables of a command that begins, as "NAME=value".
	Env func() []string
	// Dir is the working directory of commands and the base of "cwd", an absolute path.
	Dir string
	// Home is the person's home directory, for a leading "~" in "cwd".
	Home string
	// Timeout is the most that a call can ask for; 0: MaxShellTimeout.
	Timeout time.Duration
	// MaxOutput bounds standard output in bytes; 0: MaxShellOutput. A command that exceeds
	// it is ended; its output until then is kept.
	MaxOutput int64
	// Confine, if set, returns a command that runs another one confined; its error refuses
	// the call. The function that it also returns is called after the command has ended, also if ctx
	// has ended: it returns a sentence for the model about the outcome, "" if there is nothing to say.
	Confine func(context.Context, process.Command) (process.Command, func(context.Context) string, error)
	// Ended, if set, is called for each command that has ended, with the id of the session in which
	// it has left something, 0: it has left nothing. The caller ends the rest, see [process.EndLeft].
	// Nil: processes that hold the command's output are ended with it.
	Ended func(left int)
	// Spool creates a file for answers larger than 1 MiB; nil: they are kept in memory, and
	// standard output is bounded by 8 MiB.
	Spool func() (process.Spool, error)
}

// Shell returns the tool shell_exec: it runs a command by a POSIX shell, in a session
// without a controlling terminal.
func Shell(c ShellConfig) tools.Tool {
	c.Timeout = cmp.Or(max(0, c.Timeout), MaxShellTimeout)
	c.Runner.Drop = append(slices.Clip(c.Runner.Drop), "CHIBI_HOOK", "CHIBI_TOOL")
	most := max(1, int(c.Timeout/time.Second))
	return tool{plan: c.plan, spec: tools.Spec{
		Name: "shell_exec",
		Description: "Runs a command line by sh -c and returns its standard output, then its standard error after a line " +
			"\"stderr:\", and a last line \"exit status N\" unless it is 0. There is no terminal and nobody to answer a " +
			"question; standard input is empty unless stdin is given. Each call starts a new shell: a cd or a variable does " +
			"not last. Processes that a command leaves in the background (CMD >log 2>&1 &) go on after the call and " +
			"end with this run of chibi; what they write to the output of a command that has ended is lost.",
		Parameters: fmt.Appendf(nil, shellParameters, min(int(ShellTimeout/time.Second), most), most),
		Kind:       tools.Coding, Category: tools.CategoryShell, Subject: "command",
	}}
}

const shellParameters = `{"type": "object", "properties": {
"command": {"type": "string", "minLength": 1, "description": "The command line"},
"timeout_secs": {"type": "integer", "minimum": 1, "default": %d, "maximum": %d,
	"description": "After so many seconds the command is ended with its children; what it has printed is returned"},
"cwd": {"type": "string", "minLength": 1, 
	"description": "The working directory; by default the project's root, which relative paths begin at"},
"stdin": {"type": "string", "description": "The standard input"}
}, "required": ["command"], "additionalProperties": false}`

type shellArguments struct {
	Command string  `json:"command"`
	Timeout int64   `json:"timeout_secs"`
	Dir     string  `json:"cwd"`
	Stdin   *string `json:"stdin"`
}

func (c ShellConfig) plan(_ context.Context, call tools.Call) (tools.Plan, error) {
	var args shellArguments
	if err := call.Decode(&args); err != nil {
		return nil, err
	}
	switch {
	case strings.TrimSpace(args.Command) == "":
		return nil, errors.New(`"command" is empty`)
	case strings.IndexByte(args.Command, 0) >= 0:
		return nil, errors.New(`"command" contains a NUL character, which no command line can`)
	case len(args.Command) > maxCommand:
		return nil, fmt.Errorf(`"command" has %s; a command line has at most 128 KiB: write a script to a file, or pass `+
			`data as "stdin"`, humanize.IBytes(uint64(len(args.Command))))
	}
	dir, err := Config{Root: c.Dir, Home: c.Home}.place(cmp.Or(args.Dir, "."))
	if err != nil {
		return nil, err
	}
	p := &shellPlan{config: c, args: args, dir: dir.real, timeout: min(ShellTimeout, c.Timeout)}
	if args.Timeout > 0 {
		p.timeout = min(time.Duration(min(args.Timeout, int64(c.Timeout/time.Second)+1))*time.Second, c.Timeout)
	}
	return p, nil
}

type shellPlan struct {
	config  ShellConfig
	args    shellArguments
	dir     string
	timeout time.Duration
}

func (p *shellPlan) Access() tools.Access {
	access := tools.Access{Command: p.args.Command, Dir: p.dir}
	if p.args.Stdin != nil {
		access.Stdin = *p.args.Stdin
	}
	return access
}

func (p *shellPlan) Close() {}

func (p *shellPlan) Run(ctx context.Context) (tools.Result, error) {
	if info, err := os.Stat(p.dir); err != nil || !info.IsDir() {
		return tools.ErrorResult(fmt.Errorf("the working directory %q is not a directory; make it first, or choose another "+
			"\"cwd\"",
			p.dir)), nil
	}
	c, err := p.command()
	ended := func(context.Context) string { return "" }
	if err == nil && p.config.Confine != nil {
		c, ended, err = p.config.Confine(ctx, c)
	}
	if err != nil {
		return tools.ErrorResult(err), nil
	}
	runner := p.config.Runner
	answer := &shellAnswer{spool: p.config.Spool, timeout: p.timeout,
		maxStderr: cmp.Or(max(0, runner.MaxStderr), process.DefaultMaxStderr)}
	runner.Stderr = &answer.stderr
	if c.Spool != nil {
		c.Spool = answer.open
	}
	out, err := runner.Run(ctx, c)
	if p.config.Ended != nil {
		p.config.Ended(out.Left)
	}
	note := ended(ctx)
	if ctx.Err() != nil {
		answer.discard()
		return tools.Result{}, ctx.Err()
	}
	result := answer.result(out, err)
	result.Note, result.How = note, note
	return result, nil
}

func (p *shellPlan) command() (process.Command, error) {
	path, err := p.interpreter()
	c := process.Command{
		Path: path, Args: []string{"-c", p.args.Command}, Dir: p.dir, NoTerminal: true, Timeout: p.timeout,
		MaxOutput: p.config.MaxOutput, Spool: p.config.Spool, InheritStdin: p.args.Stdin == nil, Leave: p.config.Ended != nil,
	}
	if p.config.Env != nil {
		c.Env = p.config.Env()
	}
	if c.Spool != nil {
		c.MaxOutput = cmp.Or(max(0, c.MaxOutput), MaxShellOutput)
	}
	if p.args.Stdin != nil {
		c.Stdin = []byte(*p.args.Stdin)
	}
	return c, err
}

func (p *shellPlan) interpreter() (string, error) {
	if runtime.GOOS != "windows" {
		return "/bin/sh", nil
	}
	if path, ok := p.config.Runner.LookPath("sh.exe"); ok {
		return path, nil
	}
	return "", errors.New("shell_exec runs commands by a POSIX shell, and there is no sh.exe in PATH; Git for Windows " +
		"brings one")
}
