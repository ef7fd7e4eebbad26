package doctor

import (
	"context"

	"github.com/chibi-host/chibi/internal/app"
	"github.com/chibi-host/chibi/internal/recipes"
)

// recipeFiles finds recipes that cannot be used, and keys in them without an effect.
// Directories named recipes may contain other files too, so nothing here is an error.
func recipeFiles(_ context.Context, s *app.Session) (found []finding) {
	for _, l := range app.RecipesOf(s).List() {
		if l.Err != nil {
			found = append(found, warning(l.Err.Error(), "correct the file, or move it elsewhere"))
			continue
		}
		if _, err := l.Recipe.Plugins(recipes.Handlers(0)); err != nil {
			found = append(found, warning(err.Error(), "correct the file"))
		}
		for _, note := range l.Recipe.Notes {
			f := warning(recipes.Remark(l.Recipe, note), "correct the key, or remove it")
			if note.Quiet {
				f = fine(f.Text)
			}
			found = append(found, f)
		}
	}
	return found
}
