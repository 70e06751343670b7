import type { ServerConfig } from "../config/config.ts";
import type { Database } from "../log/database/database.ts";
import { changing } from "./change-feed.ts";
import { revisionConflict, type ServerStore, type StoredServer } from "./storage.ts";

interface ServerRow {
  readonly slug: string;
  readonly config: ServerConfig;
  readonly revision: number;
  readonly updated_at: number;
}

const COLUMNS = "slug, config, revision, (extract(epoch from updated_at) * 1000)::float8 as updated_at";

/** Servers in the database, with a copy in memory. */
export class DatabaseServers implements ServerStore {
  readonly #database: Database;
  readonly #now: () => number;
  readonly #check: () => Promise<void>;
  #servers: readonly StoredServer[] = [];

  constructor(database: Database, now: () => number, check: () => Promise<void>) {
    this.#database = database;
    this.#now = now;
    this.#check = check;
  }

  async load(): Promise<void> {
    const rows = await this.#database.query<ServerRow>(`select ${COLUMNS} from toolwire.servers order by slug`);
    this.#servers = rows.map(serverOf);
  }

  list(): readonly StoredServer[] {
    return this.#servers;
  }

  async put(slug: string, config: ServerConfig, revision: number): Promise<StoredServer> {
    const statement =
      revision === 0
        ? `insert into toolwire.servers (slug, config, revision, updated_at)
           values ($1, $2::text::json, 1 + $3::int, to_timestamp($4::float8 / 1000))
           on conflict do nothing returning ${COLUMNS}`
        : `update toolwire.servers set config = $2::text::json, revision = revision + 1,
             updated_at = to_timestamp($4::float8 / 1000)
           where slug = $1 and revision = $3::int returning ${COLUMNS}`;
    const values = [slug, JSON.stringify(config), revision, this.#now()];
    const [row] = await this.#database.query<ServerRow>(changing("servers", statement), values);
    if (row === undefined) throw revisionConflict(slug, revision);
    await this.#check();
    return serverOf(row);
  }

  async remove(slug: string, revision: number): Promise<boolean> {
    const statement = "delete from toolwire.servers where slug = $1 and revision = $2::int returning slug";
    const rows = await this.#database.query(changing("servers", statement), [slug, revision]);
    await this.#check();
    if (rows.length > 0) return true;
    if (this.#servers.some((server) => server.slug === slug)) throw revisionConflict(slug, revision);
    return false;
  }
}

function serverOf({ slug, config, revision, updated_at: updatedAt }: ServerRow): StoredServer {
  return { slug, config, revision, updatedAt };
}
