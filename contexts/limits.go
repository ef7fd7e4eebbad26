package contexts

import "fmt"

// MaxText bounds a text of a context, such as its system prompt or its todos, in
// bytes.
const MaxText = 4 << 20

// Bounds of what else is read at once, in bytes.
const (
	// maxState bounds state.json, a manifest and what else describes a context.
	maxState = 16 << 20
	// maxHolder bounds what a lock file says.
	maxHolder = 4 << 10
	// maxLegacy bounds the whole conversation that the original's first versions
	// kept in one file.
	maxLegacy = 256 << 20
)

// checkText refuses a text that could not be read again.
func checkText(text string) error {
	if len(text) > MaxText {
		return fmt.Errorf("the text has %d bytes; at most %d are kept", len(text), MaxText)
	}
	return nil
}
