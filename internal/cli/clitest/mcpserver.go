package clitest

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"sync"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// scriptedServer is what the program mcp-server offers: the content of a file.
type scriptedServer struct {
	// Die is what it writes to standard error before it exits with status 3, instead of
	// serving. Hang makes it serve nothing and stay.
	Die  string `json:"die"`
	Hang bool   `json:"hang"`
	// Tools are its tools.
	Tools []scriptedTool `json:"tools"`
}

// scriptedTool is a tool of the program mcp-server.
type scriptedTool struct {
	sdk.Tool
	// Answer is its result, with $NAME for variables of the server's environment and {} for
	// the arguments. Error says that it is an error, Image that it is a PNG.
	Answer string `json:"answer"`
	Error  bool   `json:"error"`
	Image  bool   `json:"image"`
	// Shell names the argument that is run by sh; its output is the result.
	Shell string `json:"shell"`
	// Asks is what it asks the person before; {} in Answer is the answer then.
	Asks *sdk.ElicitParams `json:"asks"`
	// Then is the file with what the server offers after a call.
	Then string `json:"then"`
}

// program is the running program mcp-server.
type program struct {
	path   string
	server *sdk.Server

	mu    sync.Mutex
	names []string
}

// serveScript is the program "mcp-server FILE", a server over standard input and output. It
// offers what FILE says, and appends a line to FILE.log for each thing that happens to it.
func serveScript() {
	p := &program{path: os.Args[1], server: sdk.NewServer(&sdk.Implementation{Name: "scripted", Version: "1"}, nil)}
	p.log("start " + strings.Join(os.Args[2:], " "))
	script := p.offer(p.path)
	if script.Hang {
		time.Sleep(time.Hour)
	}
	if script.Die != "" {
		fmt.Fprintln(os.Stderr, script.Die)
		os.Exit(3)
	}
	p.server.AddReceivingMiddleware(func(next sdk.MethodHandler) sdk.MethodHandler {
		return func(ctx context.Context, method string, req sdk.Request) (sdk.Result, error) {
			if method == "tools/list" {
				p.log("list")
			}
			return next(ctx, method, req)
		}
	})
	p.server.Run(context.Background(), &sdk.StdioTransport{})
	p.log("end")
}

// broken ends the program, whose test is wrong.
func broken(err error) {
	fmt.Fprintln(os.Stderr, err)
	os.Exit(2)
}

// log appends a line to the log.
func (p *program) log(line string) {
	f, err := os.OpenFile(p.path+".log", os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		broken(err)
	}
	defer f.Close()
	fmt.Fprintln(f, strings.TrimSpace(line))
}

// offer offers what a file says, and nothing else.
func (p *program) offer(path string) (script scriptedServer) {
	text, err := os.ReadFile(path)
	if err == nil {
		err = json.Unmarshal(text, &script)
	}
	if err != nil {
		broken(err)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.server.RemoveTools(p.names...)
	p.names = nil
	for _, tool := range script.Tools {
		if tool.InputSchema == nil {
			tool.InputSchema = map[string]any{"type": "object"}
		}
		p.names = append(p.names, tool.Name)
		p.server.AddTool(&tool.Tool, p.call(tool))
	}
	return script
}

// call returns the handler of a tool.
func (p *program) call(tool scriptedTool) sdk.ToolHandler {
	return func(ctx context.Context, req *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
		args := string(req.Params.Arguments)
		p.log("call " + tool.Name + " " + args)
		if tool.Then != "" {
			p.offer(tool.Then)
		}
		if tool.Asks != nil {
			answer, err := req.Session.Elicit(ctx, tool.Asks)
			if err != nil {
				return nil, err
			}
			text, _ := json.Marshal(answer.Content)
			args = answer.Action + " " + string(text)
		}
		text := strings.ReplaceAll(os.ExpandEnv(tool.Answer), "{}", args)
		if tool.Shell != "" {
			var values map[string]string
			json.Unmarshal(req.Params.Arguments, &values)
			output, err := exec.CommandContext(ctx, "sh", "-c", values[tool.Shell]).CombinedOutput()
			text = fmt.Sprintf("%s(%v)", output, err)
		}
		if tool.Image {
			return &sdk.CallToolResult{Content: []sdk.Content{&sdk.ImageContent{MIMEType: "image/png",
				Data: []byte("\x89PNG\r\n\x1a\n" + text)}}}, nil
		}
		return &sdk.CallToolResult{Content: []sdk.Content{&sdk.TextContent{Text: text}}, IsError: tool.Error}, nil
	}
}
