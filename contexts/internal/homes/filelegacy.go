package homes

import (
	"github.com/chibi-host/chibi/contexts/internal/parts"
	"github.com/chibi-host/chibi/internal/disk"
	"github.com/chibi-host/chibi/internal/strictjson"
	"github.com/tidwall/gjson"
)

// migrate brings a context of the original's first versions into today's
// layout: transcript.jsonl becomes the active part of the transcript, and the
// messages of context.json its first entries. The old context.json is kept
// under another name.
func (t *fileTranscript) migrate() error {
	old := t.legacyTranscript()
	if t.hasFile(old) && !t.hasFile(t.entries.log.Active()) {
		if err := disk.Move(t.home.fs, old, t.entries.log.Active()); err != nil {
			return err
		}
	}
	legacy := t.legacyWindow()
	if !t.hasFile(legacy) {
		return nil
	}
	if !t.hasFile(t.file.path()) {
		if err := t.migrateMessages(legacy); err != nil {
			return err
		}
	}
	return disk.Move(t.home.fs, legacy, legacy+".migrated")
}

// legacyTranscript and legacyWindow are the files of the original's first versions.
func (t *fileTranscript) legacyTranscript() string { return t.path("transcript.jsonl") }
func (t *fileTranscript) legacyWindow() string     { return t.path("context.json") }

// maxLegacy bounds the whole conversation that the original's first versions kept in one file, in
// bytes.
const maxLegacy = 16 << 20

// migrateMessages makes entries of the messages in context.json. If the machine
// crashes before the file is renamed, they are replaced, not duplicated, the next
// time.
func (t *fileTranscript) migrateMessages(path string) error {
	data, err := disk.ReadFile(t.home.fs, path, maxLegacy)
	if err != nil {
		return err
	}
	if !strictjson.Valid(data) {
		parts.Report(t.Settings, "%s is damaged; its messages are left out, the file is kept", path)
		return nil
	}
	var entries []parts.Entry
	for _, m := range gjson.GetBytes(data, "messages").Array() {
		text := m.Get("content").String()
		switch m.Get("role").String() {
		case parts.RoleUser:
			entries = append(entries, parts.UserMessage("user", t.Name, text))
		case parts.RoleAssistant:
			entries = append(entries, parts.AssistantMessage(t.Name, text))
		}
	}
	records, err := parts.Encode([]parts.Entry{parts.ContextCreated(t.Name, entries)})
	if err != nil {
		return err
	}
	if err := t.entries.log.Append(records); err != nil {
		return err
	}
	if summary := gjson.GetBytes(data, "summary").String(); summary != "" {
		if err := t.texts().replace(parts.TextSummary, summary); err != nil {
			return err
		}
	}
	_, err = t.rebuild()
	return err
}

// isUnfinished reports whether work is to be finished under the lock: an
// interrupted rotation, or the migration of an old version's files.
func (t *fileTranscript) isUnfinished() bool {
	return t.entries.log.IsInterrupted() || t.hasFile(t.legacyWindow()) ||
		t.hasFile(t.legacyTranscript()) && !t.hasFile(t.entries.log.Active())
}
