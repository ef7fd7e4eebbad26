package transcript

import (
	"errors"
	"io/fs"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/chibi-host/chibi/internal/jsonfile"
)

// manifest is transcript/manifest.json: the partitions, the oldest first.
type manifest struct {
	Version    int         `json:"version"`
	Active     string      `json:"active_partition"`
	Partitions []partition `json:"partitions"`
	Policy     policy      `json:"rotation_policy"`
}

// partition is a part of a transcript that is no longer written.
type partition struct {
	File       string  `json:"file"` // from the transcript's directory
	StartTS    int64   `json:"start_ts"`
	EndTS      int64   `json:"end_ts"`
	EntryCount int     `json:"entry_count"`
	TokenCount int     `json:"token_count"`
	BloomFile  *string `json:"bloom_file"` // the original's; we write none
}

// policy records the bounds at the time of the last rotation. It has no effect: the
// configuration is used.
type policy struct {
	MaxEntries    int   `json:"max_entries"`
	MaxAgeSeconds int64 `json:"max_age_seconds"`
	MaxTokens     int   `json:"max_tokens"`
}

func (p Place) manifestFile() string { return filepath.Join(p.Dir(), "manifest.json") }

// list adds a partition to the manifest, if it is not in it yet.
func (l *Log) list(next partition) error {
	m, err := l.readManifest()
	if err != nil {
		return err
	}
	if slices.ContainsFunc(m.Partitions, func(p partition) bool { return p.File == next.File }) {
		return nil
	}
	m.Partitions = append(m.Partitions, next)
	return l.place.writeManifest(m)
}

func (p Place) writeManifest(m manifest) error {
	bounds := p.Bounds()
	m.Version, m.Active = 1, "active.jsonl"
	m.Policy = policy{bounds.MaxEntries, int64(bounds.MaxAge.Seconds()), bounds.MaxTokens}
	return jsonfile.Write(p.json(p.manifestFile()), m)
}

// readManifest reads the manifest and compares it with the directory: a manifest
// that is missing or damaged is rebuilt, and a partition that it does not name, as
// the original may leave after a crash, is added. Without the lock it changes
// nothing on disk.
func (l *Log) readManifest() (m manifest, err error) {
	path := l.place.manifestFile()
	m, err = jsonfile.Read[manifest](l.place.json(path))
	if err != nil && !jsonfile.IsDamaged(err) {
		return m, err
	}
	if err != nil {
		m = manifest{}
		if !l.writing {
			l.place.Report("%s is damaged; it is kept aside and rebuilt when it is next written", path)
		} else if err := l.place.json(path).SetAside(); err != nil {
			return m, err
		}
	}
	files, err := l.place.partitionFiles()
	if err != nil {
		return m, err
	}
	known := map[string]bool{}
	for _, p := range m.Partitions {
		known[p.File] = true
	}
	files = slices.DeleteFunc(files, func(name string) bool {
		return known[name] || l.writing && name == l.place.pendingPartition()
	})
	switch {
	case len(files) == 0:
		return m, nil
	case l.writing:
		return l.place.adopt(m, files)
	}
	for _, name := range files {
		m.Partitions = append(m.Partitions, partition{File: name})
	}
	m.sort()
	return m, nil
}

// pendingPartition returns the partition of a rotation in progress.
func (p Place) pendingPartition() string {
	next, _ := jsonfile.Read[partition](p.json(p.intentFile()))
	return next.File
}

// adopt adds partitions to the manifest that it does not name.
func (p Place) adopt(m manifest, files []string) (manifest, error) {
	p.Report("%s does not name %s; that is corrected", p.manifestFile(), strings.Join(files, ", "))
	for _, name := range files {
		n, err := p.measure(filepath.Join(p.Dir(), name))
		if err != nil {
			return m, err
		}
		m.Partitions = append(m.Partitions, partition{
			File: name, StartTS: n.first, EndTS: n.last, EntryCount: n.entries, TokenCount: n.tokens,
		})
	}
	m.sort()
	return m, p.writeManifest(m)
}

// sort puts the oldest partition first. Files with other names come before all of them,
// in their order.
func (m *manifest) sort() {
	slices.SortStableFunc(m.Partitions, func(a, b partition) int { return comparePartitions(a.File, b.File) })
}

// partitionFiles lists the existing partitions, the oldest first.
func (p Place) partitionFiles() ([]string, error) {
	entries, err := p.FS.ReadDir(filepath.Join(p.Dir(), "partitions"))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	var files []string
	for _, e := range entries {
		name := "partitions/" + e.Name()
		if _, ok := partitionNumbers(name); ok {
			files = append(files, name)
		}
	}
	slices.SortFunc(files, comparePartitions)
	return files, nil
}

// comparePartitions orders partitions by the numbers in their names.
func comparePartitions(a, b string) int {
	numbersA, _ := partitionNumbers(a)
	numbersB, _ := partitionNumbers(b)
	return slices.Compare(numbersA, numbersB)
}

// partitionNumbers returns the numbers in the name of a partition, which is FIRST-LAST.jsonl,
// perhaps with a number after LAST; see freePartitionName.
func partitionNumbers(file string) (numbers []int64, ok bool) {
	name, isPartition := strings.CutPrefix(file, "partitions/")
	name, isLog := strings.CutSuffix(name, ".jsonl")
	parts := strings.Split(name, "-")
	if !isPartition || !isLog || len(parts) < 2 || len(parts) > 3 {
		return nil, false
	}
	for _, part := range parts {
		if part == "" || strings.Trim(part, "0123456789") != "" {
			return nil, false
		}
		n, _ := strconv.ParseInt(part, 10, 64) // one that is too large is the largest
		numbers = append(numbers, n)
	}
	return numbers, true
}
