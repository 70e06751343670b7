import type { Database } from "../log/database/database.ts";
import { limitOf } from "../log/call-pages.ts";
import type { AuditEntry, Storage } from "./storage.ts";

/** The audit log in the database. */
export function databaseAudit(database: Database, now: () => number): Storage["audit"] {
  return {
    async add({ actor, action, subject }) {
      await database.query(
        "insert into toolwire.audit (at, actor, action, subject) values (to_timestamp($1::float8 / 1000), $2, $3, $4)",
        [now(), ...[actor, action, subject].map((text) => text.slice(0, 300).replaceAll("\0", "\uFFFD"))],
      );
    },
    list: (limit) =>
      database.query<AuditEntry>(
        `select (extract(epoch from at) * 1000)::float8 as at, actor, action, subject
         from toolwire.audit order by id desc limit ${limitOf(limit, 100, 1000)}`,
      ),
  };
}
