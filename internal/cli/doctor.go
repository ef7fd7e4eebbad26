package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/chibi-host/chibi/contexts"
	"github.com/chibi-host/chibi/hookpoints"
	"github.com/chibi-host/chibi/internal/app"
	"github.com/chibi-host/chibi/internal/config"
	"github.com/chibi-host/chibi/internal/disk"
	"github.com/chibi-host/chibi/internal/term"
	"github.com/chibi-host/chibi/internal/trace"
	"github.com/chibi-host/chibi/internal/workbench/check"
	"github.com/chibi-host/chibi/internal/workbench/installed"
	"github.com/chibi-host/chibi/plugin"
	"github.com/chibi-host/chibi/plugin/native"
	"github.com/dustin/go-humanize/english"
	"github.com/urfave/cli/v2"
	"golang.org/x/sys/unix"
)

// errDoctor is how doctor ends that found errors, which it has printed.
var errDoctor = errors.New("there is something to fix, see above")

// finding is something that doctor found.
type finding struct {
	Level string `json:"level"` // "ok", "warning" or "error"
	Text  string `json:"text"`
	Do    string `json:"do,omitempty"`
}

// doctor looks for what is wrong with a home.
type doctor struct {
	*session
	home     string
	plugins  []plugin.Plugin // that were loaded
	findings []finding
}

func (p *program) doctorCommand(ctx context.Context) *cli.Command {
	var asJSON, online bool
	return withExample(leaf(ctx, "doctor", "", "look for what is wrong: home, permissions, plugins, guards, "+
		"transcripts; each finding says what to do", func(ctx context.Context, _ []string) error {
		return p.doctor(ctx, online, asJSON)
	}, &cli.BoolFlag{Name: "online", Usage: "ask the model's server too", DisableDefaultText: true,
		Destination: &online}, jsonFlag(&asJSON)),
		"chibi doctor", "chibi doctor --online --json")
}

// doctor looks at everything and prints what it found; the error says that there
// are errors.
func (p *program) doctor(ctx context.Context, online, asJSON bool) error {
	home, err := app.Home(p.opts.home)
	if err != nil {
		return err
	}
	d := &doctor{session: &session{program: p}, home: home}
	d.homeFolder()
	again := func(opts *app.Options) { opts.Plugins.AskAgain = true }
	if d.session, err = p.open(ctx, app.ToRead, again); errors.Is(err, os.ErrPermission) {
		d.add("error", err.Error(), "make it readable: chmod -R u+rX "+term.ShellWord(d.home))
	} else if err != nil {
		d.add("error", err.Error(), "correct what it names")
	} else if err := d.examine(ctx, online); err != nil {
		return err
	}
	d.readableKeys()
	d.writers()
	return d.print(asJSON)
}

// examine looks at everything that needs a configuration that can be read.
func (d *doctor) examine(ctx context.Context, online bool) error {
	defer d.Close()
	d.configuration()
	if err := d.Load(ctx); err != nil {
		d.add("error", err.Error(), "")
		return ctx.Err()
	}
	d.plugins = d.Loaded.Plugins
	d.installed()
	d.keys()
	d.leftOut()
	d.guards()
	d.recipes()
	d.traces(ctx)
	d.transcripts(ctx)
	d.remains()
	d.model(ctx, online)
	return ctx.Err()
}

func (d *doctor) add(level, text, do string) {
	d.findings = append(d.findings, finding{level, text, do})
}

// homeFolder looks at the home, and whether it can be written.
func (d *doctor) homeFolder() {
	info, err := os.Stat(d.home)
	_, linkErr := os.Lstat(d.home)
	const another = "use another one: --home DIR, or CHIBI_HOME"
	switch {
	case errors.Is(err, os.ErrNotExist) && linkErr == nil:
		d.add("error", d.home+" is a link that leads nowhere", "make the directory that it leads to, or "+another)
	case errors.Is(err, os.ErrNotExist) && !writable(existingFolder(d.home)):
		d.add("error", "there is no home at "+d.home+", and it cannot be made", another)
	case errors.Is(err, os.ErrNotExist):
		d.add("ok", "there is no home yet at "+d.home+"; the first prompt makes it", "")
	case err != nil || !info.IsDir():
		d.add("error", d.home+" is no folder that can be used", another)
	case !writable(d.home):
		d.add("error", "nothing can be stored in "+d.home, "make it writable, or "+another)
	default:
		d.add("ok", "the home is "+d.home, "")
	}
}

// configuration reports whether there is one; it was read.
func (d *doctor) configuration() {
	if len(d.configurationFiles()) == 0 {
		d.add("ok", "there is no configuration file; the defaults apply", "")
		return
	}
	d.add("ok", "the configuration can be read", "")
}

// exists reports whether a path exists, also as a link that leads nowhere.
func exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}

// configurationFiles lists the files of the configuration that exist.
func (d *doctor) configurationFiles() (paths []string) {
	for _, name := range []string{"config.toml", "models.toml"} {
		if path := filepath.Join(d.home, name); exists(path) {
			paths = append(paths, path)
		}
	}
	return append(paths, contexts.Layout{Home: d.home}.LocalConfigs()...)
}

// readableKeys looks for files with the model's key that others can read.
func (d *doctor) readableKeys() {
	for _, path := range d.configurationFiles() {
		info, err := os.Stat(path)
		if err != nil || !openTo(info, 0o044) || closedAbove(path) {
			continue
		}
		text, err := disk.ReadFile(disk.OS{}, path, config.MaxFileBytes)
		if err == nil && config.HoldsKey(text) {
			d.add("warning", path+" holds a key and others can read it", "chmod 600 "+term.ShellWord(path))
		}
	}
}

// writable reports whether files can be made in a folder.
func writable(folder string) bool { return unix.Access(folder, unix.W_OK|unix.X_OK) == nil }

// existingFolder is a folder, or the nearest one above it that exists.
func existingFolder(path string) string {
	for path != filepath.Dir(path) {
		if _, err := os.Stat(path); err == nil {
			return path
		}
		path = filepath.Dir(path)
	}
	return path
}

// installed looks at the list of installed plugins.
func (d *doctor) installed() {
	if _, err := installed.Read(d.home); err != nil {
		d.add("error", err.Error(), "remove the file; plugins stay")
	}
}

// keys tells which tools get the model's key, so that a model that has them run
// "env" is shown it.
func (d *doctor) keys() {
	variables := d.Loader().KeyVariables()
	var names []string
	for _, p := range d.Loaded.Plugins {
		if len(p.Tools) > 0 && p.Origin.Protocol == native.Protocol && !app.HidesKey(d.Config, p.Name) {
			names = append(names, p.Name)
		}
	}
	if len(variables) == 0 || len(names) == 0 {
		return
	}
	d.add("warning", fmt.Sprintf("the tools of %s %s get the model's key in %s, and a tool that runs commands can show "+
		"it to the model",
		english.PluralWord(len(names), "plugin", ""), strings.Join(names, ", "), strings.Join(variables, ", ")),
		"hide it from all plugins: hide_key = true under [plugins] in "+filepath.Join(d.home, "config.toml")+
			", or from one under [plugins.NAME]")
}

// leftOut tells which plugins are not asked, and why.
func (d *doctor) leftOut() {
	for _, l := range d.Loaded.LeftOut {
		switch {
		case l.Untrusted:
			d.add("warning", fmt.Sprintf("the hook %s came with this folder and is not run: %s", l.Origin.Path,
				l.Reason), "chibi trust")
		case d.Loaded.BuiltIn(l.Name):
			d.add("warning", fmt.Sprintf("plugin %q is left out: %s", l.Name, l.Reason),
				"chibi plugin disable "+term.ShellWord(l.Name))
		case l.Meant:
			d.add("error", fmt.Sprintf("plugin %q is left out: %s", l.Name, l.Reason),
				"chibi plugin check "+term.ShellWord(l.Name)+
					", or chibi plugin list")
		}
	}
	for _, n := range d.Loaded.Notices {
		d.add("warning", n.String(), "chibi plugin check "+term.ShellWord(n.Plugin))
	}
	for i := range d.Loaded.Plugins {
		p := &d.Loaded.Plugins[i]
		for _, text := range check.UnusableParameters(p) {
			d.add("warning", text, "chibi plugin check "+term.ShellWord(p.Name))
		}
	}
	if count := len(d.added()); count > 0 {
		d.add("ok", english.Plural(count, "plugin", "")+" loaded", "")
	}
}

// added are the plugins that are loaded and no part of the program.
func (d *doctor) added() []plugin.Plugin {
	return slices.DeleteFunc(slices.Clone(d.Loaded.Plugins), func(p plugin.Plugin) bool {
		return p.Origin.Protocol == app.BuiltIn
	})
}

// guards tells which guards are missing, or are passed by when they fail.
func (d *doctor) guards() {
	for _, m := range app.MissingGuards(d.Session) {
		d.add("error", fmt.Sprintf("the guard %q is missing: %s; no prompt is answered without it", m.Name, m.Why),
			fmt.Sprintf("put it back, or write enabled = false under [plugins.%s]", app.KeyText(m.Name)))
	}
	for _, p := range d.Loaded.Plugins {
		open := func(point hookpoints.Name) bool { return p.FailureAt(point) != plugin.Block }
		if slices.ContainsFunc(p.Guards, open) {
			d.add("warning", fmt.Sprintf("the guard %q is passed by when it fails", p.Name),
				fmt.Sprintf(`let its failure block: "on_failure": "block" in its --schema, or `+
					`[plugins.%s] on_failure = "block" in config.toml`, app.KeyText(p.Name)))
		}
	}
}

// traces tells of hooks that never fired in the turns that are traced, and of
// those that failed.
func (d *doctor) traces(ctx context.Context) {
	asked, failed, turns, calls := map[string]bool{}, map[string]int{}, 0, 0
	loaded := func(name string) bool {
		return slices.ContainsFunc(d.Loaded.Plugins, func(p plugin.Plugin) bool { return p.Name == name })
	}
	names, err := d.Store.Names(ctx)
	if err != nil {
		return
	}
	for _, name := range names {
		list, _, _ := trace.ReadFile(d.Store.Layout().Trace(name)) // none, or one that cannot be read
		turns += len(list)
		for _, turn := range list {
			calls += turn.Calls()
			for _, r := range slices.Concat(turn.Dispatches()...) {
				asked[r.Plugin+" "+string(r.Point)] = true
				if r.Result == plugin.Failed && loaded(r.Plugin) {
					failed[fmt.Sprintf("plugin %q failed at %s", r.Plugin, r.Point)]++
				}
			}
		}
	}
	for text, count := range failed {
		d.add("warning", fmt.Sprintf("%s %s in the traced turns", text,
			english.Plural(count, "time", "")), "chibi trace explain")
	}
	if turns == 0 {
		return
	}
	for _, p := range d.added() {
		for _, name := range p.Hooks {
			info, _ := hookpoints.Find(name)
			ofTools := info.Group == hookpoints.GroupToolCall || info.Group == hookpoints.GroupCache
			if !asked[p.Name+" "+string(name)] && (calls > 0 || !ofTools) {
				d.add("warning", fmt.Sprintf("plugin %q was never asked at %s in %s", p.Name, name,
					english.Plural(turns, "traced turn", "")), fmt.Sprintf("see when it fires: chibi hook show %s; try it: chibi "+
					"hook fire %s --plugin %s", name, name, term.ShellWord(p.Name)))
			}
		}
	}
}

// transcripts reads every transcript, and says what is damaged and who uses what.
func (d *doctor) transcripts(ctx context.Context) {
	var damage []string
	d.Store.Report = func(text string) { damage = append(damage, text) }
	names, err := d.Store.Names(ctx)
	if err != nil {
		d.add("error", err.Error(), "")
		return
	}
	read := 0
	for _, name := range names {
		c, err := d.Store.Context(name)
		entries := 0
		if err == nil {
			err = c.History(ctx, contexts.Query{}, func(contexts.Entry) bool { entries++; return true })
		}
		read += min(entries, 1)
		if err == nil {
			_, err = c.Window(ctx)
		}
		if err != nil {
			damage = append(damage, fmt.Sprintf("context %q: %v", name, err))
		}
		if holder, inUse := d.Store.Holder(ctx, name); inUse {
			d.add("ok", fmt.Sprintf("context %q is in use by %s; the lock ends with that process", name, holder), "")
		}
	}
	for _, text := range damage {
		d.add("error", text, "what can be read is used; the rest stays in the file for you to look at")
	}
	switch {
	case len(damage) > 0:
	case read == 0:
		d.add("ok", "there are no transcripts yet", "")
	default:
		d.add("ok", english.Plural(read, "transcript", "")+" read, none damaged", "")
	}
}

// print prints the findings, the worst last.
func (d *doctor) print(asJSON bool) error {
	bad := false
	for _, f := range d.findings {
		bad = bad || f.Level == "error"
	}
	if asJSON {
		if err := d.printJSON(d.findings); err != nil {
			return err
		}
	} else {
		for _, level := range []string{"ok", "warning", "error"} {
			for _, f := range d.findings {
				if f.Level != level {
					continue
				}
				fmt.Fprintf(d.screen.Stdout(), "%s  %s\n", d.paint(level, fmt.Sprintf("%-7s", level)), term.Line(f.Text))
				if f.Do != "" {
					fmt.Fprintf(d.screen.Stdout(), "         %s\n", f.Do)
				}
			}
		}
	}
	if bad {
		return errDoctor
	}
	return nil
}
