package plugin

import "github.com/chibi-host/chibi/merge"

// report hands out notices and records, in the order in which plugins were asked,
// and before them the dispatch as a whole.
func (d *dispatch) report(result merge.Result) {
	if d.host.Fired != nil {
		d.host.Fired(Firing{
			Dispatch: d.id, Point: d.info.Name, Payload: d.payload, Final: result.Payload, Answer: result.Answer,
		})
	}
	effects := result.Effects
	for _, r := range d.replies {
		if r.counted {
			r.take(effects[0])
			effects = effects[1:]
		}
		for _, text := range r.notices {
			d.host.notify(Notice{Plugin: r.plugin.Name, Point: d.info.Name, Event: r.record.Event, Text: text})
		}
		if d.host.Trace != nil {
			d.host.Trace(r.record)
		}
	}
}

// take makes what became of an answer part of the record. A failure stays one,
// whatever was made of it.
func (r *reply) take(e merge.Effect) {
	if e.Outcome != merge.NoEffect && r.record.Result != Failed {
		r.record.Result = Result(e.Outcome)
	}
	r.record.Blocks = e.Decides && e.Outcome == merge.Blocked
	if r.record.Why == "" {
		r.record.Why = e.Why
	}
	r.record.Changed, r.record.Lost = e.Changed, e.Lost
	for _, note := range e.Notes {
		r.remark(note.Text)
		if note.Ignored {
			r.notices = append(r.notices, note.Text+"; ignored")
		}
	}
}

// remark adds a sentence to the record.
func (r *reply) remark(note string) { r.record.Notes = append(r.record.Notes, note) }
