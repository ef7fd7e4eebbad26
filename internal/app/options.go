package app

import (
	"context"
	"io"
	"os"
	"path/filepath"
	"time"

	"github.com/chibi-host/chibi/agent"
	"github.com/chibi-host/chibi/internal/agents/hooks"
	"github.com/chibi-host/chibi/internal/config"
	"github.com/chibi-host/chibi/internal/storage"
	"github.com/chibi-host/chibi/internal/usage"
	"github.com/chibi-host/chibi/internal/within"
	"github.com/chibi-host/chibi/permissions"
	"github.com/chibi-host/chibi/plugin"
	"github.com/chibi-host/chibi/plugin/resident"
	"github.com/chibi-host/chibi/tools/mcp"
)

// Purpose is what a session is opened for.
type Purpose int

// The purposes of a session.
const (
	// ToWork is for a run that asks the model or calls a tool: it does not start while
	// a required guard is missing.
	ToWork Purpose = iota
	// ToManage is for a run that does neither.
	ToManage
	// ToRead is for reading a home: chibi asks no plugin, traces nothing and changes no
	// file. [Session.Load] can load the plugins later.
	ToRead
	// ToBridge is for a run that asks the plugins about what happens in another agent, which
	// [Options.Bridge] names: no conversation is opened or changed.
	ToBridge
)

// Options say what is opened and who hears what happens. The zero value opens the
// person's home with the current context, for a run that shows nothing.
type Options struct {
	Purpose Purpose
	// Home is the home's directory; "": $CHIBI_HOME, else ~/.chibi.
	Home string
	// Store says where the contexts are kept.
	Store StoreOptions
	// Context names the context: "-" is the previous one, "new" and "new:PREFIX"
	// make a name; "": the current one.
	Context string
	// Transient uses the context for this session only: it does not become the current
	// one.
	Transient bool
	// NoSave keeps nothing of the conversation: no entries, mail, todos, goals and cached
	// outputs. The session needs no lock and is transient.
	NoSave bool
	// Set are settings that take precedence over the configuration files, as
	// key=value.
	Set []string
	// SystemPrompt, if not nil, replaces the context's own for this session.
	SystemPrompt *string
	// Recipe names the recipe that the prompt comes from; "": none.
	Recipe string
	// Verbose is passed on to plugins.
	Verbose bool
	// Wait waits for a context that another process uses; without it that is an error.
	Wait bool
	// Strict makes it an error if the model called tools for a prompt and each call was refused.
	Strict bool
	// NoServers leaves out the tools of MCP servers, and asks no server for them: for a run that
	// is an MCP server itself.
	NoServers bool
	// Agent is the other agent that has started the run, "" if none has: chibi does not ask its own
	// hooks, as it runs them by itself.
	Agent string
	// Watched notes which files of plugins and of the configuration there are before they are
	// read, for [Served.Watch].
	Watched bool
	// TrustProject approves what comes with the current directory, for this
	// session.
	TrustProject bool

	// Within is the mark of a command of a model that this run belongs to; nil: it belongs to
	// none.
	Within *within.Mark
	// Version is the program's.
	Version string

	// Bridge is set with [ToBridge].
	Bridge *Bridge
	// InSession says that the run is part of a session of another agent, in which on_start and on_end fire
	// with [ToBridge].
	InSession bool

	Model       ModelOptions
	Permissions PermissionOptions
	Plugins     PluginOptions
	Trace       TraceOptions
	// Output shows a person what happens. A nil function shows nothing.
	Output agent.Output
}

// of returns the options for a session of a context that does not become the current one.
func (o Options) of(context string) Options {
	o.Context, o.Transient = context, true
	o.Recipe, o.SystemPrompt = "", nil // they are for the prompt of the session that they are of
	return o
}

// ModelOptions are the options for the model's server.
type ModelOptions struct {
	// Demo makes the built-in model answer, whatever is configured.
	Demo bool
	// Early opens the connection to the server while plugins are loaded, unless the
	// configuration forbids it: for a run that asks the model at once.
	Early bool
	// LogRequests and LogResponses write every request, and the metadata of every
	// response, to files of the context.
	LogRequests, LogResponses bool
}

// PermissionOptions say what tools may do in a session.
type PermissionOptions struct {
	// Coding offers the coding tools, whatever is configured.
	Coding bool
	// Allow and Deny are rules in addition to the rules of the configuration.
	Allow, Deny []string
	// AcceptEdits allows to write files of the project, unless a rule or a plugin decides
	// otherwise. TrustTools answers each question with yes, except questions about protected files and
	// questions of plugins.
	AcceptEdits, TrustTools bool
	// NoToolCalls offers the model no tools.
	NoToolCalls bool
	// Ask asks the person about a tool call; nil: chibi asks nobody, and refuses calls about which it would ask.
	Ask Asking
	// Fill asks the person an MCP server's question during a call; nil: servers get the answer that nobody can answer.
	Fill Filling
}

// PluginOptions are the options for loading plugins.
type PluginOptions struct {
	// None loads no plugins; NoHooks loads only their tools.
	None, NoHooks bool
	// NativeOnly leaves out the hooks of other programs.
	NativeOnly bool
	// AskAgain also asks plugins that hung a short while ago.
	AskAgain bool
	// Dir is the directory of chibi's plugins; "": the directory plugins in the home.
	Dir string
	// Environ is the environment of plugins; nil: this process's own.
	Environ []string
	// Home is the home that plugins get; "": the one that is opened.
	Home string
	// Stderr receives what plugins write to standard error; RawStderr takes its place
	// if the configuration asks for raw output; nil discards it.
	Stderr, RawStderr io.Writer
	// Terminal is lent to a plugin that asks a person; nil: there is none. Lend is
	// called when the loan begins, and the function that it returns when it ends.
	Terminal *os.File
	Lend     func() (back func())
	// Residents has the processes of resident plugins, and outlives the session; nil: they end with
	// the session, or the home's keeper has them.
	Residents *resident.Group
	// NoTerminal keeps plugins from any terminal: they have no controlling terminal.
	NoTerminal bool
	// IsPiped says that another program reads what this one prints, as a pager does, and
	// may read from the terminal too.
	IsPiped bool
}

// TraceOptions say where the turns of a session are traced in addition to the file of
// the context, which the configuration controls.
type TraceOptions struct {
	// File is the path of a file that receives all lines; "": none.
	File string
	// Off disables the context's file.
	Off bool
	// Record receives what each plugin did; nil discards it.
	Record func(plugin.Record)
	// Failed receives the first error of writing a trace.
	Failed func(text string)
}

// StoreOptions say where contexts are kept.
type StoreOptions struct {
	// Sharing is what the program has for stores that machines share.
	Sharing storage.Sharing
	// URL takes precedence over the environment and the configuration; "files" and "" are the
	// files of the home; nil: it is not given.
	URL *string
}

// inAgent is the name of the other agent in whose session something happens, "" if it is chibi's own.
func (o Options) inAgent() string {
	if o.Bridge != nil {
		return o.Bridge.Agent
	}
	return o.Agent
}

// Bridge says in which session of another agent something happens.
type Bridge struct {
	// Agent is the agent's name, such as "claude". Plugins get it as the name of the context, and the
	// configuration of a context of this name holds.
	Agent string
	// Session is the name of the session's directory, Run its id in the trace.
	Session, Run string
	// Until is when the time for the event is over.
	Until time.Time
	// Keeping returns what keeps what hooks of an agent leave for later events of the session.
	Keeping func(agent string) *hooks.Keeping
}

// Asking shows one question about a tool call to the person at a terminal, and waits for
// the answer. flush discards what was typed and not read.
type Asking func(ctx context.Context, tty *os.File, flush func(), q permissions.Question) (permissions.Answer, error)

// Filling shows the person at a terminal what an MCP server asks in the midst of a call, and
// waits for the answer. flush discards what was typed and not read.
type Filling func(ctx context.Context, tty *os.File, flush func(), q mcp.Question) (mcp.Answer, error)

// asksOthers reports whether the hooks of other programs are loaded.
func (o PluginOptions) asksOthers() bool { return !o.None && !o.NoHooks && !o.NativeOnly }

// Home returns the directory of the home: dir if it is not empty, else $CHIBI_HOME,
// else ~/.chibi.
func Home(dir string) (string, error) {
	home, err := config.Home(dir, os.Getenv)
	if err != nil {
		return "", UsageError{Err: err}
	}
	return home, nil
}

// pluginDir returns the directory of chibi's plugins in a home, or the one that is named.
func pluginDir(named, home string) string {
	if named != "" {
		return named
	}
	return filepath.Join(home, "plugins")
}

// looseFlags lists the flags of a run that runs within it may have too.
func looseFlags(o Options) (names []string) {
	for _, flag := range []struct {
		name  string
		given bool
	}{
		{"trust-tools", o.Permissions.TrustTools}, {"accept-edits", o.Permissions.AcceptEdits},
		{"no-plugins", o.Plugins.None}, {"no-hooks", o.Plugins.NoHooks}, {"trust-project", o.TrustProject},
	} {
		if flag.given {
			names = append(names, flag.name)
		}
	}
	return names
}

// UsageError is the error that other options or settings mend.
type UsageError = usage.Error
