package contexts

import "context"

// settings implements the rules for a context's own configuration.
type settings struct {
	ref   *ref
	texts texts
}

// LocalConfig returns the context's own settings, "" if there are none.
func (s *settings) LocalConfig(ctx context.Context) (string, error) {
	return s.texts.text(ctx, textLocalConfig)
}

// ChangeLocalConfig replaces the context's own settings.
func (s *settings) ChangeLocalConfig(change func(old string) (string, error)) error {
	err := s.texts.changeText(textLocalConfig, func(old string) (string, error) {
		text, err := change(old)
		if err == nil {
			err = checkText(text)
		}
		return text, err
	})
	return writing(s.ref, textLocalConfig, err)
}
