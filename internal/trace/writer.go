package trace

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"sync"
	"time"

	"github.com/chibi-host/chibi/agent"
	"github.com/chibi-host/chibi/hookpoints"
	"github.com/chibi-host/chibi/internal/clip"
	"github.com/chibi-host/chibi/plugin"
	"github.com/tidwall/gjson"
)

// maxPending bounds the lines of a turn that is not over, in bytes. Of a larger
// turn the oldest lines are written without their texts.
const maxPending = 8 << 20

// Writer writes the lines of one run. It is safe for concurrent use.
//
// The lines of a turn are written when it is over: until then a plugin may remove
// words from a text, and no line of the turn keeps those.
type Writer struct {
	// Run identifies the run.
	Run string
	// Redact removes secrets; nil removes nothing.
	Redact *Redactor
	// KeepOriginal keeps what plugins removed from texts.
	KeepOriginal bool
	// Dispatched is added to the numbers of dispatches: where several processes write one run,
	// each has another one.
	Dispatched int64
	// Before is how many turns of the run other processes have written.
	Before int

	mu      sync.Mutex
	context string
	turn    int
	out     []io.Writer
	held    [][]byte // lines for an output that is not open yet
	holding bool

	pending []Line  // of the turn that is not over
	size    int     // of these, approximately
	changes []fired // of the latest dispatches
	latest  received
	removed removed // what plugins took out of texts in this turn
	earlier removed // what they took out of arguments in earlier ones
	ran     ran
	turns   turns
	places  places
}

type fired struct {
	dispatch  int64
	changes   []change
	isChanged bool
}

// maxFired bounds the dispatches that are remembered for their records, maxUnchanged the ones that
// changed nothing.
const maxFired, maxUnchanged = 64, 32 // more than run at once

// To adds an output for all lines from now on.
func (w *Writer) To(out io.Writer) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.out, w.latest = append(w.out, out), received{}
}

// Hold keeps lines until [Writer.Release] gives their output.
func (w *Writer) Hold() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.holding = true
}

// Release adds an output for all lines, including those that were kept. The error comes from the
// output.
func (w *Writer) Release(out io.Writer) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	held := w.held
	w.held, w.holding = nil, false
	w.out = append(w.out, out)
	for _, line := range held {
		if _, err := out.Write(line); err != nil {
			return err
		}
	}
	return nil
}

// Context sets the conversation of the lines from now on.
func (w *Writer) Context(name string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.context = name
	w.places.add(name)
}

// gone returns what no line of the turn keeps.
func (w *Writer) gone() removed { return w.removed.and(&w.earlier, &w.ran) }

// place returns the conversation of the lines at present.
func (w *Writer) place() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.context
}

// Fired takes a dispatch: texts that plugins changed in it are kept only in their
// final form. Its records come after it.
func (w *Writer) Fired(f plugin.Firing) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.KeepOriginal || f.HidesNothing || !w.isRead() {
		return
	}
	f.Dispatch += w.Dispatched
	changes := changesOf(f)
	one := fired{dispatch: f.Dispatch, changes: changes}
	for i, c := range changes {
		if c.is {
			one.isChanged = true
			w.removed.add(words(c.before), words(c.after))
		}
		if c.is && f.Point == hookpoints.PreTool.Name {
			w.ran.add(words(c.after))
		}
		if c.is && f.Point == hookpoints.PreMessage.Name && f.Agent == "" {
			w.changePrompt(c)
		}
		changes[i].before = nil
	}
	w.changes = append(w.changes, one)
	w.forget()
}

// forget drops the oldest dispatches: their records have come.
func (w *Writer) forget() {
	unchanged := 0
	for i := len(w.changes) - 1; i >= 0; i-- {
		if !w.changes[i].isChanged {
			unchanged++
		}
		if !w.changes[i].isChanged && unchanged > maxUnchanged || len(w.changes)-i > maxFired {
			w.changes = slices.Delete(w.changes, i, i+1)
		}
	}
}

func (w *Writer) changesIn(dispatch int64) []change {
	for i := len(w.changes) - 1; i >= 0; i-- {
		if w.changes[i].dispatch == dispatch {
			return w.changes[i].changes
		}
	}
	return nil
}

func (w *Writer) changePrompt(c change) {
	for i := len(w.pending) - 1; i >= 0; i-- {
		step := w.pending[i].Step
		if step == nil || step.Kind != agent.EventPrompt {
			continue
		}
		final := *step
		final.Text = gjson.ParseBytes(c.after).String()
		w.pending[i].Step = &final
		w.pending[i].Withheld = append(w.pending[i].Withheld,
			Withheld{Path: "/text", Was: length(c.before), Is: length(c.after)})
		return
	}
}

// Record writes what one plugin did.
func (w *Writer) Record(r plugin.Record) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	r.Dispatch += w.Dispatched
	l := Line{Record: &r}
	if w.isRead() {
		l.Messages, l.Options = messagesChanged(&r), optionsOf(&r)
	}
	changes := w.changesIn(r.Dispatch)
	for _, c := range changes { // what one plugin answered, another may have taken out
		if text := c.earlier(r.Answer); text != nil {
			w.removed.add(words(text), words(c.after))
		}
	}
	for _, doc := range []*json.RawMessage{&r.Payload, &r.Answer} {
		if len(*doc) > maxPayload {
			*doc = nil
		}
		for _, c := range changes {
			text := c.earlier(*doc)
			if text == nil {
				continue
			}
			*doc = c.hide(*doc)
			withheld := Withheld{Path: c.path(), Was: length(text), Is: length(c.after)}
			if !slices.Contains(l.Withheld, withheld) {
				l.Withheld = append(l.Withheld, withheld)
			}
		}
	}
	if r.Async {
		l.Context = w.places.at(r.Time)
	}
	if r.Async && r.Time.Before(w.turns.now.at) && w.isRead() {
		l.Run, l.At = w.Run, time.Now()
		return w.write(w.turns.late(l, w.KeepOriginal))
	}
	return w.add(l)
}

// Step writes a step. A prompt begins a turn, an answer or an error ends it.
func (w *Writer) Step(s agent.Event) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if s.Kind == agent.EventRewritten {
		for _, r := range s.Rewritten {
			if w.KeepOriginal {
				break
			}
			w.earlier.add(words([]byte(r.Before)), words([]byte(r.After)))
		}
		return nil
	}
	if !s.Kind.IsTraced() {
		return nil
	}
	var err error
	if s.Kind == agent.EventPrompt {
		if w.turn > 0 {
			err = w.flush()
		}
		w.turns.next(w.gone())
		w.turn++
		w.removed, w.earlier, w.ran, w.changes, w.latest = removed{}, removed{}, ran{}, nil, received{}
	}
	err = errors.Join(err, w.add(Line{Step: &s}))
	if s.Kind == agent.EventAnswer || s.Kind == agent.EventError {
		err = errors.Join(err, w.flush())
	}
	return err
}

// Close writes the pending lines.
func (w *Writer) Close() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.flush()
}

func (w *Writer) isRead() bool { return len(w.out) > 0 || w.holding }

func (w *Writer) add(l Line) error {
	if !w.isRead() {
		return nil
	}
	l.Run, l.Turn, l.Context, l.At = w.Run, w.Before+w.turn, cmp.Or(l.Context, w.context), time.Now()
	w.latest.share(&l)
	w.pending = append(w.pending, l)
	w.size += sizeOf(l)
	if w.KeepOriginal {
		return w.flush()
	}
	if w.size > maxPending {
		return w.shed()
	}
	return nil
}

func sizeOf(l Line) int {
	if l.Step != nil {
		size := 512 + len(l.Step.Text)
		if l.Step.Call != nil {
			size += len(l.Step.Call.Failure)
		}
		return size
	}
	return 512 + len(l.Payload) + len(l.Answer)
}

// shed writes the older half of the pending lines, without the texts, from which a
// plugin may still remove words.
func (w *Writer) shed() error {
	half := (len(w.pending) + 1) / 2
	var err error
	for _, l := range w.pending[:half] {
		w.size -= sizeOf(l)
		err = errors.Join(err, w.write(l.withoutTexts()))
	}
	w.pending = append([]Line(nil), w.pending[half:]...)
	return err
}

func (w *Writer) flush() error {
	var err error
	gone := w.gone()
	for _, l := range w.pending {
		if !gone.isEmpty() {
			l = l.without(&gone)
		}
		err = errors.Join(err, w.write(l))
	}
	w.pending, w.size = nil, 0
	return err
}

// clipped returns a step whose texts fit a line.
func clipped(s *agent.Event) *agent.Event {
	if s == nil || len(s.Text) <= maxPayload && (s.Call == nil || len(s.Call.Failure) <= maxPayload) {
		return s
	}
	step := *s
	if len(step.Text) > maxPayload {
		step.Text = clip.Bytes(step.Text, maxPayload) + "..."
	}
	if step.Call != nil && len(step.Call.Failure) > maxPayload {
		call := *step.Call
		call.Failure = clip.Bytes(call.Failure, maxPayload) + "..."
		step.Call = &call
	}
	return &step
}

func (w *Writer) write(l Line) error {
	l.Step = clipped(l.Step)
	line, err := plugin.JSON(l)
	if err != nil {
		return fmt.Errorf("writing the trace: %w", err)
	}
	if w.Redact != nil {
		line = w.Redact.Line(line)
	}
	line = append(line, '\n')
	if w.holding {
		w.held = append(w.held, line)
	}
	for _, out := range w.out {
		if _, err := out.Write(line); err != nil {
			return fmt.Errorf("writing the trace: %w", err)
		}
	}
	return nil
}
