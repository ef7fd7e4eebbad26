package complete

import (
	"strings"
	"testing"

	"github.com/chibi-host/chibi/internal/cli/cmdline"
	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/urfave/cli/v2"
)

// program is a command line whose words need no home.
func program() *cli.App {
	colours := func() []string { return []string{"red", "blue"} }
	return &cli.App{
		Flags: cmdline.Flags([]*cmdline.Flag{
			{Name: "verbose", Letters: "v"},
			{Name: "paint", Letters: "p", Takes: []cmdline.Value{{Kind: cmdline.Text, Known: colours}, {Kind: cmdline.Text}}},
		}),
		Commands: []*cli.Command{
			{Name: "shelf", Subcommands: []*cli.Command{{Name: "add"}, {Name: "clear", Hidden: true}}},
			{Name: "completion", ArgsUsage: "SHELL", Flags: []cli.Flag{&cli.BoolFlag{Name: "quiet"}}},
			{Name: "trace", ArgsUsage: "[explain|FILE] [ABOUT]"},
		},
	}
}

func TestWhatMayFollow(t *testing.T) {
	for words, want := range map[string]string{
		"":                       "shelf completion trace --verbose -v --paint -p",
		"-v":                     "shelf completion trace --verbose -v --paint -p",
		"-p":                     "red blue",
		"-vp":                    "red blue",
		"--paint":                "red blue",
		"-p red":                 "",
		"-p red thick":           "shelf completion trace --verbose -v --paint -p",
		"shelf":                  "add",
		"shelf nothing":          "",
		"-v completion":          "--quiet bash zsh fish",
		"completion --quiet":     "--quiet bash zsh fish",
		"completion bash":        "--quiet",
		"trace":                  "explain",
		"trace file":             "",
		"what is":                "",
		"--":                     "",
		"-- shelf":               "",
		"--unknown":              "shelf completion trace --verbose -v --paint -p",
		"--paint=red completion": "--quiet bash zsh fish",
	} {
		c := completer{app: program()}
		got := c.candidates(t.Context(), strings.Fields(words))
		if diff := cmp.Diff(strings.Fields(want), got, cmpopts.EquateEmpty()); diff != "" {
			t.Errorf("after %q (-want +got):\n%s", words, diff)
		}
	}
}

func TestNamesThatAShellWouldReadAsMoreAreLeftOut(t *testing.T) {
	got := typable([]string{"work", "a b", "x;rm", "-u", "", "$(id)", "notes/2026-11.md", "é"})
	if diff := cmp.Diff([]string{"work", "notes/2026-11.md"}, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
