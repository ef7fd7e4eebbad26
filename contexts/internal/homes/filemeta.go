package homes

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"

	"github.com/chibi-host/chibi/contexts/internal/parts"
	"github.com/chibi-host/chibi/internal/disk"
	"github.com/chibi-host/chibi/internal/jsonfile"
)

// meta is context_meta.json.
type meta struct {
	// SystemPromptTime is the modification time of system_prompt.md when it was
	// last read, in seconds. SystemPromptSum, which the original does not have,
	// also detects a change within the same second.
	SystemPromptTime   int64  `json:"system_prompt_md_mtime,omitempty"`
	SystemPromptSum    string `json:"system_prompt_sha256,omitempty"`
	LastCombinedPrompt string `json:"last_combined_prompt,omitempty"`
}

// NoteSystemPrompt stores the whole text in context_meta.json.
func (t *fileTranscript) NoteSystemPrompt(combined string) error {
	return t.locked(disk.Lock, func() error {
		before, err := t.readMeta()
		if err != nil {
			return err
		}
		own, err := t.texts().Text(context.Background(), parts.TextSystemPrompt)
		if err != nil {
			return err
		}
		after := meta{LastCombinedPrompt: combined, SystemPromptTime: t.modTime(parts.TextSystemPrompt),
			SystemPromptSum: sumOf(own)}
		if own != "" && after.SystemPromptSum != before.SystemPromptSum {
			records, err := parts.Encode([]parts.Entry{parts.SystemPromptChange(t.Name, own)})
			if err != nil {
				return err
			}
			if _, err := t.entries.record(records); err != nil {
				return err
			}
		}
		if after == before {
			return nil
		}
		return jsonfile.Write(t.metaFile(), after)
	})
}

// sumOf returns the hash of a context's own system prompt, "" if it has none.
func sumOf(own string) string {
	if own == "" {
		return ""
	}
	return fmt.Sprintf("%x", sha256.Sum256([]byte(own)))
}

// metaFile is context_meta.json.
func (c *fileContext) metaFile() jsonfile.File {
	return jsonfile.File{Path: c.path("context_meta.json"), FS: c.home.fs}
}

// readMeta reads context_meta.json; a damaged one counts as empty, as its content is derived.
func (c *fileContext) readMeta() (m meta, err error) {
	m, err = jsonfile.Read[meta](c.metaFile())
	var large *disk.TooLargeError
	if jsonfile.IsDamaged(err) || errors.As(err, &large) {
		parts.Report(c.Settings, "%v; it is rebuilt", err)
		return meta{}, nil
	}
	return m, err
}

// modTime returns when a file of the context was changed, in seconds; 0 if it is
// missing.
func (c *fileContext) modTime(name string) int64 {
	info, err := c.home.fs.Stat(c.path(name))
	if err != nil {
		return 0
	}
	return max(0, info.ModTime().Unix())
}
