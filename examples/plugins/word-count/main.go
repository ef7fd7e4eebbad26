// Word-count is a plugin in Go that is both a tool and a hook: the model can
// ask it to count words, and it tidies the output of every tool by removing
// trailing spaces and repeated empty lines.
package main

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"os"
	"strings"
)

// schema is in a file because the script beside it answers --schema too.
//
//go:embed schema.json
var schema string

func main() {
	var err error
	switch {
	case len(os.Args) > 1 && os.Args[1] == "--schema":
		fmt.Print(schema)
	case os.Getenv("CHIBI_HOOK") == "pre_tool_output":
		err = tidyOutput()
	default:
		err = count()
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "word-count:", err)
		os.Exit(1)
	}
}

// tidyOutput answers the hook.
func tidyOutput() error {
	var payload struct {
		Output string `json:"output"`
	}
	if err := json.NewDecoder(os.Stdin).Decode(&payload); err != nil {
		return err
	}
	tidied := tidy(payload.Output)
	if tidied == payload.Output {
		return nil // no output means no change
	}
	return json.NewEncoder(os.Stdout).Encode(map[string]string{"output": tidied})
}

// tidy removes trailing spaces and repeated empty lines.
func tidy(text string) string {
	var lines []string
	empty := false
	for _, line := range strings.Split(text, "\n") {
		line = strings.TrimRight(line, " \t\r")
		if line == "" && empty {
			continue
		}
		empty = line == ""
		lines = append(lines, line)
	}
	return strings.Join(lines, "\n")
}

// count answers a call of the tool.
func count() error {
	var arguments struct {
		Text string `json:"text"`
	}
	if err := json.NewDecoder(os.Stdin).Decode(&arguments); err != nil {
		return err
	}
	text := arguments.Text
	lines := strings.Count(text, "\n")
	if text != "" && !strings.HasSuffix(text, "\n") {
		lines++
	}
	fmt.Printf("lines: %d, words: %d, characters: %d\n", lines, len(strings.Fields(text)), len([]rune(text)))
	return nil
}
