package doctor

// finding is one result of a check.
type finding struct {
	Level level  `json:"level"`
	Text  string `json:"text"`
	// Fix says how to correct it: a command to copy, or a sentence.
	Fix string `json:"do,omitempty"`
}

// level is the severity of a finding.
type level string

// The levels of findings, as they are printed.
const (
	levelOK      level = "ok"
	levelWarning level = "warning"
	levelError   level = "error"
)

// fine returns a finding without a problem.
func fine(text string) finding { return finding{Level: levelOK, Text: text} }

// warning returns a finding of something that may be wrong.
func warning(text, fix string) finding { return finding{levelWarning, text, fix} }

// failure returns a finding of something that is wrong.
func failure(text, fix string) finding { return finding{levelError, text, fix} }
