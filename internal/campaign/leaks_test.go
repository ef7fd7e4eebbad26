//go:build linux

package campaign

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"

	"github.com/chibi-host/chibi/internal/terminaltest"
)

// session is a kind of long conversation.
type session struct {
	name    string
	prepare func(h home)
	prompt  func(i int) string
}

func sessions() []session {
	return []session{
		{"plain", nil, func(i int) string { return numbered("@say answer", i) }},
		{"with hooks and tools", hooks, func(i int) string {
			return "@tool update_todos {\"content\": \"" +
				numbered("answer", i) + "\"}"
		}},
		{"with large outputs", large, func(i int) string { return []string{"@tool large", numbered("@say answer", i)}[i%2] }},
		{"with errors", nil, func(i int) string { return fmt.Sprintf("@error 400 out of luck %d", i) }},
		{"with plugins that fail", failing, func(i int) string { return numbered("@say answer", i) }},
	}
}

func failing(h home) {
	for i := range 3 {
		h.plugin(fmt.Sprintf("fail%d", i), "#!/bin/sh\n[ \"$1\" = --schema ] && { echo '{\"name\": \"fail\", \"tool\": "+
			"false, \"hooks\": [\"pre_message\", \"post_tool\", \"pre_stop\"]}'; exit; }\nsleep 100 & exit 1\n")
	}
}

// state is what a process uses: open files, temporary files and memory.
type state struct {
	descriptors, temporary int
	memory                 int64
}

// attackByPatience types many prompts into one session, and compares the state of the
// process after some of them with that after all.
func attackByPatience(a *attempt) {
	s := sessions()[a.number%len(sessions())]
	turns := 500
	if a.short {
		turns = 30
	}
	h := a.home("home")
	if s.prepare != nil {
		s.prepare(h)
	}
	terminal, person := terminaltest.New(a.t)
	defer person.Close()
	cmd := exec.Command(binary, "-c", "work")
	cmd.Stdin, cmd.Stdout, cmd.Stderr = terminal, terminal, terminal
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	var early, late state
	var goroutines int
	o := h.start(40*soon, func(p *os.Process) {
		terminal.Close()
		reader := &watcher{file: person.File}
		for i := range turns {
			reader.sees("> ")
			if i == 10 {
				early = h.holds(p)
			}
			fmt.Fprintf(person, "%s\r", s.prompt(i))
			reader.sees("\n")
			a.Tried++
		}
		reader.sees("> ")
		late = h.holds(p)
		p.Signal(syscall.SIGQUIT)
		goroutines = strings.Count(reader.rest(), "\ngoroutine ")
	}, cmd)
	if o.hung {
		a.found(hung, "a session %s, %d turns", s.name, a.Tried)
	}
	prompts := 0
	for _, e := range h.transcript("work") {
		if e.Type == "message" && strings.HasPrefix(e.Content, "@") {
			prompts++
		}
	}
	if prompts != turns {
		a.found(lost, "a session %s: %d of %d prompts are in the transcript", s.name, prompts, turns)
	}
	grown := late.descriptors > early.descriptors+2 || late.temporary > early.temporary ||
		late.memory > early.memory+40<<10
	if goroutines == 0 || goroutines > 60 || grown {
		a.found(leaked, "a session %s of %d turns: after 10 %+v, at the end %+v and %d goroutines", s.name, turns,
			early, late, goroutines)
	}
}

// holds reads the state of a process.
func (h home) holds(p *os.Process) (s state) {
	descriptors, _ := os.ReadDir(fmt.Sprintf("/proc/%d/fd", p.Pid))
	temporary, _ := filepath.Glob(filepath.Join(h.path, "tmp", "*"))
	text, _ := os.ReadFile(fmt.Sprintf("/proc/%d/status", p.Pid))
	_, rest, _ := strings.Cut(string(text), "VmRSS:")
	value, _, _ := strings.Cut(strings.TrimSpace(rest), " ")
	s.memory, _ = strconv.ParseInt(value, 10, 64)
	s.descriptors, s.temporary = len(descriptors), len(temporary)
	return s
}

// watcher reads the output on a terminal.
type watcher struct {
	file *os.File
	seen string
}

// sees waits for a text after the last one that it waited for. It returns at once when
// the program has ended.
func (w *watcher) sees(text string) {
	buf := make([]byte, 4096)
	for !strings.Contains(w.seen, text) {
		n, err := w.file.Read(buf)
		if err != nil {
			return
		}
		w.seen += string(buf[:n])
	}
	_, w.seen, _ = strings.Cut(w.seen, text)
}

// rest reads to the end.
func (w *watcher) rest() string {
	var all head
	all.ReadFrom(w.file)
	return w.seen + all.String()
}
