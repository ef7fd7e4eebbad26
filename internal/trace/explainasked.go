package trace

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/chibi-host/chibi/hookpoints"
	"github.com/chibi-host/chibi/plugin"
	"github.com/dustin/go-humanize/english"
)

// silent returns a sentence about why no plugin was asked at a point.
func (e explanation) silent(point hookpoints.Name) string {
	var names []string
	for _, p := range e.loaded.Plugins {
		if slices.Contains(p.Points, point) {
			names = append(names, strconv.Quote(p.Name))
		}
	}
	switch {
	case len(names) > 0:
		return fmt.Sprintf("%s did not happen in this turn; plugins with a hook there: %s.", point, strings.Join(names, ", "))
	case e.loaded.Plugins != nil:
		return fmt.Sprintf("No plugin was asked at %s: none has a hook there.", point)
	}
	return fmt.Sprintf("No plugin was asked at %s.", point)
}

func asked(point hookpoints.Name, firings ...*firing) string {
	var names []string
	for _, f := range firings {
		if f == nil {
			continue
		}
		for _, l := range f.lines {
			if l.Result != plugin.Skipped {
				names = addName(names, strconv.Quote(l.Plugin))
			}
		}
	}
	switch len(names) {
	case 0:
		return "no plugin was asked at " + string(point)
	case 1:
		return fmt.Sprintf("plugin %s was asked at %s", names[0], point)
	}
	return fmt.Sprintf("these %d plugins were asked at %s: %s", len(names), point, strings.Join(names, ", "))
}

func (e explanation) askedAt(points ...hookpoints.Name) string {
	const place = "\x00" // of the points
	at := map[string][]string{}
	var texts []string
	for _, point := range points {
		text := asked(place, e.at(point)...)
		texts = addName(texts, text)
		at[text] = append(at[text], string(point))
	}
	for i, text := range texts {
		where := english.WordSeries(at[text], "and")
		if strings.HasPrefix(text, "no ") {
			where = strings.Join(at[text], " or ")
		}
		texts[i] = strings.Replace(text, place, where, 1)
	}
	return strings.Join(texts, "; ")
}
