package trace

import (
	"embed"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"text/template"
	"time"

	"github.com/chibi-host/chibi/internal/strictjson"
	"github.com/chibi-host/chibi/merge"
)

// page escapes each text by the function html, which a test holds. html/template would find
// that by itself, but takes 18 KB at each start of the program, for a page that is rarely made.
//
//go:embed page.html
var page embed.FS

type view struct {
	Title     string
	Prompt    string
	Sentences []string
	Rows      []viewRow
}

type viewRow struct {
	Row
	At, Time        string
	Percent         int // of the longest row
	Payload, Answer string
	Changes         []viewChange
}

type viewChange struct{ Path, Before, After, Note string }

// HTML writes turns as one self-contained page, the newest turn first.
func HTML(w io.Writer, turns []Turn) error {
	t, err := template.ParseFS(page, "page.html")
	if err != nil {
		return err
	}
	var views []view
	for i := len(turns) - 1; i >= 0; i-- {
		views = append(views, turns[i].view())
	}
	if err := t.Execute(w, views); err != nil {
		return fmt.Errorf("writing the page: %w", err)
	}
	return nil
}

func (t Turn) view() view {
	v := view{
		Title:  fmt.Sprintf("%s, %s", t.Context, t.Begin().Local().Format("2006-01-02 15:04:05")),
		Prompt: t.Prompt(), Sentences: t.Explain(),
	}
	rows := t.Rows("")
	longest := time.Duration(1)
	for _, r := range rows {
		longest = max(longest, r.Took)
	}
	for _, r := range rows {
		v.Rows = append(v.Rows, rowView(r, longest))
	}
	return v
}

func rowView(r Row, longest time.Duration) viewRow {
	row := viewRow{Row: r, At: offset(r.Offset), Percent: int(100 * r.Took / longest)}
	if r.Took > 0 {
		row.Time = milliseconds(r.Took)
	}
	switch {
	case r.Record != nil:
		row.Payload, row.Answer = strictjson.Indented(r.Record.Payload), strictjson.Indented(r.Record.Answer)
		for i, path := range r.Record.Changed {
			if i == maxChanges {
				row.Changes = append(row.Changes, viewChange{Note: fmt.Sprintf("%d more places were changed",
					len(r.Record.Changed)-i)})
				break
			}
			change := viewChange{Path: path, After: string(merge.At(r.Record.Answer, path))}
			if change.Note = r.noteOf(path); change.Note == "" {
				change.Before = string(merge.At(r.Record.Payload, path))
			}
			row.Changes = append(row.Changes, change)
		}
		for _, lost := range r.Record.Lost {
			row.Changes = append(row.Changes, viewChange{Path: lost.Path, Note: "was replaced by plugin " + lost.Winner})
		}
	case r.Step.Request != nil:
		data, _ := json.Marshal(r.Step.Request)
		row.Payload = strictjson.Indented(data)
	}
	return row
}

func (r Row) noteOf(path string) string {
	for _, text := range r.Withheld {
		if path == text.Path || strings.HasPrefix(path, text.Path+"/") {
			return text.lengths() + "; the original text is not kept"
		}
	}
	return ""
}

const maxChanges = 200
