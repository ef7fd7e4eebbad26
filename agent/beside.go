package agent

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/chibi-host/chibi/hookpoints"
	"github.com/chibi-host/chibi/internal/clip"
)

// maxContext bounds the context that one plugin adds at one point, in characters.
const maxContext = 10_000

// contextBlocks returns contexts of plugins as the model sees them: a block for each, with the
// plugin's name. No text can end its block. "" if there are none.
func contextBlocks(texts []hookpoints.Text) string {
	var blocks []string
	escape := strings.NewReplacer("<", "&lt;", ">", "&gt;")
	for _, t := range texts {
		text := strings.TrimSpace(t.Text)
		if text == "" {
			continue
		}
		if n := utf8.RuneCountInString(text); n > maxContext {
			text = fmt.Sprintf("%s\n[cut: the first %d of %d characters]", clip.Text(text, maxContext), maxContext, n)
		}
		blocks = append(blocks, fmt.Sprintf("<context plugin=%q>\n%s\n</context>", escape.Replace(t.Plugin),
			escape.Replace(text)))
	}
	return strings.Join(blocks, "\n\n")
}

// storeContexts adds contexts of plugins to the conversation as a message.
func storeContexts(t *turn, texts []hookpoints.Text) error {
	blocks := contextBlocks(texts)
	if blocks == "" {
		return nil
	}
	t.addPrompt(blocks)
	return t.recorder.record(t.userMessage(blocks))
}

// HaltedError reports that a plugin ended the turn before its answer was complete. What
// happened until then is stored.
type HaltedError struct {
	// Plugin is the plugin's name.
	Plugin string
	// Message is the plugin's reason.
	Message string
}

// Error says which plugin ended the turn, and why.
func (e *HaltedError) Error() string {
	by := fmt.Sprintf("halted by plugin %q", e.Plugin)
	if e.Message == "" || e.Message == by {
		return by
	}
	return by + ": " + e.Message
}

// haltedError returns the error of a turn that a plugin ended, nil if none did.
func haltedError(by hookpoints.Halted) error {
	if by.Plugin == "" {
		return nil
	}
	return &HaltedError{Plugin: by.Plugin, Message: by.Message}
}

// halt ends the turn of a step after it if a plugin said so. The first one counts.
func halt(s *step, by hookpoints.Halted) {
	if by.Plugin == "" || s.turn.halted.Plugin != "" {
		return
	}
	s.turn.halted = by
	s.ending = haltedError(by).Error()
}
