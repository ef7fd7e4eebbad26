package contexts

import (
	"context"

	"github.com/chibi-host/chibi/contexts/internal/parts"
)

// settings implements the rules for a context's own configuration.
type settings struct {
	ref   *parts.Ref
	texts parts.Texts
}

// LocalConfig returns the context's own settings, "" if there are none.
func (s *settings) LocalConfig(ctx context.Context) (string, error) {
	return s.texts.Text(ctx, parts.TextLocalConfig)
}

// ChangeLocalConfig replaces the context's own settings.
func (s *settings) ChangeLocalConfig(change func(old string) (string, error)) error {
	err := s.texts.ChangeText(parts.TextLocalConfig, func(old string) (string, error) {
		text, err := change(old)
		if err == nil {
			err = parts.CheckText(text)
		}
		return text, err
	})
	return writing(s.ref, parts.TextLocalConfig, err)
}
