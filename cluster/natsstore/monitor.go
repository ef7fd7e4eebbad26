package natsstore

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"

	"github.com/chibi-host/chibi/internal/strictjson"
	"github.com/chibi-host/chibi/store"
)

const (
	// monitorTime bounds a request to the monitoring port, monitorBytes its answer.
	monitorTime  = 5 * time.Second
	monitorBytes = 4 << 20
)

// monitored adds a warning if the server acknowledges what is not on its disk, which only
// its monitoring port says.
func (e *engine) monitored(ctx context.Context, s *store.Status) {
	if e.options.Monitor == "" {
		return
	}
	always, err := syncAlways(ctx, e.options.Monitor)
	switch {
	case err != nil:
		s.Warnings = append(s.Warnings, fmt.Sprintf(
			"the monitoring port %s does not say whether what is acknowledged is on the disk: %v", e.options.Monitor, err))
	case !always:
		s.Warnings = append(s.Warnings, "the server acknowledges before what it has stored is on its disk, so a power cut "+
			"loses that; set sync_interval: always in the jetstream section of each server")
	}
}

// syncAlways asks a monitoring port whether the server syncs before it acknowledges.
func syncAlways(ctx context.Context, monitor string) (bool, error) {
	ctx, cancel := context.WithTimeout(ctx, monitorTime)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, strings.TrimSuffix(monitor, "/")+"/jsz", nil)
	if err != nil {
		return false, err
	}
	client := &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	defer client.CloseIdleConnections()
	response, err := client.Do(request)
	if err != nil {
		return false, err
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		return false, fmt.Errorf("it answers %s", response.Status)
	}
	text, err := io.ReadAll(io.LimitReader(response.Body, monitorBytes))
	if err != nil {
		return false, err
	}
	return decodeJSZ(text)
}

// decodeJSZ reads the answer of /jsz.
func decodeJSZ(text []byte) (always bool, err error) {
	var jsz struct {
		Config *struct {
			SyncAlways   bool          `json:"sync_always"`
			SyncInterval time.Duration `json:"sync_interval"`
		} `json:"config"`
	}
	if err := strictjson.Decode(text, &jsz); err != nil {
		return false, err
	}
	if jsz.Config == nil {
		return false, fmt.Errorf("its answer has no configuration of JetStream")
	}
	return jsz.Config.SyncAlways, nil
}
