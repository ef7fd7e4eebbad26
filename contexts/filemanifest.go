package contexts

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/chibi-host/chibi/internal/disk"
	"github.com/chibi-host/chibi/internal/strictjson"
)

// manifest is transcript/manifest.json: the partitions from the oldest on.
type manifest struct {
	Version    int         `json:"version"`
	Active     string      `json:"active_partition"`
	Partitions []partition `json:"partitions"`
	Policy     policy      `json:"rotation_policy"`
}

// partition is a part of a transcript that is not written any more.
type partition struct {
	File       string  `json:"file"` // from the transcript's folder
	StartTS    int64   `json:"start_ts"`
	EndTS      int64   `json:"end_ts"`
	EntryCount int     `json:"entry_count"`
	TokenCount int     `json:"token_count"`
	BloomFile  *string `json:"bloom_file"` // the original's; we write none
}

// policy notes the bounds at the time of the last rotation. It decides nothing:
// the configuration does.
type policy struct {
	MaxEntries    int   `json:"max_entries"`
	MaxAgeSeconds int64 `json:"max_age_seconds"`
	MaxTokens     int   `json:"max_tokens"`
}

func (c *fileContext) manifestFile() string {
	return filepath.Join(c.transcriptFolder(), "manifest.json")
}

// listPartition adds a partition to the manifest, if it is not there yet.
func (c *fileContext) listPartition(next partition) error {
	m, err := c.readManifest()
	if err != nil {
		return err
	}
	if slices.ContainsFunc(m.Partitions, func(p partition) bool { return p.File == next.File }) {
		return nil
	}
	m.Partitions = append(m.Partitions, next)
	return c.writeManifest(m)
}

func (c *fileContext) writeManifest(m manifest) error {
	bounds := c.store.Storage.withDefaults()
	m.Version, m.Active = 1, "active.jsonl"
	m.Policy = policy{bounds.MaxEntries, int64(bounds.MaxAge.Seconds()), bounds.MaxTokens}
	data, err := json.MarshalIndent(m, "", "  ")
	if err != nil {
		return err
	}
	return disk.Replace(c.home.fs, c.manifestFile(), append(data, '\n'), 0o600)
}

// readManifest reads the manifest and holds it against the folder: a manifest
// that is missing or damaged is made anew, a partition that no manifest names,
// as the original leaves it after a crash, is taken in. Without the lock it
// changes nothing on the disk.
func (c *fileContext) readManifest() (m manifest, err error) {
	data, err := disk.ReadFile(c.home.fs, c.manifestFile(), maxState)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return m, err
	}
	if err == nil && strictjson.Decode(data, &m) != nil {
		m = manifest{}
		if !c.writing {
			c.store.report("%s is damaged; it is kept aside and made anew when it is next written", c.manifestFile())
		} else if err := c.quarantine(c.manifestFile()); err != nil {
			return m, err
		}
	}
	files, err := c.partitionFiles()
	if err != nil {
		return m, err
	}
	known := map[string]bool{}
	for _, p := range m.Partitions {
		known[p.File] = true
	}
	files = slices.DeleteFunc(files, func(name string) bool {
		return known[name] || c.writing &&
			name == c.pendingPartition()
	})
	switch {
	case len(files) == 0:
		return m, nil
	case c.writing:
		return c.adopt(m, files)
	}
	for _, name := range files {
		m.Partitions = append(m.Partitions, partition{File: name})
	}
	m.sort()
	return m, nil
}

// pendingPartition is the partition that a rotation in progress makes.
func (c *fileContext) pendingPartition() string {
	var next partition
	if data, err := disk.ReadFile(c.home.fs, c.intentFile(), maxState); err == nil {
		strictjson.Decode(data, &next)
	}
	return next.File
}

// adopt adds partitions to the manifest that it does not name.
func (c *fileContext) adopt(m manifest, files []string) (manifest, error) {
	c.store.report("%s does not name %s; that is corrected", c.manifestFile(), strings.Join(files, ", "))
	for _, name := range files {
		n, err := c.measure(filepath.Join(c.transcriptFolder(), name))
		if err != nil {
			return m, err
		}
		m.Partitions = append(m.Partitions, partition{
			File: name, StartTS: n.first, EndTS: n.last, EntryCount: n.entries, TokenCount: n.tokens,
		})
	}
	m.sort()
	return m, c.writeManifest(m)
}

func (m *manifest) sort() {
	slices.SortStableFunc(m.Partitions, func(a, b partition) int { return comparePartitions(a.File, b.File) })
}

// partitionName is FIRST-LAST.jsonl, perhaps with a number.
var partitionName = regexp.MustCompile(`^partitions/(\d+)-(\d+)(?:-(\d+))?\.jsonl$`)

// partitionFiles lists the partitions that there are, from the oldest on.
func (c *fileContext) partitionFiles() ([]string, error) {
	entries, err := c.home.fs.ReadDir(filepath.Join(c.transcriptFolder(), "partitions"))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	var files []string
	for _, e := range entries {
		if name := "partitions/" + e.Name(); partitionName.MatchString(name) {
			files = append(files, name)
		}
	}
	slices.SortFunc(files, comparePartitions)
	return files, nil
}

// comparePartitions orders by the numbers in the names; other names come first,
// in their order.
func comparePartitions(a, b string) int {
	ma, mb := partitionName.FindStringSubmatch(a), partitionName.FindStringSubmatch(b)
	for i := 1; ma != nil && mb != nil && i < len(ma); i++ {
		na, _ := strconv.ParseInt(ma[i], 10, 64)
		nb, _ := strconv.ParseInt(mb[i], 10, 64)
		if na != nb {
			return int(min(1, max(-1, na-nb)))
		}
	}
	return 0
}

// quarantine moves a damaged file out of the way and says so.
func (c *fileContext) quarantine(path string) error {
	aside := fmt.Sprintf("%s.damaged-%d", path, c.store.now().UnixNano())
	c.store.report("%s is damaged; it is kept as %s, and made anew", path, filepath.Base(aside))
	return disk.Move(c.home.fs, path, aside)
}

// segments lists the transcript's files from the oldest to the active one. A
// partition that is gone is reported.
func (c *fileContext) segments() ([]segment, error) {
	m, err := c.readManifest()
	if err != nil {
		return nil, err
	}
	var list []segment
	for _, p := range m.Partitions {
		path := filepath.Join(c.transcriptFolder(), p.File)
		if !filepath.IsLocal(p.File) {
			c.store.report("%s names %q, which is outside its folder; it is left out", c.manifestFile(), p.File)
			continue
		}
		if _, err := c.home.fs.Stat(path); errors.Is(err, fs.ErrNotExist) {
			c.store.report("%s is missing; its %d entries are left out", path, p.EntryCount)
			continue
		}
		list = append(list, segment{path: path, start: p.StartTS, end: p.EndTS})
	}
	return append(list, segment{path: c.transcript()}), nil
}
