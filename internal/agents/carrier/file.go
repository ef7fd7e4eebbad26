package carrier

import (
	"bytes"
	"crypto/sha256"
	"embed"
	"fmt"
	"strings"

	"github.com/chibi-host/chibi/internal/strictjson"
)

// scripts are carrier.js, which asks chibi, and NAME.js, which is a plugin of an agent.
//
//go:embed *.js
var scripts embed.FS

// File is the plugin of an agent that asks chibi.
type File struct {
	// Agent is the agent, Script the name of the JavaScript for it.
	Agent  string `json:"agent"`
	Script string `json:"script"`
	// Chibi is the path of the program; "": the system finds it by its name. Home is the home that it uses; "": its
	// usual home.
	Chibi string `json:"chibi,omitempty"`
	Home  string `json:"home,omitempty"`
	// FailClosed says that the plugin denies a call that it cannot ask chibi about.
	FailClosed bool `json:"fail_closed,omitempty"`
	// LimitMS is how long an event may take, DeadlineMS how long plugins may take.
	LimitMS    int64 `json:"limit_ms"`
	DeadlineMS int64 `json:"deadline_ms"`
}

// The marks of a file's first two lines.
const (
	markSum      = "// Written by chibi bridge add. sha256 of the rest: "
	markSettings = "const settings = "
)

// Text is the whole text of the file.
func (f File) Text() []byte {
	settings, _ := strictjson.Encode(f) // it is texts and numbers
	rest := []byte(markSettings + string(settings) + ";\n")
	for _, name := range []string{"carrier", f.Script} {
		text, _ := scripts.ReadFile(name + ".js") // a test writes the files of all agents
		rest = append(append(rest, '\n'), text...)
	}
	return append([]byte(markSum+sumOf(rest)+"\n"), rest...)
}

func sumOf(text []byte) string {
	return fmt.Sprintf("%x", sha256.Sum256(text))
}

// Read reads a file that chibi wrote, in this version or a different one. isOurs is false for any other file. The
// error says that somebody has changed the file since.
func Read(text []byte) (f File, isOurs bool, err error) {
	first, rest, _ := bytes.Cut(text, []byte("\n"))
	sum, isMarked := strings.CutPrefix(strings.TrimSuffix(string(first), "\r"), markSum)
	if !isMarked {
		return f, false, nil
	}
	second, _, _ := bytes.Cut(rest, []byte("\n"))
	settings, _ := strings.CutPrefix(strings.TrimSuffix(string(second), "\r"), markSettings)
	if wrong := strictjson.Decode([]byte(strings.TrimSuffix(settings, ";")), &f); wrong != nil {
		return f, true, fmt.Errorf("it was changed since chibi wrote it: chibi cannot read its settings: %w", wrong)
	}
	if sum != sumOf(rest) {
		return f, true, fmt.Errorf("it was changed since chibi wrote it; move it away if you want to keep the changes, " +
			"or delete it")
	}
	return f, true, nil
}
