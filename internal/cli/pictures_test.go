package cli_test

import (
	"fmt"
	"html"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/chibi-host/chibi/internal/cli/clitest"
)

// picture is a picture of the documentation: a terminal in which commands run.
type picture struct {
	file     string
	columns  int
	label    string
	plugins  []string // files from the repository's root
	commands []string
}

func pictures() []picture {
	examples := []string{"examples/plugins/add-time", "examples/plugins/block-rm", "examples/plugins/run_command",
		"examples/plugins/temperature"}
	return []picture{
		{"first.svg", 100, "a terminal: a guard of six lines, chibi bridge add claude, the refusal that Claude " +
			"Code gets, and chibi trace explain, which names the guard", []string{"internal/cli/testdata/no-push"}, []string{
			`cat ~/.chibi/plugins/no-push`,
			`chibi bridge add claude --no-mcp`,
			`echo '{"session_id": "1", "tool_use_id": "toolu_1", "tool_name": "Bash",
    "tool_input": {"command": "git push"}}' |
    chibi bridge run claude PreToolUse`,
			`chibi trace explain --agent claude`,
		}},
		{"terminal.svg", 96, "a terminal in which two plugins lower the temperature and block rm -rf", examples, []string{
			`ls ~/.chibi/plugins`,
			`chibi -C coding '@tool run_command {"command": "rm -rf build"}'`,
			`chibi -C coding trace explain`,
		}},
		{"trace.svg", 116, "a terminal with the trace of a turn: what happened when, for how long, and who changed what",
			examples, []string{
				`chibi -C coding '@tool run_command {"command": "rm -rf build"}'`,
				`chibi -C coding trace`,
			}},
	}
}

// TestPicturesAreFresh runs what the pictures of the documentation show, and
// compares the words. With CHIBI_DRAW=1 it draws them anew.
func TestPicturesAreFresh(t *testing.T) {
	jq := clitest.JQ(t, "../..")
	for _, p := range pictures() {
		lines := p.run(t, jq)
		path := filepath.Join("../../docs", p.file)
		if os.Getenv("CHIBI_DRAW") != "" {
			if err := os.WriteFile(path, []byte(p.draw(lines)), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		drawn, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if want, got := words(strings.Join(lines, "\n")), words(texts(string(drawn))); got != want {
			t.Errorf("docs/%s is out of date; CHIBI_DRAW=1 go test ./internal/cli -run TestPicturesAreFresh\nit shows %s\nnow "+
				"it is %s",
				p.file, got, want)
		}
	}
}

// run runs the commands in a home with the plugins and returns the lines that a
// terminal would show.
func (p picture) run(t *testing.T, jq string) (lines []string) {
	t.Helper()
	h := home{t, t.TempDir()}
	folder := filepath.Join(h.folder, ".chibi", "plugins")
	if err := os.MkdirAll(folder, 0o755); err != nil {
		t.Fatal(err)
	}
	for _, path := range p.plugins {
		content, err := os.ReadFile(filepath.Join("../..", path))
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(folder, filepath.Base(path)), content, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for i, command := range p.commands {
		if i > 0 {
			lines = append(lines, "")
		}
		shell := exec.Command("sh", "-c", command)
		shell.Dir = h.folder
		shell.Env = append(os.Environ(), "HOME="+h.folder, "CHIBI_HOME=", "TMPDIR="+t.TempDir(),
			"ADD_TIME_NOW=2030-01-02 03:04",
			"PATH="+os.Getenv("PATH")+string(filepath.ListSeparator)+jq)
		out, err := shell.CombinedOutput()
		if err != nil {
			t.Fatalf("%s: %v\n%s", command, err, out)
		}
		for line := range strings.Lines("$ " + command + "\n" + strings.ReplaceAll(string(out), h.folder, "~")) {
			lines = append(lines, fold(strings.TrimSuffix(line, "\n"), p.columns)...)
		}
	}
	return lines
}

// fold breaks a line where a terminal does.
func fold(line string, columns int) (lines []string) {
	for characters := []rune(line); ; characters = characters[columns:] {
		if len(characters) <= columns {
			return append(lines, string(characters))
		}
		lines = append(lines, string(characters[:columns]))
	}
}

// draw makes a picture of a terminal.
func (p picture) draw(lines []string) string {
	var b strings.Builder
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" role="img" aria-label="%s" `+
		`font-family="ui-monospace, Menlo, Consolas, monospace" font-size="13">`+"\n", 8*p.columns+40, 18*len(lines)+32,
		p.label)
	fmt.Fprintln(&b, `<rect width="100%" height="100%" rx="8" fill="#1a1b26"/>`)
	for i, line := range lines {
		colour := "#d5dcf7"
		if strings.HasPrefix(line, "$ ") {
			colour = "#9ece6a"
		}
		if line != "" {
			fmt.Fprintf(&b, `<text x="20" y="%d" fill="%s" textLength="%d" lengthAdjust="spacingAndGlyphs">%s</text>`+"\n",
				30+18*i, colour, 8*len([]rune(line)), html.EscapeString(strings.ReplaceAll(line, " ", "\u00a0")))
		}
	}
	return b.String() + "</svg>\n"
}

// texts is what a picture shows.
func texts(svg string) string {
	var all []string
	for _, match := range regexp.MustCompile(`<text [^>]*>([^<]*)</text>`).FindAllStringSubmatch(svg, -1) {
		all = append(all, html.UnescapeString(match[1]))
	}
	return strings.Join(all, "\n")
}

// words takes out of a text what differs from run to run: numbers, the bars that
// show durations, and where lines break.
func words(text string) string {
	return regexp.MustCompile(`[\s\x{a0}0-9.#]+`).ReplaceAllString(text, "")
}
