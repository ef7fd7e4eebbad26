package oneshot_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/chibi-host/chibi/hookpoints"
	"github.com/chibi-host/chibi/plugin"
	"github.com/chibi-host/chibi/plugin/oneshot"
	"github.com/chibi-host/chibi/plugin/process"
)

// runs stands in for processes: it keeps what it was to run.
type runs struct {
	command process.Command
	outcome process.Outcome
	err     error
}

func (r *runs) Run(_ context.Context, c process.Command) (process.Outcome, error) {
	r.command = c
	return r.outcome, r.err
}

// echo is a codec whose process is a path and whose answer is its output.
type echo string

func (e echo) Encode(ev plugin.Event) (process.Command, error) {
	return process.Command{Path: string(e), Stdin: ev.Payload}, nil
}

func (echo) Decode(_ plugin.Event, out process.Outcome) (plugin.Answer, error) {
	return plugin.Answer{Body: out.Stdout}, out.Err()
}

const preTool = hookpoints.Name("pre_tool")

func TestTheOutcomeBecomesTheAnswer(t *testing.T) {
	for _, test := range []struct {
		name    string
		outcome process.Outcome
		err     error
		body    string
		exit    int // -1: none
		failed  bool
	}{
		{name: "an answer", outcome: process.Outcome{Stdout: []byte(`{}`)}, body: `{}`},
		{name: "an exit status", outcome: process.Outcome{Exit: 3}, exit: 3, failed: true},
		{name: "a signal", outcome: process.Outcome{Exit: -1, Signal: "killed"}, exit: -1, failed: true},
		{name: "no end", err: process.ErrTimeout, exit: -1, failed: true},
		{name: "a payload that was not read", outcome: process.Outcome{Unread: true, Asked: true}},
	} {
		t.Run(test.name, func(t *testing.T) {
			h := oneshot.Handler{Codec: echo("p"), Runner: &runs{outcome: test.outcome, err: test.err}}
			got, err := h.Handle(t.Context(), plugin.Event{Point: preTool})
			if string(got.Body) != test.body || (err != nil) != test.failed {
				t.Errorf("answer %s, %v", got.Body, err)
			}
			if exit := got.Exit; exit == nil && test.exit != -1 || exit != nil && *exit != test.exit {
				t.Errorf("exit status %v, want %d", exit, test.exit)
			}
			if got.Unread != test.outcome.Unread || got.Asked != test.outcome.Asked {
				t.Errorf("unread %v, asked %v", got.Unread, got.Asked)
			}
		})
	}
}

func TestTheBoundOfAProcess(t *testing.T) {
	at := map[hookpoints.Name]time.Duration{preTool: time.Second}
	for _, test := range []struct {
		name string
		h    oneshot.Handler
		want time.Duration
	}{
		{"is 30 seconds", oneshot.Handler{}, oneshot.DefaultTimeout},
		{"is the plugin's", oneshot.Handler{Timeout: time.Minute}, time.Minute},
		{"is that of the point", oneshot.Handler{Timeout: time.Minute, Timeouts: at}, time.Second},
	} {
		t.Run(test.name, func(t *testing.T) {
			var r runs
			test.h.Codec, test.h.Runner = echo("p"), &r
			if _, err := test.h.Handle(t.Context(), plugin.Event{Point: preTool}); err != nil {
				t.Fatal(err)
			}
			if r.command.Timeout != test.want {
				t.Errorf("it is %s, want %s", r.command.Timeout, test.want)
			}
		})
	}
}

// TestAProcessIsEndedWhereTheSharedBoundIs: it is not read to its end first.
func TestAProcessIsEndedWhereTheSharedBoundIs(t *testing.T) {
	script := filepath.Join(t.TempDir(), "endless")
	if err := os.WriteFile(script, []byte("#!/bin/sh\nyes\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	host := &plugin.Host{MaxAnswers: 100_000, Plugins: []plugin.Plugin{{
		Name: "endless", Hooks: []hookpoints.Name{preTool}, OnFailure: plugin.Block,
		Handler: oneshot.Handler{Codec: echo(script)},
	}}}
	verdict, err := plugin.Fire(t.Context(), host, hookpoints.PreTool,
		hookpoints.PreToolPayload{Arguments: json.RawMessage(`{}`)})
	if err != nil || !verdict.Block || !strings.Contains(verdict.Message, "more than 98 KiB together") {
		t.Errorf("verdict %+v, %v; want a block, as its failure blocks", verdict, err)
	}
}

func TestWhatCannotBeEncodedIsAFailure(t *testing.T) {
	h := oneshot.Handler{Codec: broken{}, Runner: &runs{err: errors.New("it ran")}}
	if _, err := h.Handle(t.Context(), plugin.Event{}); err == nil || err.Error() != "no" {
		t.Errorf("err = %v", err)
	}
}

type broken struct{ echo }

func (broken) Encode(plugin.Event) (process.Command, error) {
	return process.Command{}, errors.New("no")
}

func ExampleHandler() {
	host := &plugin.Host{Plugins: []plugin.Plugin{{
		Name: "guard", Hooks: []hookpoints.Name{preTool},
		Handler: oneshot.Handler{Codec: jsonOnStdin{"sh", "-c", `echo '{"block": true, "message": "no tools today"}'`}},
	}}}
	verdict, err := plugin.Fire(context.Background(), host, hookpoints.PreTool,
		hookpoints.PreToolPayload{ToolName: "shell", Arguments: json.RawMessage(`{"command":"ls"}`)})
	fmt.Println(verdict.Message, err)
	// Output: no tools today <nil>
}

// jsonOnStdin is a protocol: a command that reads the payload and prints the answer.
type jsonOnStdin []string

func (c jsonOnStdin) Encode(ev plugin.Event) (process.Command, error) {
	path, ok := process.Runner{}.LookPath(c[0])
	if !ok {
		return process.Command{}, fmt.Errorf("%s was not found", c[0])
	}
	return process.Command{Path: path, Args: c[1:], Stdin: ev.Payload}, nil
}

func (jsonOnStdin) Decode(_ plugin.Event, out process.Outcome) (plugin.Answer, error) {
	return plugin.Answer{Body: out.Stdout}, out.Err()
}
