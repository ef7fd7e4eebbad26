package cli

import (
	"fmt"
	"time"

	"github.com/chibi-host/chibi/internal/disk"
)

// remains tells what runs that were killed have left on the disk.
func (d *doctor) remains() {
	trash, err := d.Store.Trash()
	if err != nil {
		d.add("error", err.Error(), "")
	}
	for _, path := range trash {
		d.add("warning", path+" is what is left of a context that was being deleted", "the next run removes it")
	}
	temps, err := d.Store.Temps()
	if err != nil {
		d.add("error", err.Error(), "")
	}
	temps = append(temps, disk.OwnTemps(time.Now().Add(time.Second))...)
	for i, path := range temps {
		if i == 20 {
			d.add("warning", fmt.Sprintf("%d more temporary files were left by runs that were killed", len(temps)-i), "")
			break
		}
		d.add("warning", path+" was left by a run that was killed, or is being written now",
			"nothing to do: once a day, a run removes those that are a day old")
	}
}
