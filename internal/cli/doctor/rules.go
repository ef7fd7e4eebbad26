package doctor

import (
	"context"
	"fmt"
	"path/filepath"

	"github.com/chibi-host/chibi/internal/app"
	"github.com/chibi-host/chibi/internal/recipes"
)

// rulesToCorrect reports rules of [permissions] that name no tool, and those that mean less than in
// earlier versions.
func rulesToCorrect(_ context.Context, s *app.Session) (found []finding) {
	for _, text := range unknownTools(s) {
		found = append(found, warning(text, "correct its name, or remove it; chibi tool list names the tools"))
	}
	for _, text := range narrowedRules(s) {
		found = append(found, warning(text,
			"write it with (/**) if you mean the project, with (//**) if you mean the whole disk"))
	}
	if len(found) == 0 && app.HasRules(s.Config) {
		found = append(found, fine("every rule of [permissions] names a tool or a category"))
	}
	return found
}

// confinedCommands reports whether the commands of the model can be confined as the configuration
// wants.
func confinedCommands(s *app.Session) []finding {
	rules, on := app.Sandbox(s)
	if !on {
		return nil
	}
	rules, err := rules.Pinned()
	if err == nil {
		err = rules.Check()
	}
	if err != nil {
		return []finding{failure(fmt.Sprintf("shell_exec runs no command: %v", err),
			`or set sandbox = "off" under [tools] in `+filepath.Join(s.Home, "config.toml")+", to run them unconfined")}
	}
	found := []finding{fine("commands of shell_exec can be confined")}
	if err := rules.Unsupervised(); err != nil {
		found = append(found, warning(fmt.Sprintf("confined commands can change modes, owners, times and extended "+
			"attributes of your files wherever they are: %v", err), "docs/TOOLS.md says where they cannot"))
	}
	if path, owner := rules.Foreign(); path != "" {
		found = append(found, warning(fmt.Sprintf("confined commands cannot write in %s, which belongs to the user %d: "+
			"root has no CAP_DAC_OVERRIDE there", path, owner), "run chibi as that user, or run: chown -R root "+path))
	}
	return found
}

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
