package doctor

// finding is something that a check found.
type finding struct {
	Level level  `json:"level"`
	Text  string `json:"text"`
	// Fix says what a person can do about it: a command to copy, or a sentence.
	Fix string `json:"do,omitempty"`
}

// level says how bad a finding is.
type level string

// The levels of findings, as they are printed.
const (
	levelOK      level = "ok"
	levelWarning level = "warning"
	levelError   level = "error"
)

// fine is a finding of something that is as it should be.
func fine(text string) finding { return finding{Level: levelOK, Text: text} }

// warning is a finding of something that may be wrong.
func warning(text, fix string) finding { return finding{levelWarning, text, fix} }

// failure is a finding of something that is wrong.
func failure(text, fix string) finding { return finding{levelError, text, fix} }
