package bridge

import (
	"cmp"
	"encoding/json"
	"fmt"
	"path"
	"slices"
	"strings"
	"time"
	"unicode"

	"github.com/chibi-host/chibi/internal/agents"
	"github.com/chibi-host/chibi/internal/agents/engine"
	"github.com/chibi-host/chibi/internal/strictjson"
	"github.com/tidwall/sjson"
)

// Entry is a handler that chibi bridge add writes into an agent's settings file.
type Entry struct {
	// Agent and Event are the arguments of chibi bridge run.
	Agent, Event string
	// Chibi is the path of the program; "": the shell finds it by its name.
	Chibi string
	// Home is the home that it uses; "": its usual home.
	Home string
	// FailClosed says that the entry denies what it cannot ask chibi about.
	FailClosed bool
	// Deadline is the time for an event, in whole seconds; 0: the default of chibi bridge run.
	Deadline time.Duration
}

// Command returns the command line, for sh, bash and zsh. Without chibi, the agent goes on, and the entry tells the
// person (see gone). With FailClosed the entry then denies what it can deny. It also does so if chibi ends with an
// error, is killed or does not start.
func (e Entry) Command() string {
	program, there := "chibi", "command -v chibi >/dev/null 2>&1"
	if e.Chibi != "" {
		program = quoteWord(e.Chibi)
		there = "[ -x " + program + " ]"
	}
	words := []string{program}
	if e.Home != "" {
		words = append(words, "--home", quoteWord(e.Home))
	}
	words = append(words, "bridge", "run", e.Agent, e.Event)
	if e.FailClosed {
		words = append(words, "--fail-closed")
	}
	if e.Deadline > 0 {
		words = append(words, "--deadline", fmt.Sprintf("%ds", int(e.Deadline/time.Second)))
	}
	run := strings.Join(words, " ")
	if e.FailClosed && e.refuses() {
		gone := quoteWord("chibi, which must be asked first, is not there or has failed: " + cmp.Or(e.Chibi, "chibi"))
		return fmt.Sprintf("%s%s || { echo %s >&2; exit 2; }", e.without(), run, gone)
	}
	return fmt.Sprintf("%s%s || %s; exec %s", e.without(), there, e.gone(), run)
}

// without takes away the variables that have arguments of the call. A long variable keeps programs from starting,
// so that a model could keep the entry from asking chibi.
func (e Entry) without() string {
	d, _ := agents.ByName(e.Agent)
	var names []string
	for _, v := range d.Environment {
		if v.Input != "" {
			names = append(names, v.Name)
		}
	}
	if names == nil {
		return ""
	}
	return "unset " + strings.Join(names, " ") + "; "
}

// gone is the command of an entry without chibi. Where a session or a prompt begins, it tells the person in the way
// that the agent offers to hooks. There, and where plugins could have refused something, it also writes to standard
// error, which some agents show.
func (e Entry) gone() string {
	d, _ := agents.ByName(e.Agent)
	event, _ := d.Event(e.Event)
	if !begins(event.Kind) && !event.Kind.Refuses() {
		return "exit 0"
	}
	text := fmt.Sprintf("chibi: its plugins are not asked, as there is no %s; install it again, or take the entries of "+
		"chibi out of the settings", cmp.Or(e.Chibi, "chibi in PATH"))
	say, status := "printf '%s\\n' "+quoteWord(text)+" >&2; ", 0
	if begins(event.Kind) {
		var stdout []byte
		if stdout, status = shown(d, event, text); stdout != nil {
			say += "printf '%s\\n' " + quoteWord(string(stdout)) + "; "
		}
	}
	return fmt.Sprintf("{ %sexit %d; }", say, status)
}

// begins reports whether a session or a prompt begins.
func begins(k engine.Kind) bool { return k == engine.SessionStart || k == engine.Prompt }

// ToldWhenGone lists the events at which an agent's entries tell the person that chibi is gone.
func ToldWhenGone(d engine.Dialect) (events []string) {
	for _, e := range d.Events {
		stdout, status := shown(d, e, "it is gone")
		if e.Bridged && begins(e.Kind) && (stdout != nil || status != 0) {
			events = append(events, e.Name)
		}
	}
	return events
}

// shown returns the output and the exit status of a hook for which an agent shows a text to the person and goes on:
// the agent's own message, or a status for which it shows standard error. It returns nil and 0 if the agent has
// neither.
func shown(d engine.Dialect, e engine.Event, text string) (stdout []byte, status int) {
	if out := d.Output(e, engine.Moment{Kind: e.Kind}, engine.Effect{SystemMessage: text}); len(out.Lost) == 0 {
		return out.Stdout, 0
	}
	for _, status := range []int{1, 2} {
		eff := d.Effect(e, engine.Outcome{Stderr: text, Exit: status})
		if eff.SystemMessage != "" && eff.Decision == "" && !eff.Halt && eff.Failed == "" {
			return nil, status
		}
	}
	return nil, 0
}

// refuses reports whether a denial at the event keeps something from happening. At the end of a turn, for example,
// it would make the turn go on.
func (e Entry) refuses() bool {
	d, _ := agents.ByName(e.Agent)
	event, _ := d.Event(e.Event)
	return event.Kind.Refuses()
}

// ParseEntry reads a command line of a settings file; false: it does not run chibi bridge run. It also reads an
// entry that a person has changed.
func ParseEntry(command string) (e Entry, isEntry bool) {
	words := slices.Concat(shellCommands(command)...)
	at := -1
	for i := 1; i+3 < len(words); i++ {
		if words[i] == "bridge" && words[i+1] == "run" {
			at = i
		}
	}
	if at < 0 {
		return e, false
	}
	e.Agent, e.Event = words[at+2], words[at+3]
	begin := at - 1
	for begin > 0 && strings.TrimSuffix(path.Base(strings.ReplaceAll(words[begin], `\`, "/")), ".exe") != "chibi" &&
		strings.HasPrefix(words[begin-1], "-") {
		begin -= 2
	}
	if begin < 0 || strings.HasPrefix(words[begin], "-") {
		return e, false
	}
	if e.Chibi = words[begin]; e.Chibi == "chibi" {
		e.Chibi = ""
	}
	for i := begin + 1; i+1 < at; i += 2 {
		if words[i] == "--home" {
			e.Home = words[i+1]
		}
	}
	for i, word := range words[at+4:] {
		switch word {
		case "--fail-closed":
			e.FailClosed = true
		case "--deadline":
			if rest := words[at+4+i+1:]; len(rest) > 0 {
				e.Deadline, _ = time.ParseDuration(rest[0])
			}
		}
	}
	return e, true
}

// quoteWord quotes a word for a shell if it must be.
func quoteWord(word string) string {
	isPlain := func(r rune) bool {
		return r < unicode.MaxASCII && (unicode.IsLetter(r) || unicode.IsDigit(r) || strings.ContainsRune("_-./+:@%,=", r))
	}
	if word != "" && !strings.ContainsFunc(word, func(r rune) bool { return !isPlain(r) }) {
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}

// runsMore reports whether the command line of an entry runs something that chibi does not write there.
func runsMore(command string) bool {
	e, _ := ParseEntry(command)
	written := []string{cmp.Or(e.Chibi, "chibi"), "[", "unset", "command", "printf", "echo", "exit", "true",
		"1", "2"} // 2>&1
	return slices.ContainsFunc(shellCommands(command), func(words []string) bool {
		if len(words) > 1 && (words[0] == "exec" || words[0] == "nice") {
			words = words[1:]
		}
		return len(words) > 0 && !slices.Contains(written, words[0])
	})
}

// shellCommands splits a command line at operators, and what is between them at white space into words without
// quotes.
func shellCommands(line string) (commands [][]string) {
	var words []string
	var word strings.Builder
	inWord, quote := false, rune(0)
	end := func() {
		if inWord {
			words = append(words, word.String())
		}
		word.Reset()
		inWord = false
	}
	isEscaped := false
	for _, r := range line {
		switch {
		case isEscaped:
			word.WriteRune(r)
			isEscaped = false
		case quote != 0 && r == quote:
			quote = 0
		case quote != 0:
			word.WriteRune(r)
		case r == '\\':
			isEscaped, inWord = true, true
		case r == '\'' || r == '"':
			quote, inWord = r, true
		case strings.ContainsRune(";|&(){}\n", r):
			end()
			commands, words = append(commands, words), nil
		case unicode.IsSpace(r):
			end()
		default:
			word.WriteRune(r)
			inWord = true
		}
	}
	end()
	return append(commands, words)
}

// HandlerEntry returns the element that chibi bridge add puts into the list of an event: a group with one handler,
// or a handler. limit is its time limit.
func HandlerEntry(s engine.Shape, command string, limit time.Duration) json.RawMessage {
	set := func(text, path string, value any) string {
		raw, _ := strictjson.Encode(value) // as it is read: without \u003e and the like
		text, _ = sjson.SetRaw(text, path, string(raw))
		return text
	}
	kind, member := engine.CommandHandler, "command"
	if len(s.Kinds) > 0 {
		kind = s.Kinds[0]
	}
	if len(s.Command) > 0 {
		member = s.Command[0]
	}
	text := "{}"
	if len(s.Kinds) > 1 || s.Groups {
		text = set(text, "type", kind)
	}
	text = set(text, member, command)
	if s.Timeout != "" && s.Unit > 0 {
		text = set(text, s.Timeout, int64(limit/s.Unit))
	}
	if s.Groups {
		text = `{"hooks":[` + text + `]}`
	}
	return json.RawMessage(text)
}
