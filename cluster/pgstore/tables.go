package pgstore

// channelPrefix is what channels of notifications begin with; a random text follows, so that a
// role of another home cannot listen.
const channelPrefix = "chibi_"

// tables are the statements that make a home, in their order; {s} is its schema.
func tables() []string {
	return []string{
		`create schema if not exists {s}`,
		`create sequence if not exists {s}.revision`,
		`create table if not exists {s}.setting (
			name text primary key,
			value text not null)`,
		`create table if not exists {s}.doc (
			key text collate "C" primary key,
			rev bigint not null,
			tag text not null,
			data bytea not null) with (fillfactor = 80)`,
		`create table if not exists {s}.log (
			log text collate "C" not null,
			pos bigint not null,
			prev bigint not null,
			win bigint not null,
			count bigint not null,
			id text not null,
			begins boolean not null,
			time timestamptz not null,
			data bytea not null,
			primary key (log, pos),
			unique (log, prev))`,
		`create table if not exists {s}.blob (
			id text primary key,
			key text collate "C" not null,
			size bigint,
			time timestamptz not null)`,
		`create unique index if not exists blob_key on {s}.blob (key) where size is not null`,
		`create index if not exists blob_unfinished on {s}.blob (time) where size is null`,
		`create table if not exists {s}.chunk (
			blob text not null references {s}.blob on delete cascade,
			n bigint not null,
			data bytea not null,
			primary key (blob, n))`,
		`alter table {s}.chunk alter column data set storage external`,
		`create table if not exists {s}.lease (
			key text collate "C" primary key,
			token text not null,
			fresh boolean not null,
			holder bytea not null,
			expires timestamptz not null) with (fillfactor = 50)`,
	}
}

type column struct{ table, name, kind string }

// columns are those that the statements of this package use.
func columns() []column {
	return []column{
		{"setting", "name", "text"}, {"setting", "value", "text"},
		{"doc", "key", "text"}, {"doc", "rev", "bigint"}, {"doc", "tag", "text"}, {"doc", "data", "bytea"},
		{"log", "log", "text"}, {"log", "pos", "bigint"}, {"log", "prev", "bigint"}, {"log", "win", "bigint"},
		{"log", "count", "bigint"}, {"log", "id", "text"}, {"log", "begins", "boolean"},
		{"log", "time", "timestamp with time zone"}, {"log", "data", "bytea"},
		{"blob", "id", "text"}, {"blob", "key", "text"}, {"blob", "size", "bigint"},
		{"blob", "time", "timestamp with time zone"},
		{"chunk", "blob", "text"}, {"chunk", "n", "bigint"}, {"chunk", "data", "bytea"},
		{"lease", "key", "text"}, {"lease", "token", "text"}, {"lease", "fresh", "boolean"}, {"lease", "holder", "bytea"},
		{"lease", "expires", "timestamp with time zone"},
	}
}

// grants are the statements that let a role use a home; {s} is its schema, {r} the role.
func grants() []string {
	return []string{
		`grant usage on schema {s} to {r}`,
		`grant usage on sequence {s}.revision to {r}`,
		`grant select on {s}.setting to {r}`,
		`grant select, insert, update, delete on {s}.doc, {s}.log, {s}.blob, {s}.chunk, {s}.lease to {r}`,
	}
}
