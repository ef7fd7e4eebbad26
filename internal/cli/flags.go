package cli

import (
	"errors"
	"flag"
	"fmt"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"
)

// options are the flags' values. Flags that take values are lists of them: nil
// if the flag was not given.
type options struct {
	home      string
	verbose   bool
	quiet     bool
	wait      bool
	yes       bool
	raw       bool
	noPlugins bool
	noHooks   bool

	trustProject bool
	recipe, args []string
	trace        string
	set          []string
	save         bool
	debug        []string
	destroyAt    []string // --destroy-at, another spelling of a key of --debug
	destroyAfter []string // --destroy-after-inactive
	jsonOutput   bool
	jsonConfig   bool
	jsonSchema   bool
	version      bool
	help         bool

	switchTo, transient                  []string // -c, -C or -S
	username, transientUsername          []string // -u, -U
	current, list                        bool     // -l, -L
	destroy, archive, compact, mail      bool     // -d, -a, -z, -b
	destroyOther, archiveOther           []string // -D, -A
	compactOther, mailOther              []string // -Z, -B
	rename, renameOther                  []string // -r, -R
	log, logOther, inspect, inspectOther []string // -g, -G, -n, -N
	systemPrompt, systemPromptOther      []string // -y, -Y
	runSystemPrompt                      []string // -e
	clearCache, cleanupCache             bool
	clearCacheFor                        []string
	plugin, tool                         []string // -p, -P
	tail                                 []string // words after -p NAME or -P TOOL
	noModel, forceModel                  bool     // -x, -X

	prompt  *string // given by --json-config
	nothing bool    // asked for by --json-config
}

// flags describes the flags of the program itself. Other versions of the
// original, earlier and later ones, call some by other names; all of them work.
func (o *options) flags() []cli.Flag {
	return append(o.conversationFlags(), o.runFlags()...)
}

// conversationFlags are about contexts, tools and the model.
func (o *options) conversationFlags() []cli.Flag {
	return []cli.Flag{
		values(&o.switchTo, newContextValue, "switch-context", "c"),
		values(&o.transient, newContextValue, "transient-context", "C", "ephemeral-context", "S", "sub-context"),
		yes(&o.current, "list-current-context", "l"),
		yes(&o.list, "list-contexts", "L"),
		yes(&o.destroy, "destroy-current-context", "d", "delete-current-context"),
		values(&o.destroyOther, contextValue, "destroy-context", "D", "delete-context"),
		yes(&o.archive, "archive-current-history", "a", "archive-current-context"),
		values(&o.archiveOther, contextValue, "archive-history", "A", "archive-context"),
		yes(&o.compact, "compact-current-context", "z"),
		values(&o.compactOther, contextValue, "compact-context", "Z"),
		values(&o.rename, textValue, "rename-current-context", "r"),
		pair(&o.renameOther, contextValue, textValue, "rename-context", "R"),
		values(&o.log, textValue, "show-current-log", "g"),
		pair(&o.logOther, contextValue, textValue, "show-log", "G"),
		values(&o.inspect, inspectValue, "inspect-current", "n"),
		pair(&o.inspectOther, contextValue, inspectValue, "inspect", "N"),
		values(&o.systemPrompt, fileValue, "set-current-system-prompt", "y"),
		pair(&o.systemPromptOther, contextValue, fileValue, "set-system-prompt", "Y"),
		values(&o.runSystemPrompt, fileValue, "transient-system-prompt", "e", "ephemeral-system-prompt", "set-prompt"),
		values(&o.username, textValue, "set-username", "u"),
		values(&o.transientUsername, textValue, "transient-username", "U", "ephemeral-username"),
		yes(&o.mail, "check-all-inboxes", "b"),
		values(&o.mailOther, contextValue, "check-inbox-for", "B"),
		yes(&o.clearCache, "clear-cache"),
		values(&o.clearCacheFor, contextValue, "clear-cache-for"),
		yes(&o.cleanupCache, "cleanup-cache"),
		values(&o.plugin, toolValue, "plugin", "p"),
		values(&o.tool, toolValue, "call-tool", "P"),
		yes(&o.noModel, "no-chibi", "x", "force-call-user"),
		yes(&o.forceModel, "force-chibi", "X", "force-call-agent"),
	}
}

// runFlags are about the run as a whole.
func (o *options) runFlags() []cli.Flag {
	return []cli.Flag{
		yes(&o.verbose, "verbose", "v"),
		yes(&o.quiet, "quiet", "q"),
		yes(&o.wait, "wait"),
		yes(&o.yes, "yes"),
		yes(&o.raw, "raw"),
		&cli.StringFlag{Name: "home", Destination: &o.home},
		yes(&o.noPlugins, "no-plugins"),
		yes(&o.noHooks, "no-hooks"),
		yes(&o.trustProject, "trust-project"),
		values(&o.recipe, recipeValue, "recipe"),
		values(&o.args, argumentValue, "arg"),
		&cli.StringFlag{Name: "trace", Destination: &o.trace},
		values(&o.set, settingValue, "set", "s"),
		yes(&o.save, "save"),
		values(&o.debug, debugValue, "debug"),
		values(&o.destroyAt, textValue, "destroy-at"),
		values(&o.destroyAfter, textValue, "destroy-after-inactive"),
		yes(&o.jsonOutput, "json-output"),
		yes(&o.jsonConfig, "json-config"),
		yes(&o.jsonSchema, "json-schema"),
		yes(&o.version, "version"),
	}
}

// yes is a flag without a value, values one that takes one, pair one that takes
// two.
func yes(into *bool, names ...string) cli.Flag {
	return &cli.BoolFlag{Name: names[0], Aliases: names[1:], Destination: into}
}

func values(into *[]string, kind valueKind, names ...string) cli.Flag {
	return &valuesFlag{names: names, kinds: []valueKind{kind}, values: into}
}

func pair(into *[]string, first, second valueKind, names ...string) cli.Flag {
	return &valuesFlag{names: names, kinds: []valueKind{first, second}, values: into}
}

// once refuses flags that were given twice where that makes no sense.
func once(flags []cli.Flag) error {
	for _, f := range flags {
		v, ok := f.(*valuesFlag)
		if ok && !v.repeats() && len(*v.values) > len(v.kinds) {
			return usage("--%s is given twice; say it once", v.names[0])
		}
	}
	return nil
}

// valueKind is what kind of value a flag takes, for completion.
type valueKind int

const (
	textValue valueKind = iota
	fileValue
	contextValue
	newContextValue // a context, or one that is to be made
	toolValue
	inspectValue
	settingValue
	debugValue
	recipeValue
	argumentValue
	payloadValue
	pluginValue
	pointValue
)

// valuesFlag collects the values of a flag that takes one or two. Unlike the
// parser's own lists it leaves commas in values alone.
type valuesFlag struct {
	names  []string
	kinds  []valueKind
	values *[]string
	about  string // for the help of a command
}

// repeats says that the flag may be given several times.
func (f *valuesFlag) repeats() bool {
	return slices.Contains([]valueKind{settingValue, debugValue, argumentValue, pluginValue, pointValue}, f.kinds[0])
}

// String is the flag as help shows it. What it takes stands between backquotes in
// what is said about it, as for the parser's own flags.
func (f *valuesFlag) String() string {
	value := "value"
	if parts := strings.Split(f.about, "`"); len(parts) == 3 {
		value = parts[1]
	}
	return "--" + f.names[0] + " " + value + "\t" + strings.ReplaceAll(f.about, "`", "")
}

// IsVisible makes the help of a command show the flag.
func (f *valuesFlag) IsVisible() bool { return true }

// Apply registers the flag with the parser, by its long name: splitLine has
// replaced the others.
func (f *valuesFlag) Apply(set *flag.FlagSet) error {
	set.Func(f.names[0], "", func(value string) error {
		*f.values = append(*f.values, value)
		return nil
	})
	return nil
}

// Names is the flag's name for the parser, which would set every alias again.
func (f *valuesFlag) Names() []string { return f.names[:1] }

// IsSet reports whether the flag was given.
func (f *valuesFlag) IsSet() bool { return len(*f.values) > 0 }

// names are all names of a flag.
func names(f cli.Flag) []string {
	if v, ok := f.(*valuesFlag); ok {
		return v.names
	}
	return f.Names()
}

// takes is how many values a flag takes.
func takes(f cli.Flag) int {
	switch f := f.(type) {
	case *cli.BoolFlag:
		return 0
	case *valuesFlag:
		return len(f.kinds)
	}
	return 1
}

// flagError says what is wrong with a flag.
type flagError struct {
	text       string
	mayBeWords bool // it may belong to a prompt
}

func (e flagError) Error() string { return e.text }

// noFlag says that there is no such flag.
func noFlag(name string) error {
	return flagError{"there is no flag " + name, true}
}

// missingValue says that a flag lacks its value.
func missingValue(f cli.Flag, name string) error {
	if takes(f) > 1 {
		return flagError{fmt.Sprintf("flag needs %d arguments: %s", takes(f), name), false}
	}
	return flagError{"flag needs an argument: " + name, false}
}

// seeHelp adds to an error about a flag whose help lists the flags that there are:
// that of chibi, or of one of its commands.
func seeHelp(err error, commands ...string) error {
	var wrong flagError
	if !errors.As(err, &wrong) {
		return err
	}
	otherwise := ""
	if wrong.mayBeWords && len(commands) == 0 {
		otherwise = ", or put -- before a prompt that begins with a dash"
	} else if wrong.mayBeWords {
		otherwise = ", or put -- before " + commands[0] + " if it is a prompt"
	}
	return usage("%s; see %s --help%s", wrong.text, strings.Join(append([]string{"chibi"}, commands...), " "), otherwise)
}
