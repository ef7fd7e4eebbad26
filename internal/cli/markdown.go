package cli

import (
	"github.com/chibi-host/chibi/agent"
	"github.com/chibi-host/chibi/internal/term/markdown"
)

// renderMarkdown shows answers as Markdown, block by block as they come.
func (p *program) renderMarkdown(out *agent.Output) {
	var r *markdown.Renderer
	out.Text = func(delta string) {
		if r == nil {
			r = markdown.New(p.screen.Answer(), p.screen.Columns())
		}
		r.Write([]byte(delta))
	}
	out.TextEnd = func() {
		if r != nil {
			r.Close()
			r = nil
		}
	}
}
