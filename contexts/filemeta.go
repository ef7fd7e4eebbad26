package contexts

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"path/filepath"

	"github.com/chibi-host/chibi/internal/disk"
	"github.com/chibi-host/chibi/internal/jsonfile"
)

// meta is context_meta.json.
type meta struct {
	// SystemPromptTime is the time of system_prompt.md when it was last looked
	// at, in seconds; SystemPromptSum is ours and notices a change within the
	// same second too.
	SystemPromptTime   int64  `json:"system_prompt_md_mtime,omitempty"`
	SystemPromptSum    string `json:"system_prompt_sha256,omitempty"`
	LastCombinedPrompt string `json:"last_combined_prompt,omitempty"`
}

// noteSystemPrompt keeps the whole text in context_meta.json.
func (c *fileContext) noteSystemPrompt(combined string) error {
	return c.locked(disk.Lock, func() error {
		before, err := c.readMeta()
		if err != nil {
			return err
		}
		own, err := c.text(context.Background(), textSystemPrompt)
		if err != nil {
			return err
		}
		after := meta{LastCombinedPrompt: combined, SystemPromptTime: c.modTime(textSystemPrompt),
			SystemPromptSum: sumOf(own)}
		if own != "" && after.SystemPromptSum != before.SystemPromptSum {
			if err := c.noteChange(own); err != nil {
				return err
			}
		}
		if after == before {
			return nil
		}
		data, err := json.MarshalIndent(after, "", "  ")
		if err != nil {
			return err
		}
		return disk.Replace(c.home.fs, c.metaFile(), append(data, '\n'), 0o600)
	})
}

// sumOf is the hash of a context's own system prompt, "" if it has none.
func sumOf(own string) string {
	if own == "" {
		return ""
	}
	sum := sha256.Sum256([]byte(own))
	return hex.EncodeToString(sum[:])
}

// noteChange puts a new system prompt into the transcript, not into the window.
func (c *fileContext) noteChange(text string) error {
	records, err := encode([]Entry{systemPromptChange(c.name, text)})
	if err != nil {
		return err
	}
	_, err = c.record(records)
	return err
}

func (c *fileContext) metaFile() string { return filepath.Join(c.folder(), "context_meta.json") }

// readMeta reads the file; a damaged one counts as empty, as all of it is
// derived.
func (c *fileContext) readMeta() (m meta, err error) {
	m, err = jsonfile.Read[meta](jsonfile.File{Path: c.metaFile(), FS: c.home.fs, Max: maxState})
	var damaged *jsonfile.DamagedError
	var large *disk.TooLargeError
	if errors.As(err, &damaged) || errors.As(err, &large) {
		c.store.report("%v; it is made anew", err)
		return meta{}, nil
	}
	return m, err
}

// modTime is when a file of the context was changed, in seconds; 0 if it is
// missing.
func (c *fileContext) modTime(name string) int64 {
	info, err := c.home.fs.Stat(filepath.Join(c.folder(), name))
	if err != nil {
		return 0
	}
	return max(0, info.ModTime().Unix())
}
