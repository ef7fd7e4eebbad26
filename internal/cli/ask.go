package cli

import (
	"context"
	"os"

	"github.com/chibi-host/chibi/internal/term/question"
	"github.com/chibi-host/chibi/permissions"
	"github.com/chibi-host/chibi/tools/mcp"
	tty "golang.org/x/term"
)

func ask(ctx context.Context, f *os.File, flush func(), q permissions.Question) (permissions.Answer, error) {
	return question.Ask(ctx, terminalOf(f, flush), q)
}

func fill(ctx context.Context, f *os.File, flush func(), q mcp.Question) (mcp.Answer, error) {
	form := question.Form{Who: "MCP server " + q.Server, Message: q.Message, Schema: q.Schema}
	values, filled, err := question.Fill(ctx, terminalOf(f, flush), form)
	if err != nil || !filled {
		return mcp.Answer{Action: mcp.Decline}, err
	}
	return mcp.Answer{Action: mcp.Accept, Content: values}, nil
}

func terminalOf(f *os.File, flush func()) question.Terminal {
	t := question.Terminal{File: f, Flush: flush, Config: "config.toml",
		Colours: os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb"}
	if columns, _, err := tty.GetSize(int(f.Fd())); err == nil {
		t.Columns = columns
	}
	return t
}
