package pgstore

import (
	"context"
	"crypto/rand"
	"fmt"
	"strings"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/chibi-host/chibi/store"
)

func initialize(ctx context.Context, o store.InitOptions) (_ []string, err error) {
	o.Options = o.WithDefaults()
	d, err := newDB(o.Options, false)
	if err != nil {
		return nil, err
	}
	defer d.pool.close()
	defer about(&err, "home", d.target.home)
	m := maker{db: d}
	err = d.repeat(ctx, func(ctx context.Context) (again bool, err error) {
		m.said = nil
		conn, err := d.pool.take(ctx)
		if err != nil {
			return isPassing(err), err
		}
		defer d.pool.give(conn)
		if err := m.make(ctx, conn); err != nil {
			bury(conn) // which ends the transaction
			return isPassing(err), err
		}
		return false, nil
	})
	if err != nil {
		return nil, err
	}
	if o.OutputAge > 0 || o.OutputBytes > 0 {
		m.say("PostgreSQL removes no outputs by itself: run chibi store gc, for instance once a day")
	}
	return m.said, nil
}

type maker struct {
	*db
	conn *pgconn.PgConn
	said []string
}

func (m *maker) say(format string, args ...any) {
	m.said = append(m.said, fmt.Sprintf(format, args...))
}

func (m *maker) make(ctx context.Context, conn *pgconn.PgConn) error {
	m.conn = conn
	if _, err := m.do(ctx, "begin"); err != nil {
		return err
	}
	// One Init at a time: "if not exists" does not bear two.
	if _, err := m.do(ctx, "select pg_advisory_xact_lock(hashtext($1))", text(m.target.schema())); err != nil {
		return err
	}
	before, err := m.columns(ctx)
	if err != nil {
		return err
	}
	if len(before) < len(columns()) {
		if err := m.tables(ctx); err != nil {
			return err
		}
	}
	m.compare(before)
	for _, step := range []func(context.Context) error{m.settings, m.grant, m.format} {
		if err := step(ctx); err != nil {
			return err
		}
	}
	_, err = m.do(ctx, "commit")
	return err
}

func (m *maker) do(ctx context.Context, statement string, args ...arg) ([][][]byte, error) {
	result := execute(ctx, m.conn, m.sql(statement), args)
	return result.Rows, result.Err
}

// columns are those that the home has.
func (m *maker) columns(ctx context.Context) ([]column, error) {
	rows, err := m.do(ctx, `select c.relname::text, a.attname::text, format_type(a.atttypid, null)
		from pg_attribute a join pg_class c on c.oid = a.attrelid join pg_namespace n on n.oid = c.relnamespace
		where n.nspname = $1 and c.relkind in ('r', 'p') and a.attnum > 0 and not a.attisdropped limit 1000`,
		text(m.target.schema()))
	var list []column
	for _, columns := range rows {
		r := row{columns: columns}
		list = append(list, column{r.text(), r.text(), r.text()})
	}
	return list, err
}

func (m *maker) tables(ctx context.Context) error {
	for _, statement := range tables() {
		if _, err := m.do(ctx, statement); err != nil {
			return err
		}
	}
	return nil
}

// compare says which tables were made, and how existing tables differ.
func (m *maker) compare(before []column) {
	type name struct{ table, column string }
	was, had := map[name]string{}, map[string]bool{}
	for _, c := range before {
		was[name{c.table, c.name}], had[c.table] = c.kind, true
	}
	made := map[string]bool{}
	for _, want := range columns() {
		kind, isThere := was[name{want.table, want.name}]
		switch {
		case !had[want.table] && !made[want.table]:
			made[want.table] = true
			m.say("made the table %s.%s", m.target.schema(), want.table)
		case had[want.table] && !isThere:
			m.say("the table %s.%s has no column %s", m.target.schema(), want.table, want.name)
		case had[want.table] && kind != want.kind:
			m.say("the column %s of the table %s.%s is %s and not %s", want.name, m.target.schema(), want.table, kind, want.kind)
		}
	}
}

func (m *maker) settings(ctx context.Context) error {
	_, err := m.do(ctx, `insert into {s}.setting (name, value) values ('layout', $1), ('channel', $2)
		on conflict do nothing`,
		text(layout), text(channelPrefix+strings.ToLower(rand.Text())))
	return err
}

// grant lets the roles of the URL use the home, or says how.
func (m *maker) grant(ctx context.Context) error {
	for _, role := range m.target.grants {
		for _, statement := range grants() {
			if _, err := m.do(ctx, strings.ReplaceAll(statement, "{r}", quoteName(role))); err != nil {
				return fmt.Errorf("grant=%s: %w", role, err)
			}
		}
		m.say("the role %s may use the home %s", role, m.target.home)
	}
	if len(m.target.grants) == 0 {
		m.say("only the role %s may use the home %s; to let another one, add grant=ROLE to the URL of chibi store init, "+
			"or run: %s",
			m.target.user, m.target.home, strings.ReplaceAll(m.sql(strings.Join(grants(), "; ")), "{r}", "ROLE"))
	}
	return nil
}

// format makes or raises the format number. What was there already may be from an Init that was not
// acknowledged, so its document is locked: then the commit waits for the synchronous standby.
func (m *maker) format(ctx context.Context) error {
	said, err := store.RaiseFormat(ctx, draft{maker: m}, m.options)
	if said != "" {
		m.say("%s", said)
	}
	if err != nil {
		return err
	}
	_, err = m.do(ctx, `select from {s}.doc where key = $1 for key share`, text(store.FormatKey))
	return err
}

// draft are the documents of a home that is being made, as its transaction has them.
type draft struct {
	store.Docs
	*maker
}

func (d draft) Get(ctx context.Context, key string) (store.Doc, error) {
	rows, err := d.do(ctx, `select rev, data from {s}.doc where key = $1`, text(key))
	if err != nil {
		return store.Doc{}, err
	}
	r, ok := answer{rows: rows}.one()
	if !ok {
		return store.Doc{}, store.ErrNotFound
	}
	return store.Doc{Key: key, Rev: r.uint(), Data: r.column()}, r.err
}

// Put puts a document over whatever is there: there is one Init at a time.
func (d draft) Put(ctx context.Context, key string, value []byte, _ uint64) (uint64, error) {
	rows, err := d.do(ctx, `insert into {s}.doc (key, rev, tag, data) values ($1, nextval('{s}.revision'), '', $2)
		on conflict (key) do update set rev = excluded.rev, data = excluded.data returning rev`, text(key), data(value))
	if err != nil {
		return 0, err
	}
	r, ok := answer{rows: rows}.one()
	if !ok {
		return 0, errRow
	}
	return r.uint(), r.err
}

func quoteName(name string) string { return `"` + strings.ReplaceAll(name, `"`, `""`) + `"` }
