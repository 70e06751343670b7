import { UsageError } from "@toolwire/protocol";
import type { LocalDatabase } from "./database.ts";
import { sqlStateOf } from "./database.ts";

/** One for all gateways on a database: while one of them migrates, the others wait. The number has no meaning. */
const LOCK = 7_284_105_531;

/** A rollup of calls: all that ended alike in an interval, so that counts can be added up in any way. */
function rollup(table: string): string {
  return `
create table toolwire.${table} (
  at timestamptz not null,
  node text collate "C" not null,
  server text collate "C" not null,
  tool text collate "C" not null,
  client text collate "C" not null,
  outcome text collate "C" not null,
  bucket smallint not null,
  calls bigint not null,
  bytes bigint not null,
  primary key (at, node, server, tool, client, outcome, bucket)
) partition by range (at);
create table toolwire.${table}_default partition of toolwire.${table} default;`;
}

/** The steps from an empty database to the present. Those that were published never change; new ones are added at the end. */
const MIGRATIONS: readonly string[] = [
  `
create table toolwire.calls (
  at timestamptz not null,
  id uuid not null,
  node text collate "C" not null,
  server text collate "C" not null,
  tool text collate "C" not null,
  source text collate "C" not null,
  principal text collate "C",
  client text collate "C" not null,
  client_name text collate "C",
  client_version text collate "C",
  user_agent text collate "C",
  revision text collate "C" not null,
  outcome text collate "C" not null,
  rpc_code int,
  http_status int,
  attempts int not null,
  duration_ms float8 not null,
  bucket smallint not null,
  validate_ms float8,
  resolve_ms float8,
  authorize_ms float8,
  call_ms float8,
  transform_ms float8,
  first_byte_ms float8,
  request_bytes bigint not null,
  response_bytes bigint not null,
  is_truncated boolean not null,
  error text,
  trace_id text collate "C",
  primary key (at, id)
) partition by range (at);
create index calls_time on toolwire.calls using brin (at);
create index calls_tool on toolwire.calls (server, tool, at desc, id desc);
create index calls_failed on toolwire.calls (at desc, id desc) where outcome <> 'ok';
create table toolwire.calls_default partition of toolwire.calls default;

create table toolwire.captures (
  at timestamptz not null,
  id uuid not null,
  arguments text not null,
  response text not null,
  primary key (at, id)
) partition by range (at);
create table toolwire.captures_default partition of toolwire.captures default;
${rollup("calls_by_minute")}
${rollup("calls_by_hour")}

create table toolwire.changes (
  kind text primary key,
  version bigint not null
);
insert into toolwire.changes values ('servers', 0), ('keys', 0), ('secrets', 0);

create table toolwire.servers (
  slug text collate "C" primary key,
  -- Not jsonb, which forgets the order of tools.
  config json not null,
  revision int not null,
  updated_at timestamptz not null
);

create table toolwire.api_keys (
  id text collate "C" primary key,
  digest text collate "C" not null unique,
  name text not null,
  prefix text not null,
  servers json,
  principal text,
  created_at timestamptz not null,
  expires_at timestamptz,
  last_used_at timestamptz
);

create table toolwire.secrets (
  name text collate "C" not null,
  -- Empty for a secret that all callers share.
  principal text collate "C" not null,
  version int not null,
  key_id text collate "C" not null,
  wrapped text not null,
  sealed text not null,
  updated_at timestamptz not null,
  primary key (name, principal)
);

create table toolwire.audit (
  id bigint generated always as identity primary key,
  at timestamptz not null,
  actor text not null,
  action text not null,
  subject text not null
);`,
  `
create table toolwire.accepted_tools (
  server text collate "C" not null,
  upstream text collate "C" not null,
  -- Fingerprints by the name of a tool.
  tools json not null,
  updated_at timestamptz not null,
  primary key (server, upstream)
);`,
  `
create table toolwire.grants (
  server text collate "C" not null,
  upstream text collate "C" not null,
  -- Empty for what all callers share.
  principal text collate "C" not null,
  key text collate "C" not null,
  -- The first word of the key: grant, server or registration.
  kind text collate "C" not null,
  version bigint not null,
  key_id text collate "C" not null,
  wrapped text not null,
  sealed text not null,
  created_at timestamptz not null,
  primary key (server, upstream, principal, key)
);

create table toolwire.pending_logins (
  -- A digest: whoever reads the table cannot use a login.
  id text collate "C" primary key,
  owner text collate "C" not null,
  key_id text collate "C" not null,
  wrapped text not null,
  sealed text not null,
  created_at timestamptz not null,
  expires_at timestamptz not null
);
create index pending_logins_owner on toolwire.pending_logins (owner, created_at desc);

create table toolwire.locks (
  key text collate "C" primary key,
  holder text collate "C" not null,
  until timestamptz not null
);
insert into toolwire.changes values ('grants', 0);`,

  // Grants had keys that several ways to log in could share. Nobody knows whose tokens they are.
  `
delete from toolwire.grants where kind <> 'registration';`,
  `
create table toolwire.page_logins (
  -- session, code or claim.
  kind text collate "C" not null,
  -- A digest: whoever reads the table cannot log in.
  id text collate "C" not null,
  name text not null,
  expires_at timestamptz not null,
  -- Until when it is good if nobody uses it.
  until timestamptz not null,
  primary key (kind, id)
);`,
];

/**
 * Brings the tables of a database up to date: each step in a transaction, and safe if several gateways start at once.
 *
 * @throws UsageError if a newer gateway has made the tables, or the user of the database may not make any
 */
export async function migrate(database: LocalDatabase): Promise<void> {
  try {
    await database.transaction(async (transaction) => {
      await transaction.query(`select pg_advisory_xact_lock(${LOCK})`);
      await transaction.query("create schema if not exists toolwire");
      await transaction.query(
        "create table if not exists toolwire.migrations (step int primary key, at timestamptz not null)",
      );
    });
    for (const [index, statements] of MIGRATIONS.entries()) await runStep(database, index + 1, statements);
  } catch (error) {
    if (sqlStateOf(error) !== "42501") throw error;
    throw new UsageError(
      "INVALID_STATE",
      "The user of the database may not make tables. Grant it the right to create a schema (grant create on database …), or " +
        "make the schema toolwire for it (create schema toolwire authorization …).",
      { cause: error },
    );
  }
}

async function runStep(database: LocalDatabase, step: number, statements: string): Promise<void> {
  // Both the check and the statements hold the lock, so a gateway that waited for it finds the step done.
  await database
    .run(`
select pg_advisory_xact_lock(${LOCK});
do $migration$
begin
  if exists (select from toolwire.migrations where step > ${MIGRATIONS.length}) then
    raise exception 'newer tables' using errcode = 'TW001';
  end if;
  if not exists (select from toolwire.migrations where step = ${step}) then
    ${statements}
    insert into toolwire.migrations values (${step}, now());
  end if;
end
$migration$;`)
    .catch((error: unknown) => {
      if (sqlStateOf(error) !== "TW001") throw error;
      throw new UsageError(
        "INVALID_STATE",
        "The tables of the database are newer than this gateway. Use the version of the gateway that made them, or a later one.",
        { cause: error },
      );
    });
}
