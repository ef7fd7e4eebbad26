package homes

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/chibi-host/chibi/contexts/internal/parts"
	"github.com/chibi-host/chibi/internal/clip"
	"github.com/chibi-host/chibi/internal/strictjson"
	"github.com/chibi-host/chibi/store"
)

// sharedTexts are the texts of a context, a document each. While the lock is held they
// are read together, once.
type sharedTexts struct{ *sharedContext }

// textCombined is the document with the whole last system prompt: a meta as JSON.
const textCombined = "combined_prompt"

// textKey returns the key of a text, such as text.ID.local_toml.
func textKey(id, name string) string {
	if name == parts.TextFailedMail {
		return prefixFailed + id // by itself: a turn that reads the texts does not need it
	}
	return prefixText + id + "." + strings.ReplaceAll(strings.TrimSuffix(name, ".md"), ".", "_")
}

func (t sharedTexts) Text(ctx context.Context, name string) (string, error) {
	if name == parts.TextSummary {
		return t.summary(ctx)
	}
	id, err := t.find(ctx)
	if err != nil || id == "" {
		return "", err
	}
	d, err := t.read(ctx, textKey(id, name))
	return string(d.Data), err
}

// summary reads the anchor with which the window begins.
func (t sharedTexts) summary(ctx context.Context) (string, error) {
	w, err := windows(t).look(ctx, 1)
	if err != nil {
		return "", err
	}
	return w.summary(), nil
}

// read returns a document; one that is missing has no revision.
func (t sharedTexts) read(ctx context.Context, key string) (store.Doc, error) {
	if !t.isHeld() || strings.HasPrefix(key, prefixFailed) {
		return t.home.get(ctx, key)
	}
	if t.texts == nil {
		texts, err := t.home.textsOf(ctx, t.id)
		if err != nil {
			return store.Doc{}, err
		}
		t.texts = texts
	}
	return t.texts[key], nil
}

// textsOf reads the texts of a context, by their keys.
func (h *sharedHome) textsOf(ctx context.Context, id string) (map[string]store.Doc, error) {
	texts := map[string]store.Doc{}
	return texts, h.engine.Docs.List(ctx, prefixText+id+".", func(d store.Doc) bool {
		texts[d.Key] = d
		return true
	})
}

// get reads a document; one that is missing has no revision.
func (h *sharedHome) get(ctx context.Context, key string) (store.Doc, error) {
	d, err := h.engine.Docs.Get(ctx, key)
	if errors.Is(err, store.ErrNotFound) {
		return store.Doc{Key: key}, nil
	}
	return d, err
}

// put stores a document if it has the revision of d, or removes it if the text is empty.
func (h *sharedHome) putText(ctx context.Context, d store.Doc, key, text string) (store.Doc, error) {
	data := []byte(text)
	if text == "" {
		data = nil
	}
	if data == nil && d.Rev == 0 {
		return d, nil
	}
	rev, err := h.engine.Docs.Put(ctx, key, data, d.Rev)
	switch {
	case errors.Is(err, store.ErrTooLarge):
		return d, fmt.Errorf("a text of %d bytes: %w", len(text), err)
	case err != nil:
		return d, err
	case data == nil:
		rev = 0
	}
	return store.Doc{Key: key, Rev: rev, Data: data}, nil
}

func (t sharedTexts) SetText(name, text string) error {
	return t.ChangeText(name, func(string) (string, error) { return text, nil })
}

// ChangeText puts what change makes of the text, again if somebody else was first.
func (t sharedTexts) ChangeText(name string, change func(old string) (string, error)) error {
	ctx := context.Background()
	id, err := t.make(ctx)
	if err != nil {
		return err
	}
	key := textKey(id, name)
	for range maxTries {
		old, err := t.read(ctx, key)
		if err != nil {
			return err
		}
		text, err := change(string(old.Data))
		if err != nil {
			return err
		}
		stored, err := t.home.putText(ctx, old, key, text)
		if err == nil && t.texts != nil {
			t.texts[key] = stored
		}
		if !errors.Is(err, store.ErrConflict) {
			return err
		}
		t.texts = nil
	}
	return store.ErrConflict
}

// combined reads what is known of the last system prompt. A damaged document counts as
// empty.
func (t sharedTexts) combined(ctx context.Context) (m meta, err error) {
	text, err := t.Text(ctx, textCombined)
	if err == nil && text != "" && strictjson.Decode([]byte(text), &m) != nil {
		parts.Report(t.Settings, "context %q: the document of the last system prompt is damaged; it is rebuilt", t.Name)
		return meta{}, nil
	}
	return m, err
}

// maxCombined is how much of a system prompt is kept that is too large for a document, in
// bytes.
const maxCombined = 256 << 10

// setCombined stores what is known of the last system prompt.
func (t sharedTexts) setCombined(m meta) error {
	text, err := json.Marshal(m)
	if err == nil {
		err = t.SetText(textCombined, string(text))
	}
	if errors.Is(err, store.ErrTooLarge) && len(m.LastCombinedPrompt) > maxCombined {
		m.LastCombinedPrompt = clip.Bytes(m.LastCombinedPrompt, maxCombined)
		return t.setCombined(m)
	}
	return err
}

// keyReflection is the document of the model's notes about itself.
const keyReflection = "prompt." + parts.PromptReflection

// Prompt reads the reflection, or another prompt, which is this machine's.
func (t sharedTexts) Prompt(ctx context.Context, name string) (string, error) {
	if name != parts.PromptReflection {
		return t.home.host.read(t.home.host.promptFile(name))
	}
	if d := t.ahead.reflection; d != nil {
		t.ahead.reflection = nil
		return string(d.Data), nil
	}
	d, err := t.home.get(ctx, keyReflection)
	return string(d.Data), err
}

func (t sharedTexts) SetPrompt(_, text string) error {
	t.ahead.reflection = nil
	ctx := context.Background()
	for range maxTries {
		d, err := t.home.get(ctx, keyReflection)
		if err != nil {
			return err
		}
		if _, err = t.home.putText(ctx, d, keyReflection, text); !errors.Is(err, store.ErrConflict) {
			return err
		}
	}
	return store.ErrConflict
}
