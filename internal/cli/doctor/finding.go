package doctor

type finding struct {
	Level level  `json:"level"`
	Text  string `json:"text"`
	// Fix says how to correct it: a command to copy, or a sentence.
	Fix string `json:"do,omitempty"`
}

type level string

// The levels of findings, as they are printed.
const (
	levelOK      level = "ok"
	levelWarning level = "warning"
	levelError   level = "error"
)

func fine(text string) finding { return finding{Level: levelOK, Text: text} }

func warning(text, fix string) finding { return finding{levelWarning, text, fix} }

func failure(text, fix string) finding { return finding{levelError, text, fix} }
