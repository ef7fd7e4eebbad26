// Word-count is a plugin in Go that is both a tool and a hook: the model can
// ask it to count words, and it tidies the output of every tool by removing
// trailing spaces and repeated empty lines. It is resident: started once per session.
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

// object is a JSON object.
type object = map[string]any

func main() {
	if len(os.Args) > 1 && os.Args[1] == "--schema" {
		fmt.Print(schema)
		return
	}
	if len(os.Args) > 1 && os.Args[1] == "--resident" {
		serve(tidyOutput, count)
		return
	}
	var data object
	if err := json.NewDecoder(os.Stdin).Decode(&data); err != nil {
		fmt.Fprintln(os.Stderr, "word_count:", err)
		os.Exit(1)
	}
	if point := os.Getenv("CHIBI_HOOK"); point != "" {
		json.NewEncoder(os.Stdout).Encode(tidyOutput(point, data))
		return
	}
	fmt.Print(count("word_count", data))
}

// tidyOutput answers the hook; an empty object means no change.
func tidyOutput(_ string, payload object) object {
	output, _ := payload["output"].(string)
	if tidied := tidy(output); tidied != output {
		return object{"output": tidied}
	}
	return object{}
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
func count(_ string, arguments object) string {
	text, _ := arguments["text"].(string)
	lines := strings.Count(text, "\n")
	if text != "" && !strings.HasSuffix(text, "\n") {
		lines++
	}
	return fmt.Sprintf("lines: %d, words: %d, characters: %d\n", lines, len(strings.Fields(text)), len([]rune(text)))
}

// serve answers all events of a session, which chibi writes to a resident plugin, one on each line.
func serve(hook func(point string, payload object) object, tool func(name string, arguments object) string) {
	before := map[string]string{"CHIBI_CONTEXT": "", "CHIBI_VERBOSE": "", "CHIBI_SESSION_ID": "",
		"CHIBI_PROMPT_ID": "", "CHIBI_TRANSCRIPT_PATH": ""} // their values at the start
	for in, out := json.NewDecoder(os.Stdin), json.NewEncoder(os.Stdout); ; {
		var request struct {
			ID     int64
			Method string
			Params struct {
				Meta               map[string]string
				Point, Name        string
				Payload, Arguments object
			}
		}
		if err := in.Decode(&request); err != nil {
			return // the session is over
		}
		answer, params := object{"jsonrpc": "2.0", "id": request.ID}, request.Params
		event := params.Meta
		if request.Method == "hook" {
			event["CHIBI_HOOK"] = params.Point
		} else {
			event["CHIBI_TOOL_NAME"] = params.Name
		}
		for name := range before {
			os.Unsetenv(name)
		}
		for name, value := range event {
			os.Setenv(name, value)
		}
		before = event
		if request.Method == "hook" {
			answer["result"] = hook(params.Point, params.Payload)
		} else {
			answer["result"] = object{"output": tool(params.Name, params.Arguments)}
		}
		out.Encode(answer)
	}
}
