package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
)

// serveNotes is an MCP server with one tool, note, which writes {title, text} to note.txt in
// the directory that the command line names.
func serveNotes(in io.Reader, out io.Writer) {
	lines := bufio.NewScanner(in)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var asked struct {
			ID     json.RawMessage
			Method string
			Params struct {
				ProtocolVersion string
				Arguments       struct{ Title, Text string }
			}
		}
		if json.Unmarshal(lines.Bytes(), &asked) != nil || asked.ID == nil {
			continue
		}
		answer := object{"jsonrpc": "2.0", "id": asked.ID}
		switch asked.Method {
		case "initialize":
			answer["result"] = object{"protocolVersion": asked.Params.ProtocolVersion, "capabilities": object{"tools": object{}},
				"serverInfo": object{"name": "notes", "version": "1"}}
		case "tools/list":
			answer["result"] = object{"tools": []any{noteTool()}}
		case "tools/call":
			note := asked.Params.Arguments.Title + "\n" + asked.Params.Arguments.Text + "\n"
			os.WriteFile(filepath.Join(os.Args[2], "note.txt"), []byte(note), 0o644)
			answer["result"] = object{"content": []any{object{"type": "text", "text": "noted: " + note}}}
		case "ping":
			answer["result"] = object{}
		default:
			answer["error"] = object{"code": -32601, "message": "no such method"}
		}
		data, _ := json.Marshal(answer)
		fmt.Fprintln(out, string(data))
	}
}

func noteTool() object {
	text := object{"type": "string"}
	return object{"name": "note", "description": "Writes a note.", "inputSchema": object{"type": "object",
		"properties": object{"title": text, "text": text}, "required": []string{"title", "text"}}}
}
