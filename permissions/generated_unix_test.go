//go:build unix

package permissions

import (
	"context"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/chibi-host/chibi/permissions/internal/commandline"
)

var (
	generatedLines = flag.Int("lines", 20_000, "how many generated lines are judged; shells run what rules allow")
	generatorSeed  = flag.Uint64("seed", 1, "what the generated command lines depend on")
)

// TestNoGeneratedLineRunsWhatIsDenied makes lines of what shells read in a way of their own (quotes,
// comments, continuations, here-documents and expansions in each other) around "git push", and runs
// those that rules allow which deny that.
func TestNoGeneratedLineRunsWhatIsDenied(t *testing.T) {
	present := slices.DeleteFunc(shells(), func(shell shell) bool {
		_, err := exec.LookPath(shell[0])
		return err != nil
	})
	for i, shell := range shells() {
		t.Run(shell.name(), func(t *testing.T) {
			t.Parallel()
			random := maker{Rand: rand.New(rand.NewPCG(*generatorSeed, uint64(i)))}
			s := series{laboratory: newLaboratory(t, shell.find(t)), maker: random}
			s.goOn(t, *generatedLines/len(present))
			t.Logf("%d lines, of which %d are allowed and ran", s.made, s.ran)
		})
	}
}

// series runs generated lines in one shell.
type series struct {
	*laboratory
	maker
	made, ran int
}

// batch is how many lines one process starts, one after another.
const batch = 200

// goOn makes and runs lines.
func (s *series) goOn(t *testing.T, count int) {
	if got := s.run(t, "git push"); !got.push {
		t.Fatalf("%s runs nothing", s.shell.name())
	}
	var lines []string
	for s.made < count {
		line := s.make()
		s.made++
		if s.denying.Judge(shellCall(line, "/project")).Decision == Allow {
			lines = append(lines, line)
			s.ran++
		}
		if len(lines) == batch || s.made == count {
			s.runAll(t, lines)
			lines = nil
		}
	}
}

// runAll runs lines, and goes on behind one that does not end.
func (s *series) runAll(t *testing.T, lines []string) {
	t.Helper()
	for len(lines) > 0 {
		ended := min(s.runSome(t, lines)+1, len(lines))
		lines = lines[ended:]
	}
}

// enough is how long all lines of a batch may take together.
const enough = 30 * time.Second

// runSome runs lines, each in a process of the shell, and returns how many ended. None of them may run
// git push.
func (s *series) runSome(t *testing.T, lines []string) (ended int) {
	t.Helper()
	s.runs++
	work := filepath.Join(s.dir, fmt.Sprint("work", s.runs))
	if err := os.Mkdir(work, 0o755); err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(work)
	s.giveAway(t, work)
	s.restoreGit(t)
	driver := filepath.Join(s.dir, "driver")
	if err := os.WriteFile(driver, []byte(s.script(work, lines)), 0o644); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), enough)
	defer cancel()
	cmd := exec.CommandContext(ctx, "/bin/sh", driver)
	cmd.Dir, cmd.Env = work, s.environment(work)
	s.confine(cmd)
	out, err := cmd.Output()
	if cmd.Process == nil {
		t.Fatal(err)
	}
	syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL)
	for i, line := range lines {
		if exists(work, fmt.Sprintf("ran%d.push", i)) {
			t.Errorf("%s runs git push in %q, which is allowed", s.shell.name(), line)
		}
	}
	if ended = len(out); ended < len(lines) {
		t.Logf("%s does not end with %q", s.shell.name(), lines[ended])
	}
	return ended
}

// script is a script that runs lines, one after another, and prints a character after each.
func (s *series) script(work string, lines []string) string {
	call := strings.Join(s.shell, " ")
	text := "ulimit -t 2\nr() { RAN=$1 " + call + " \"$2\" </dev/null >/dev/null 2>&1; printf .; }\n"
	for i, line := range lines {
		text += fmt.Sprintf("r %s/ran%d. %s\n", work, i, commandline.Quote(line))
	}
	return text
}

// maker makes lines, most of which are well-formed, and in which "git push" is a part of a text.
type maker struct {
	*rand.Rand
	depth     int
	documents []string // the here-documents whose text follows the next newline
}

// mostNested is how deep the parts of a line are in each other, and longest how long a line is.
const (
	mostNested = 4
	longest    = 250
)

func (m *maker) make() string {
	for {
		m.depth, m.documents = 0, nil
		line := m.commands() + m.newline()
		for m.IntN(4) == 0 && line != "" {
			line = m.damaged(line)
		}
		if strings.Contains(line, "git push") && len(line) < longest && staysInside(line) {
			return line
		}
	}
}

func (m *maker) pick(list ...string) string { return list[m.IntN(len(list))] }

// rarely returns a text in one of n cases.
func (m *maker) rarely(n int, list ...string) string {
	if m.IntN(n) > 0 {
		return ""
	}
	return m.pick(list...)
}

// nested makes one of several parts, or the simplest where parts are nested too deep.
func (m *maker) nested(simple string, list ...func() string) string {
	if m.depth >= mostNested {
		return simple
	}
	m.depth++
	defer func() { m.depth-- }()
	return list[m.IntN(len(list))]()
}

// newline ends a line, and writes the here-documents that begin on it.
func (m *maker) newline() string {
	text := "\n" + strings.Join(m.documents, "")
	m.documents = nil
	return text
}

func (m *maker) commands() string {
	text := m.command()
	for m.IntN(3) == 0 {
		text += m.between() + m.command()
	}
	return text
}

func (m *maker) between() string {
	if m.IntN(2) == 0 {
		return m.end()
	}
	return m.pick("; ", " && ", " | ", " & ")
}

// end makes the end of a command before a word such as done.
func (m *maker) end() string {
	switch m.IntN(3) {
	case 0:
		return m.comment()
	case 1:
		return m.newline()
	}
	return ";"
}

// maybe makes a part in one of n cases.
func (m *maker) maybe(n int, part func() string) string {
	if m.IntN(n) > 0 {
		return ""
	}
	return part()
}

// comment makes a comment, or what may be none.
func (m *maker) comment() string {
	return m.pick(" #", "#", " # ", "\t#", ";#", "\\\n#", " \\\n#") + m.text("\n") +
		m.rarely(3, "\\", "\\\\", "`", ")") + m.newline()
}

func (m *maker) command() string {
	return m.nested("true", m.simple, m.simple, m.simple, m.simple, m.compound, m.document)
}

func (m *maker) simple() string {
	text := m.rarely(6, "x=a ", "2>&1 ", ">f ", "<&- ", ">&-", "<&-", ">& -")
	text += m.pick("echo", "echo", "true", ":", "printf", "cat", "test", "sh -c") + " " + m.word()
	for m.IntN(3) == 0 {
		text += m.pick(" ", " ", "\t", " \\\n", "\\\n") + m.word()
	}
	return text + m.rarely(8, " >&-", " 2>&1", " <&-", ">f", ">&-"+m.text(" \n"), "#"+m.text("\n"), ";#"+m.text("\n"))
}

func (m *maker) compound() string {
	switch m.IntN(8) {
	case 0:
		return "{ " + m.commands() + m.end() + "}"
	case 1, 2:
		return "(" + m.commands() + m.maybe(3, m.end) + ")"
	case 3:
		return "if " + m.commands() + m.end() + "then " + m.command() + m.end() + "fi"
	case 4:
		return "case " + m.word() + " in " + m.pick("a", "*") + ") " + m.commands() + m.end() + " esac"
	case 5:
		return "for x in " + m.word() + m.end() + "do " + m.commands() + m.end() + "done"
	case 6:
		return "f() { " + m.commands() + m.end() + "}; f"
	}
	return m.pick("! ", "(\\\n", "time ", "{\\\n ") + m.commands()
}

// document makes a command with a here-document.
func (m *maker) document() string {
	mark := m.pick("E", "E", "E", "E", "'E'", "\\E", "\"E\"") + m.rarely(20, "\\\nF", "''", " ", "-")
	body := ""
	for range m.IntN(3) {
		body += m.rarely(5, "\t", "E", " ") + m.inQuotes(false) +
			m.rarely(6, "\\", "E\\", "\\\\", "\nE\\\n", "\n\tE") + "\n"
	}
	end := strings.NewReplacer("'", "", "\"", "", "\\\n", "", "\\", "").Replace(mark)
	body += m.rarely(6, "\t") + strings.TrimRight(end, " ") + m.rarely(10, "\\", "\\\n") + "\n"
	m.documents = append(m.documents, body)
	operator := m.pick("<<", "<<", "<<", "<<-", "<< ", "<<\\\n")
	return m.pick("cat", ":", "true", "sh") + " " + operator + mark + m.maybe(8, m.comment)
}

func (m *maker) word() (text string) {
	for {
		text += m.nested("a", m.literal, m.single, m.double, m.double, m.expansion, m.substitution)
		if m.IntN(2) == 0 {
			return text
		}
	}
}

func (m *maker) literal() string {
	return m.pick("a", "x", "a#", "=", "-", "a", "~") + m.rarely(3, "#", "\\'", "\\\"", "\\\\", "\\\n", "\\#",
		"$", "$\\\n",
		"{a,b}", "{", "}", "\\\\\\\n", "*", "!", "\\`", "\\$")
}

func (m *maker) single() string { return m.rarely(12, "$") + "'" + m.text("'") + "'" }

func (m *maker) double() string { return m.rarely(12, "$") + `"` + m.inQuotes(true) + `"` }

// inQuotes makes what stands in double quotes, or in a here-document.
func (m *maker) inQuotes(quoted bool) (text string) {
	without := "\\$`"
	if quoted {
		without += `"`
	}
	plain := func() string { return m.text(without) }
	for {
		text += m.nested(plain(), plain, m.expansion, m.expansion, m.substitution, m.continued)
		if m.IntN(2) == 0 {
			return text
		}
	}
}

func (m *maker) continued() string {
	return m.pick("$\\\n", "\\\n", "\\\\\n", "\\\\\\\n", "$\\\n\\\n", "\\\"", "\\$", "\\`", "\\a", "$") +
		m.rarely(2, "(git push)", "{x}", "'a'", "((1))", "{y:-git push}", "`true`")
}

// expansion makes an expansion of a variable, or arithmetic.
func (m *maker) expansion() string {
	switch m.IntN(5) {
	case 0:
		return m.pick("$x", "${x}", "$#", "${#x}", "$$", "$1", "${#}", "$-", "$?", "$((1))")
	case 1:
		return m.rarely(9, "$(( 1 + "+m.operand()+" ))", "$(\\\n("+m.operand()+"))", "$((1)\\\n)",
			"${x:\\\n-"+m.operand()+"}") + "$x"
	}
	return "${" + m.pick("x", "y", "y", "y", "HOME", "HOME", "@") +
		m.pick(":-", ":-", "-", ":+", "#", "##", "%", ":=", "+", "?") + m.operand() + "}"
}

// operand makes the word of an expansion.
func (m *maker) operand() (text string) {
	plain := func() string {
		return m.text("\\$`'\"}{") + m.rarely(4, "'", "\"", "\\'", "\\\"", "\\}", "}", "{", "\\\n", "#")
	}
	for {
		text += m.nested(plain(), plain, m.single, m.double, m.expansion, m.substitution, m.continued)
		if m.IntN(2) == 0 {
			return text
		}
	}
}

func (m *maker) substitution() string {
	outer := m.documents
	m.documents = nil
	text := m.commands()
	if len(m.documents) > 0 && m.IntN(8) > 0 || m.IntN(8) == 0 {
		text += m.newline()
	}
	m.documents = append(outer, m.documents...)
	if m.IntN(5) > 1 {
		return "$(" + m.rarely(5, "#", " ", "# )\n") + text + ")"
	}
	if m.IntN(4) > 0 {
		text = strings.NewReplacer("\\", "\\\\", "`", "\\`", "$", m.pick("$", "\\$")).Replace(text)
	}
	return "`" + text + "`"
}

// text makes a text without some characters, which would mean something if it was not read as one.
func (m *maker) text(without string) (text string) {
	for {
		text += m.pick("a", " ", "'", "\"", "`", "}", ")", "(", "#", ";", "\n", "\\", "\\\n", "$", "\nE\n", "<<E", "git push",
			";git push;", ";git push;", "\ngit push\n", "$(git push)", "`git push`", ";git push #", "'}", "\"}", "$(",
			"${x:-", "; echo '", "; echo \"", "&&git push;:")
		if m.IntN(3) == 0 {
			break
		}
	}
	return strings.Map(func(r rune) rune {
		if strings.ContainsRune(without, r) {
			return -1
		}
		return r
	}, text)
}

// damaged changes a character of a line.
func (m *maker) damaged(line string) string {
	const marks = "'\"`$(){}<>|&;#!~*\n\\ =,-\t"
	at := m.IntN(len(line) + 1)
	switch m.IntN(4) {
	case 0:
		return line[:at] + string(marks[m.IntN(len(marks))]) + line[at:]
	case 1:
		return line[:at] + line[min(at+1, len(line)):]
	}
	return line[:at] + "\\\n" + line[at:]
}
