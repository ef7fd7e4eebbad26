package natsstore

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/chibi-host/chibi/internal/strictjson"
	"github.com/chibi-host/chibi/store"
)

// initialize makes the streams and the format document of a home. It makes no part of a thing that
// it cannot make as a whole.
func initialize(ctx context.Context, o store.InitOptions) ([]string, error) {
	o.Options = o.Options.WithDefaults()
	c, err := connect(ctx, o.Options)
	if err != nil {
		return nil, err
	}
	defer c.nc.Close()
	m := maker{connection: c, options: o}
	if err = m.make(ctx); err != nil {
		if !errors.Is(err, store.ErrUnavailable) { // after which a repeated call goes on
			m.undo(ctx)
		}
		err = fmt.Errorf("store %s: %w", c.place, err)
	}
	return m.said, err
}

// maker makes a home.
type maker struct {
	*connection
	options store.InitOptions
	said    []string
	made    []madeStream
}

// madeStream is a stream that was made, and how chibi reports it.
type madeStream struct {
	stream
	said string
}

func (m *maker) make(ctx context.Context) error {
	for _, want := range streamsOf(m.layout, m.options) {
		if err := m.makeStream(ctx, stream{m.connection, want.Name}, want); err != nil {
			return fmt.Errorf("stream %s: %w", want.Name, err)
		}
	}
	raised, err := store.RaiseFormat(ctx, newEngine(m.connection, m.options.Options).docs, m.options.Options)
	if raised != "" {
		m.said = append(m.said, raised)
	}
	return err
}

func (m *maker) makeStream(ctx context.Context, s stream, want streamConfig) error {
	var differs []string
	var noRoom time.Time // since when the servers have had no room
	made := ""
	err := s.retry(ctx, func(ctx context.Context) error {
		info, err := s.info(ctx)
		switch {
		case err == nil:
			differs = differences(info.Config, want)
			return nil
		case !errors.Is(err, store.ErrNotFound):
			return err
		}
		text, err := strictjson.Encode(want)
		if err != nil {
			return err
		}
		var created streamInfo
		if err := s.call(ctx, "STREAM.CREATE."+want.Name, text, &created); err != nil {
			return makeError(err, want, &noRoom)
		}
		made = fmt.Sprintf("made stream %s: %s, replicas %d", want.Name, want.Subjects[0], want.Replicas)
		if want.Name == s.layout.outs() {
			made += fmt.Sprintf(", max_bytes %d, max_age %v", want.MaxBytes, want.MaxAge)
		}
		return nil
	})
	m.said = append(m.said, differs...)
	if made != "" {
		m.said, m.made = append(m.said, made), append(m.made, madeStream{s, made})
	}
	return err
}

// undoTime bounds the removal of what was made in vain.
const undoTime = 5 * time.Second

// undo removes the streams that were made, in which is nothing.
func (m *maker) undo(ctx context.Context) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), undoTime)
	defer cancel()
	for _, s := range m.made {
		info, err := s.info(ctx)
		if err != nil || info.State.Messages > 0 {
			continue
		}
		var done struct {
			Success bool `json:"success"`
		}
		if err := s.call(ctx, "STREAM.DELETE."+s.name, nil, &done); err == nil && done.Success {
			m.said = slices.DeleteFunc(m.said, func(text string) bool { return text == s.said })
		}
	}
}

// roomTime is how long servers that say that they have no room are asked again: servers that have
// just been started do not know yet what the others have.
const roomTime = 3 * time.Second

// makeError says what to do about a stream that could not be made. noRoom is since when the servers
// have said that they have no room for it.
func makeError(err error, want streamConfig, noRoom *time.Time) error {
	var api *apiError
	if !errors.As(err, &api) {
		return err
	}
	switch api.Code {
	case codeNoReplicas:
		return fmt.Errorf("this is a single server, which keeps one copy; use: chibi store init --replicas 1: %w", err)
	case codeMaxStreams:
		return fmt.Errorf("a home has three streams, and the account may not have as many; raise its max_streams: %w", err)
	case codeStorageFull, codeInsufficient, codeAccountFull:
		return noRoomError(err, want)
	case codeNoPeers:
		if !strings.Contains(api.Description, "insufficient storage") || strings.Contains(api.Description, "offline") {
			return err
		}
		if noRoom.IsZero() {
			*noRoom = time.Now()
		}
		if time.Since(*noRoom) < roomTime {
			return err
		}
		return noRoomError(err, want)
	}
	return err
}

// noRoomError says how much room was asked for, and how to ask for less.
func noRoomError(err error, want streamConfig) error {
	if want.MaxBytes <= 0 {
		return &explained{fmt.Sprintf("there is no room for it: %v", err), store.ErrTooLarge}
	}
	return &explained{fmt.Sprintf("there is no room for %d bytes of cached outputs with %d replicas; ask for fewer with "+
		"--max-output-bytes, or raise max_file_store of the servers and max_file of the account: %v",
		want.MaxBytes, want.Replicas, err), store.ErrTooLarge}
}
