package hooks

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/chibi-host/chibi/internal/agents/engine"
	"github.com/chibi-host/chibi/internal/clip"
	"github.com/chibi-host/chibi/internal/strictjson"
	"github.com/tidwall/gjson"
)

// post posts the payload to an HTTP handler. Only a status of success counts, with an empty
// body or a JSON object: a status alone never blocks.
func (h *hook) post(ctx context.Context, payload []byte) (engine.Outcome, error) {
	to := Posting{URL: h.handler.URL, Headers: map[string]string{"Content-Type": "application/json"}, Body: payload}
	for name, value := range h.handler.Headers {
		to.Headers[name] = h.header(value)
	}
	ctx, cancel := context.WithTimeout(ctx, h.handler.TimeLimit(*h.dialect, h.event))
	defer cancel()
	status, body, err := h.opts.Ways.Post(ctx, to)
	body = bytes.TrimSpace(body)
	switch {
	case err != nil:
		return engine.Outcome{}, err
	case status < 200 || status > 299:
		return engine.Outcome{}, fmt.Errorf("the server answered with status %d: %s", status, clip.Text(string(body), 200))
	case len(body) > 0 && (body[0] != '{' || !strictjson.Valid(body)):
		return engine.Outcome{}, fmt.Errorf("the server's answer is not a JSON object: it begins with %.60q", body)
	}
	return engine.Outcome{Stdout: body}, nil
}

// header fills in the variables that the handler allows in its headers. Other variables become empty.
func (h *hook) header(value string) string {
	variable := regexp.MustCompile(`\$\{(\w+)\}|\$(\w+)`)
	return variable.ReplaceAllStringFunc(value, func(found string) string {
		name := strings.Trim(found, "${}")
		others := h.opts.HeaderVariables
		if !slices.Contains(h.handler.AllowedEnv, name) || others != nil && !slices.Contains(others, name) {
			return ""
		}
		return h.opts.Runner.Getenv(name)
	})
}

// call calls the tool of an mcp_tool handler. The tool's text takes the place of a command's output.
func (h *hook) call(ctx context.Context, payload []byte) (engine.Outcome, error) {
	ctx, cancel := context.WithTimeout(ctx, h.handler.TimeLimit(*h.dialect, h.event))
	defer cancel()
	text, err := h.opts.Ways.Call(ctx, h.handler.Server, h.handler.Tool, filled(h.handler.Input, payload))
	return engine.Outcome{Stdout: []byte(text)}, err
}

// filled replaces ${path} in the texts of an input by the payload's value at that path.
func filled(input json.RawMessage, payload []byte) json.RawMessage {
	place := regexp.MustCompile(`\$\{([\w.]+)\}`)
	return place.ReplaceAllFunc(input, func(found []byte) []byte {
		quoted := strictjson.Quote(gjson.GetBytes(payload, string(found[2:len(found)-1])).String())
		return quoted[1 : len(quoted)-1]
	})
}
