package app

import (
	"context"
	"path/filepath"

	"github.com/chibi-host/chibi/internal/recipes"
	"github.com/chibi-host/chibi/plugin/process"
)

// BuiltIn is the protocol of handlers that are part of the program.
const BuiltIn = "built in"

// RecipesOf returns the recipes of a session. If the home has prompts/compaction.md, as
// the original chibi has, that replaces the text that asks for a summary.
func RecipesOf(s *Session) recipes.Prompts {
	library := &recipes.Library{
		Dirs:  recipes.DirsOf(s.Project, s.Home),
		Texts: map[string]string{recipes.Compact: filepath.Join(s.Home, "prompts", "compaction.md")},
	}
	return recipes.Prompts{Library: library, Tools: s.Agent.Tools, Notice: s.person.notice,
		Runner: func() process.Runner {
			runner := s.Loader().Runner()
			if m := s.opts.Within; m != nil { // the arguments of the recipe are the model's
				runner.Env = append(runner.Env, m.Pair())
			}
			return runner
		}}
}

// RecipePrompt returns the prompt of a session: the prompt of its recipe with these
// arguments, then the text. Without a recipe it is the text.
func RecipePrompt(ctx context.Context, s *Session, args map[string]string, text string) (string, error) {
	if s.Recipe == nil {
		return text, nil
	}
	prepared, err := RecipesOf(s).Prepared(ctx, s.Recipe, args)
	if err != nil {
		return "", err
	}
	s.Agent.Recipe = &prepared
	if text == "" {
		return prepared.Prompt, nil
	}
	return prepared.Prompt + "\n" + text, nil
}
