package operation

import (
	"context"
	"strings"

	"github.com/chibi-host/chibi/internal/app"
	"github.com/chibi-host/chibi/internal/cli/cmdline"
	"github.com/chibi-host/chibi/internal/config"
)

// Settings are the flags that change configuration values.
type Settings struct {
	Set  []string // KEY=VALUE
	Save bool

	username, runUsername []string
}

// Rows are the flags, which store their values in f.
func (f *Settings) Rows() []Row {
	return []Row{
		{&cmdline.Flag{Name: "set-username", Letters: "u", Takes: cmdline.Word("NAME", cmdline.Text),
			About:   "what the model calls you in this context, from now on",
			Members: []string{"username_override.persistent"}, Into: cmdline.List(&f.username)},
			Operation{Role: Settles, Phase: PhaseSettings, Run: saveUsername}},
		{Flag: &cmdline.Flag{Name: "transient-username", Letters: "U", Aliases: []string{"ephemeral-username"},
			Takes: cmdline.Word("NAME", cmdline.Text), About: "the same for this run only",
			Members: []string{"username_override.transient", "username_override.ephemeral"},
			Into:    cmdline.List(&f.runUsername)}},
		{Flag: &cmdline.Flag{Name: "set", Letters: "s", Takes: cmdline.Word("KEY=VALUE", cmdline.Setting), Repeats: true,
			About:  "set a configuration value for this run, e.g. --set api.temperature=0.2",
			Beside: true, Into: cmdline.List(&f.Set)}},
		{&cmdline.Flag{Name: "save", About: "save the values of --set in this context's local.toml",
			Into: cmdline.Switch(&f.Save)},
			Operation{Role: Joins, Phase: PhaseSettings, Run: func(ctx context.Context, run Run, _ cmdline.Given) error {
				return saveLocal(ctx, run.Session, f.Set)
			}}},
	}
}

// Overrides are the settings of this run: --set, and -U or -u, which also applies to
// later runs.
func (f *Settings) Overrides() []string {
	pairs := f.Set
	for _, name := range [][]string{f.username, f.runUsername} {
		if name != nil {
			pairs = append(pairs[:len(pairs):len(pairs)], "username="+config.Quote(name[0]))
		}
	}
	return pairs
}

// saveUsername saves the value of -u in the context's local.toml.
func saveUsername(ctx context.Context, run Run, given cmdline.Given) error {
	return saveLocal(ctx, run.Session, []string{"username=" + config.Quote(given.Values[0])})
}

// saveLocal changes keys in the local.toml of the session's context, keeps the rest,
// including comments, and reloads the configuration.
func saveLocal(ctx context.Context, s *app.Session, pairs []string) error {
	return app.ChangeLocalConfig(ctx, s, func(name string, text []byte) (_ []byte, err error) {
		for _, pair := range pairs {
			key, value, _ := strings.Cut(pair, "=")
			if text, err = config.Edit(name, text, strings.TrimSpace(key), value); err != nil {
				return nil, err
			}
		}
		return text, nil
	})
}
