package app

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"syscall"
	"time"

	"github.com/chibi-host/chibi/agent"
	"github.com/chibi-host/chibi/contexts"
	"github.com/chibi-host/chibi/internal/agents/engine"
	"github.com/chibi-host/chibi/permissions/urls"
	"github.com/chibi-host/chibi/tools"
	"github.com/chibi-host/chibi/tools/coding"
)

// waysOf returns how hooks of coding agents are asked that are no commands.
func waysOf(s *Session) engine.Ways {
	ways := engine.Ways{
		Post: poster{allowPrivate: s.Config.Foreign.AllowPrivate}.post,
		Call: func(ctx context.Context, server, tool string, input json.RawMessage) (string, error) {
			return callForHook(ctx, s, serverTool{server, tool}, input)
		},
	}
	if s.Config.Foreign.ModelHooks {
		ways.Ask = func(ctx context.Context, q engine.Judging) (string, error) { return askForHook(ctx, s, q) }
	}
	return ways
}

// maxHookAnswer bounds the answer of an HTTP handler, in bytes.
const maxHookAnswer = 8 << 20

// poster posts what happens to hooks that are URLs.
type poster struct{ allowPrivate bool }

// post sends a payload. It follows no redirects and uses no proxy, and reaches this machine and
// public addresses only, unless the configuration allows others.
func (p poster) post(ctx context.Context, to engine.Posting) (status int, body []byte, err error) {
	dialer := net.Dialer{Timeout: 30 * time.Second, Control: p.check}
	transport := &http.Transport{DialContext: dialer.DialContext, DisableKeepAlives: true, ForceAttemptHTTP2: true}
	client := http.Client{Transport: transport,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, to.URL, bytes.NewReader(to.Body))
	if err != nil {
		return 0, nil, err
	}
	for name, value := range to.Headers {
		request.Header.Set(name, value)
	}
	response, err := client.Do(request)
	if err != nil {
		return 0, nil, err
	}
	defer response.Body.Close()
	body, err = io.ReadAll(io.LimitReader(response.Body, maxHookAnswer+1))
	if err == nil && len(body) > maxHookAnswer {
		err = fmt.Errorf("the answer is longer than %d bytes", maxHookAnswer)
	}
	return response.StatusCode, body, err
}

// check refuses addresses of private networks, right before a connection is made.
func (p poster) check(_, address string, _ syscall.RawConn) error {
	at, err := netip.ParseAddrPort(address)
	if err != nil {
		return err
	}
	class := urls.ClassOf(at.Addr().Unmap())
	if p.allowPrivate || class == urls.Public || class == urls.Loopback {
		return nil
	}
	return fmt.Errorf("%s is refused: it is no public address (%s); [foreign] allow_private = true allows it", at.Addr(),
		class)
}

// serverTool is a tool of an MCP server.
type serverTool struct{ server, tool string }

// callForHook calls a tool of an MCP server for a hook that says so.
func callForHook(ctx context.Context, s *Session, what serverTool, input json.RawMessage) (string, error) {
	server, err := MCPOf(s).Find(what.server)
	if err != nil {
		return "", err
	}
	result, err := MCPOf(s).Call(ctx, server, what.tool, input)
	if err != nil {
		return "", err
	}
	if result.File != nil {
		defer result.File.Close()
	}
	if result.Failed {
		return "", fmt.Errorf("tool %q of MCP server %q failed: %s", what.tool, what.server, result.Told())
	}
	return result.Text, nil
}

// askForHook asks the model for a hook that has it judge what happens: in a conversation of its
// own, without plugins. It reads files if the hook says so, those that nobody need be asked for.
func askForHook(ctx context.Context, s *Session, q engine.Judging) (string, error) {
	conversation, err := contexts.NewMemory().Context("hook")
	if err != nil {
		return "", err
	}
	set := s.Agent.Settings
	if model := cmp.Or(q.Model, s.Config.Foreign.PromptModel); model != "" {
		if set, err = withModel(s, set, model); err != nil {
			return "", err
		}
	}
	none := ""
	set.SystemPrompt, set.Instructions, set.MaxSteps, set.AutoCompact = &none, "", maxHookSteps, false
	judge := &agent.Agent{Model: s.Agent.Model, Context: conversation, Tools: &tools.Set{}, Settings: set}
	if q.ReadsFiles {
		if err := addReading(s, judge); err != nil {
			return "", err
		}
	}
	return judge.Prompt(ctx, q.Text)
}

// maxHookSteps bounds how often the model of a hook responds.
const maxHookSteps = 50

// addReading gives an agent the tools that read and search files, and a gate at which nobody
// is asked.
func addReading(s *Session, judge *agent.Agent) error {
	rules, err := newRules(s)
	if err != nil {
		return err
	}
	if judge.Gate, err = newGate(s, rules); err != nil {
		return err
	}
	judge.Gate.Person, judge.Gate.TrustAll = nil, false
	files := filesOf(s)
	files.MayRead = rules.MayRead
	for _, tool := range coding.Tools(files) {
		if c := tool.Spec().Category; c == tools.CategoryRead || c == tools.CategorySearch {
			if err := judge.Tools.Add(tool); err != nil {
				return err
			}
		}
	}
	return nil
}
