package doctor

import (
	"context"
	"fmt"
	"time"

	"github.com/chibi-host/chibi/internal/app"
	"github.com/chibi-host/chibi/internal/disk"
)

const maxTemps = 20

// leftovers finds files that killed runs have left on the disk.
func leftovers(ctx context.Context, s *app.Session) (found []finding) {
	trash, err := s.Host.Trash()
	if err != nil {
		found = append(found, failure(err.Error(), ""))
	}
	for _, path := range trash {
		found = append(found, warning(path+" remains of a context whose deletion was interrupted",
			"the next run removes it"))
	}
	temps, err := s.Host.Temps(ctx)
	if err != nil {
		found = append(found, failure(err.Error(), ""))
	}
	temps = append(temps, disk.OwnTemps(time.Now().Add(time.Second))...)
	for _, path := range temps[:min(len(temps), maxTemps)] {
		found = append(found, warning(path+" was left by a run that was killed, or is being written now",
			"nothing to do: once a day, a run removes such files that are older than a day"))
	}
	if more := len(temps) - maxTemps; more > 0 {
		found = append(found, warning(fmt.Sprintf("%d more temporary files were left by runs that were killed", more), ""))
	}
	return found
}
