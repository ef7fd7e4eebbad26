package cli

import (
	"github.com/chibi-host/chibi/internal/app"
	"github.com/chibi-host/chibi/internal/recipes"
)

// recipes tells of recipes that cannot be used, and of keys in them that do
// nothing. Folders called recipes may hold other things too, so nothing here is an
// error.
func (d *doctor) recipes() {
	for _, l := range app.Library(d.Session).List() {
		if l.Err != nil {
			d.add("warning", l.Err.Error(), "correct the file, or move it elsewhere")
			continue
		}
		if _, err := l.Recipe.Plugins(recipes.Handlers(0)); err != nil {
			d.add("warning", err.Error(), "correct the file")
		}
		for _, note := range l.Recipe.Notes {
			if note.Quiet {
				d.add("ok", app.Remark(l.Recipe, note), "")
			} else {
				d.add("warning", app.Remark(l.Recipe, note), "correct the key, or take it out")
			}
		}
	}
}
