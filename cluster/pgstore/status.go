package pgstore

import (
	"context"
	"fmt"
	"math"
	"time"

	"github.com/chibi-host/chibi/store"
)

type reporter struct{ *db }

func (d reporter) status(ctx context.Context) (_ store.Status, err error) {
	defer about(&err, "home", d.target.home)
	s := store.Status{URL: d.target.String(), Home: d.target.home}
	if _, err := d.run(ctx, "select"); err != nil { // which connects
		return s, err
	}
	begin := time.Now()
	if _, err := d.run(ctx, `select from {s}.doc where key = $1`, text(store.FormatKey)); err != nil {
		return s, err
	}
	s.RoundTrip = time.Since(begin)
	s.Format, _ = d.notes.of()
	for _, step := range []func(context.Context, *store.Status) error{d.describeServer, d.describeStandbys,
		d.describeParts,
		d.describePush} {
		if err := step(ctx, &s); err != nil {
			return s, err
		}
	}
	s.Warnings = append(s.Warnings, d.warningsOfURL()...)
	return s, nil
}

// describeServer adds the version, and the settings that endanger the data.
func (d reporter) describeServer(ctx context.Context, s *store.Status) error {
	a, err := d.run(ctx, `select current_setting('server_version'), current_setting('fsync'),
		current_setting('full_page_writes'), current_setting('synchronous_commit'),
		current_setting('server_version_num')::bigint, current_setting('transaction_read_only'),
		(extract(epoch from clock_timestamp()) * 1000000)::bigint`)
	if err != nil {
		return err
	}
	r, ok := a.one()
	if !ok {
		return errRow
	}
	version, fsync, pages, commit, number, readOnly := r.text(), r.text(), r.text(), r.text(), r.int(), r.text()
	s.Engine = "PostgreSQL " + version
	s.Skew, s.HasSkew = time.Until(time.UnixMicro(r.int())), true
	warn := func(when bool, text string) {
		if when {
			s.Warnings = append(s.Warnings, text)
		}
	}
	warn(number < oldestServer, s.Engine+" is older than 14, the oldest version that this program was tried with")
	warn(fsync == "off", "fsync is off: a crash of the server's machine destroys the database; set fsync = on")
	warn(pages == "off", "full_page_writes is off: a crash of the server's machine may destroy the database; set it "+
		"on, unless "+
		"the file system never tears a page")
	warn(commit == "off", "synchronous_commit is off for the role "+d.target.user+": a crash of the server loses what "+
		"it has "+
		"acknowledged; run: alter role "+quoteName(d.target.user)+" set synchronous_commit = on")
	warn(readOnly == "on", "default_transaction_read_only is on: nothing can be written, as some services set it when "+
		"the disk "+
		"is nearly full")
	return r.err
}

// oldestServer is the oldest version, as PostgreSQL counts them.
const oldestServer = 140000

// describeStandbys adds the primary, and the standbys that the role may see.
func (d reporter) describeStandbys(ctx context.Context, s *store.Status) error {
	s.Servers = []store.Server{{Name: d.where(), Role: "primary", Current: true}}
	a, err := d.run(ctx, `select coalesce(nullif(application_name, ''), 'standby'), coalesce(state, ''),
		coalesce(sync_state, ''),
		coalesce(pg_wal_lsn_diff(pg_current_wal_lsn(), flush_lsn), -1)::bigint, current_setting('synchronous_commit'),
		current_setting('synchronous_standby_names')
		from (select 1) one left join pg_stat_replication on true order by 1 limit 100`)
	if err != nil {
		return err
	}
	standbys, isSynchronous, wanted, commit := 0, false, "", ""
	for _, columns := range a.rows {
		r := row{columns: columns}
		name, state, kind, lag := r.text(), r.text(), r.text(), r.int()
		commit, wanted = r.text(), r.text()
		if r.err != nil {
			return r.err
		}
		if state == "" && kind == "" && lag < 0 {
			continue // there is none, or the role may not see it
		}
		standbys++
		isSynchronous = isSynchronous || kind == "sync" || kind == "quorum"
		s.Servers = append(s.Servers, store.Server{Name: name, Role: "standby", Current: state == "streaming" && lag == 0,
			Lag: uint64(max(lag, 0))})
	}
	if standbys > 0 && (!isSynchronous || commit == "local") {
		s.Warnings = append(s.Warnings, "no standby is synchronous: if you lose the primary, you lose the changes that "+
			"the standby does not have yet; set synchronous_standby_names, and synchronous_commit to on")
	}
	if standbys == 0 && wanted != "" {
		s.Warnings = append(s.Warnings, "synchronous_standby_names is "+wanted+" and no standby is seen: without one that "+
			"answers, "+
			"writing waits; the role sees standbys if it is a member of pg_monitor")
	}
	return nil
}

func (d reporter) where() string {
	first := d.target.hosts[0]
	return fmt.Sprintf("%s:%d", first.name, first.port)
}

// describeParts adds the tables.
func (d reporter) describeParts(ctx context.Context, s *store.Status) error {
	a, err := d.run(ctx, `select relname::text, reltuples::bigint, pg_total_relation_size(c.oid)
		from pg_class c join pg_namespace n on n.oid = relnamespace
		where nspname = $1 and relkind in ('r', 'p') order by relname limit 100`, text(d.target.schema()))
	if err != nil {
		return err
	}
	for _, columns := range a.rows {
		r := row{columns: columns}
		part := store.Part{Name: r.text()}
		estimate := r.int()
		part.Bytes = r.int()
		if r.err != nil {
			return r.err
		}
		if part.Records, err = d.count(ctx, part, estimate); err != nil {
			return err
		}
		s.Parts = append(s.Parts, part)
	}
	return nil
}

// countedBytes is up to which size a table's rows are counted and not estimated.
const countedBytes = 64 << 20

// count is how many rows a table of ours has.
func (d reporter) count(ctx context.Context, part store.Part, estimate int64) (uint64, error) {
	isOurs := false
	for _, c := range columns() {
		isOurs = isOurs || c.table == part.Name
	}
	if !isOurs || part.Bytes > countedBytes && estimate >= 0 {
		return uint64(max(estimate, 0)), nil
	}
	a, err := d.run(ctx, `select count(*) from {s}.`+part.Name)
	if err != nil {
		return 0, err
	}
	r, _ := a.one()
	n := r.int()
	return uint64(min(max(n, 0), math.MaxInt64)), r.err
}

// describePush finds out whether the server announces mail at once.
func (d reporter) describePush(ctx context.Context, s *store.Status) error {
	if !d.notes.knownPush().isKnown {
		w := &watcher{db: d.db, prefix: pushed, puts: make(chan struct{}, 1)}
		err := w.listen(ctx)
		w.hangUp()
		if err != nil {
			return err
		}
		if w.crowded {
			s.WhyNot = whyCrowded()
			return nil
		}
	}
	s.WhyNot = d.notes.knownPush().whyNot
	s.Push = s.WhyNot == ""
	return nil
}

// warningsOfURL says what the URL does less safely than it could.
func (d reporter) warningsOfURL() (list []string) {
	t := &d.target
	if t.password != "" {
		list = append(list, "the password is in the store's URL, where others may see it; put it into a file and set "+
			"store_credentials")
	}
	if !t.isLocal() && t.sslMode != sslVerifyFull {
		list = append(list, "sslmode="+t.sslMode+" does not check that the server is the one of the URL; use "+
			"sslmode=verify-full "+
			"and store_ca")
	}
	return list
}
