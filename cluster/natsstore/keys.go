package natsstore

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/nats-io/nats.go"

	"github.com/chibi-host/chibi/internal/strictjson"
	"github.com/chibi-host/chibi/store"
)

// maxSubjects bounds how many subjects of a stream are read, as one with more would not fit into
// the memory that a server has for it.
const maxSubjects = 20_000_000

// Keys asks the leader for the subjects of the stream. Those of documents that were removed are
// among them until their marks end.
func (d documents) Keys(ctx context.Context, prefix string, each func(string) bool) (err error) {
	if err := store.CheckPrefix(prefix); err != nil {
		return err
	}
	defer about(&err, "documents", prefix)
	subjects, err := d.subjects(ctx, d.layout.under(prefix))
	if err != nil {
		return err
	}
	slices.Sort(subjects)
	for _, subject := range subjects {
		key, ok := strings.CutPrefix(subject, d.layout.docPrefix())
		if !ok || !strings.HasPrefix(key, prefix) || store.CheckKey(key) != nil || isReserved(key) {
			continue
		}
		if !each(key) {
			break
		}
	}
	return nil
}

// subjectPage is what the leader says of some of the subjects of a stream.
type subjectPage struct {
	Error *apiError `json:"error"`
	State struct {
		Subjects map[string]uint64 `json:"subjects"`
	} `json:"state"`
	Total int `json:"total"`
}

// subjects lists the subjects of a filter that have a message. The server sends up to 100,000 of
// them in one answer; if their number changes between two answers, one may be missing.
func (s stream) subjects(ctx context.Context, filter string) (all []string, err error) {
	err = s.retry(ctx, func(ctx context.Context) error {
		all = nil
		for total := 1; len(all) < min(total, maxSubjects); {
			page, err := s.subjectsFrom(ctx, filter, len(all))
			switch {
			case err != nil:
				return err
			case len(page.State.Subjects) == 0:
				return nil
			case len(all) > 0 && page.Total != total:
				return &passing{"documents are made or removed all the time"}
			}
			all, total = slices.AppendSeq(all, maps.Keys(page.State.Subjects)), page.Total
		}
		return nil
	})
	return all, err
}

// subjectsFrom asks once for the subjects behind the first ones.
func (s stream) subjectsFrom(ctx context.Context, filter string, offset int) (page subjectPage, err error) {
	request, err := strictjson.Encode(map[string]any{"subjects_filter": filter, "offset": offset})
	if err != nil {
		return page, err
	}
	got, err := s.ask(ctx, &nats.Msg{Subject: api + "STREAM.INFO." + s.name, Data: request})
	if err != nil {
		return page, err
	}
	if err := strictjson.Decode(got.Data, &page); err != nil {
		return page, fmt.Errorf("the server's answer: %w", err)
	}
	if page.Error != nil {
		return page, page.Error
	}
	return page, nil
}
