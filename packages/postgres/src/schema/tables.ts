import { expectOptions, type OptionNames } from "@toolwire/protocol/internal";
import { expectSchema, quoteRole } from "./identifier.ts";

/** The version of the tables. Another number means that nodes of before and after cannot share them. */
export const TABLES_VERSION = 1;

/** A lock of our own, so that of several nodes one creates the tables, and the others wait for it. */
const CREATION_LOCK = "7236842519930417";

/** The options of {@link postgresSchema}. */
export interface PostgresSchemaOptions {
  /** The schema that holds the tables. Default `toolwire`. */
  readonly schema?: string | undefined;
  /** The role as which nodes connect. It is granted what nodes need, and nothing else. */
  readonly role?: string | undefined;
}

const SCHEMA_OPTIONS: OptionNames<PostgresSchemaOptions> = { schema: true, role: true };

/**
 * Returns the SQL that creates the schema and its tables, for operators whose applications may not create any. It may be run
 * again, and by several at once. Nodes run it themselves if the tables are missing.
 *
 * @example
 * ```ts
 * console.log(postgresSchema({ role: "app" }));
 * ```
 */
export function postgresSchema(options: PostgresSchemaOptions = {}): string {
  expectOptions("postgresSchema", options, SCHEMA_OPTIONS);
  const schema = expectSchema(options.schema);
  const grants = options.role === undefined ? "" : grantTables(schema, quoteRole(options.role));
  return `begin;\n${createTables(schema)}${grants}commit;\n`;
}

/**
 * The statements that create what is missing, for one transaction.
 *
 * Tables without a log (`unlogged`) cost a fraction of others, and are empty after a crash. What they hold may be lost then:
 * sessions begin anew. The keys and tasks may not, and the secret of notifications has no reason to change.
 */
export function createTables(schema: string): string {
  return `set local client_min_messages = warning;
select pg_advisory_xact_lock(${CREATION_LOCK});
create schema if not exists ${schema};
create table if not exists ${schema}.installation (
  singleton boolean primary key default true check (singleton),
  version int not null,
  secret text not null
);
insert into ${schema}.installation (version, secret)
  values (${TABLES_VERSION}, replace(gen_random_uuid()::text || gen_random_uuid()::text, '-', ''))
  on conflict do nothing;
create table if not exists ${schema}.ring (
  number bigint generated always as identity,
  id text primary key,
  secret text not null,
  after text not null unique,
  added_at timestamptz not null default now()
);
create unlogged table if not exists ${schema}.session (
  id bytea primary key,
  facts text not null,
  client text,
  is_ready boolean not null default false,
  log_level text,
  watched text[] not null default '{}',
  fence bigint not null default 0,
  holder_node text,
  holder_stream text,
  expires_at timestamptz not null
);
create index if not exists session_expires_at on ${schema}.session (expires_at);
create index if not exists session_client on ${schema}.session using hash (client);
create unlogged table if not exists ${schema}.stream (
  session bytea not null,
  key text not null,
  number bigint not null generated always as identity unique,
  last bigint not null default 0,
  last_before bigint not null default 0,
  is_complete boolean not null default false,
  reader bigint not null default 0,
  expires_at timestamptz not null,
  primary key (session, key)
);
create index if not exists stream_expires_at on ${schema}.stream (expires_at);
create unlogged table if not exists ${schema}.event (
  stream bigint not null references ${schema}.stream (number) on delete cascade,
  sequence bigint not null,
  data text not null,
  primary key (stream, sequence)
);
create unlogged table if not exists ${schema}.node (
  name text primary key,
  since timestamptz not null,
  ended boolean not null default false,
  expires_at timestamptz not null
);
create unlogged table if not exists ${schema}.message (
  id uuid primary key,
  body text not null,
  expires_at timestamptz not null
);
create index if not exists message_expires_at on ${schema}.message (expires_at);
create unlogged table if not exists ${schema}.log (
  singleton boolean primary key default true check (singleton),
  epoch text not null,
  last bigint not null default 0,
  size bigint not null default 0
);
create unlogged table if not exists ${schema}.change (
  position bigint primary key,
  size_until bigint not null,
  change text not null
);
create unlogged table if not exists ${schema}.once (
  key bytea primary key,
  expires_at timestamptz not null
);
create index if not exists once_expires_at on ${schema}.once (expires_at);
create unlogged table if not exists ${schema}.bucket (
  key bytea primary key,
  full_at double precision not null,
  wait double precision not null
) with (fillfactor = 50);
create table if not exists ${schema}.task (
  id text collate "C" primary key,
  version bigint not null,
  owner text,
  owner_digest bytea not null,
  expires double precision,
  wake double precision,
  due_at double precision generated always as (least(wake, expires)) stored,
  is_over boolean not null,
  body text not null
);
create index if not exists task_due_at on ${schema}.task (due_at);
create index if not exists task_open on ${schema}.task (owner_digest) where not is_over;
create index if not exists task_owner on ${schema}.task (owner_digest, id);
`;
}

function grantTables(schema: string, role: string): string {
  return `grant usage on schema ${schema} to ${role};
grant select on ${schema}.installation to ${role};
grant select, insert, update, delete on ${[
    "ring",
    "session",
    "stream",
    "event",
    "node",
    "message",
    "log",
    "change",
    "once",
    "bucket",
    "task",
  ]
    .map((table) => `${schema}.${table}`)
    .join(", ")} to ${role};
`;
}
