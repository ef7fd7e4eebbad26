package natsstore

import (
	"context"
	"errors"
	"fmt"

	"github.com/chibi-host/chibi/internal/strictjson"
	"github.com/chibi-host/chibi/store"
)

// initialize makes the streams and the format document of a home.
func initialize(ctx context.Context, o store.InitOptions) ([]string, error) {
	o.Options = o.Options.WithDefaults()
	c, err := connect(ctx, o.Options)
	if err != nil {
		return nil, err
	}
	defer c.nc.Close()
	var said []string
	for _, want := range streamsOf(c.layout, o) {
		more, err := makeStream(ctx, stream{c, want.Name}, want)
		said = append(said, more...)
		if err != nil {
			return said, fmt.Errorf("store %s: stream %s: %w", c.place, want.Name, err)
		}
	}
	raised, err := store.RaiseFormat(ctx, newEngine(c, o.Options).docs, o.Options)
	if err != nil {
		return said, fmt.Errorf("store %s: %w", c.place, err)
	}
	if raised != "" {
		said = append(said, raised)
	}
	return said, nil
}

func makeStream(ctx context.Context, s stream, want streamConfig) (said []string, err error) {
	err = s.retry(ctx, func(ctx context.Context) error {
		said = nil
		info, err := s.info(ctx)
		switch {
		case err == nil:
			said = differences(info.Config, want)
			return nil
		case !errors.Is(err, store.ErrNotFound):
			return err
		}
		text, err := strictjson.Encode(want)
		if err != nil {
			return err
		}
		var made streamInfo
		if err := s.call(ctx, "STREAM.CREATE."+want.Name, text, &made); err != nil {
			return makeError(err)
		}
		said = []string{fmt.Sprintf("made stream %s: %s, replicas %d", want.Name, want.Subjects[0], want.Replicas)}
		if want.Name == s.layout.outs() {
			said[0] += fmt.Sprintf(", max_bytes %d, max_age %v", want.MaxBytes, want.MaxAge)
		}
		return nil
	})
	return said, err
}

// makeError says what to do about a stream that could not be made.
func makeError(err error) error {
	var api *apiError
	if !errors.As(err, &api) {
		return err
	}
	switch api.Code {
	case codeNoReplicas:
		return fmt.Errorf("this is a single server, which keeps one copy; use: chibi store init --replicas 1: %w", err)
	case codeStorageFull, codeInsufficient:
		return fmt.Errorf("the servers do not have that much storage for a stream; see their max_file_store: %w", err)
	}
	return err
}
