/**
 * The variables that a server inherits from this process. A program picked from a list of plugins must not see the API keys
 * and tokens of the application that starts it, so only variables that programs need to run are passed on.
 */
const POSIX_NAMES: ReadonlySet<string> = new Set(["HOME", "LOGNAME", "PATH", "SHELL", "TERM", "USER"]);

/** The same for Windows. Without `ProgramData`, `ssh` ends silently and `docker` does not find its plugins. */
const WINDOWS_NAMES: ReadonlySet<string> = new Set([
  "ALLUSERSPROFILE",
  "APPDATA",
  "COMPUTERNAME",
  "COMSPEC",
  "HOMEDRIVE",
  "HOMEPATH",
  "LOCALAPPDATA",
  "NUMBER_OF_PROCESSORS",
  "OS",
  "PATH",
  "PATHEXT",
  "PROCESSOR_ARCHITECTURE",
  "PROGRAMDATA",
  "PROGRAMFILES",
  "PROGRAMFILES(X86)",
  "PROGRAMW6432",
  "SYSTEMDRIVE",
  "SYSTEMROOT",
  "TEMP",
  "TMP",
  "USERDOMAIN",
  "USERNAME",
  "USERPROFILE",
  "WINDIR",
]);

/** Variables by name, as in `process.env`. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** The variables of `source` that are safe to pass on to any server. */
export function pickSafeEnvironment(source: Environment, platform: NodeJS.Platform): Record<string, string> {
  const isWindows = platform === "win32";
  const names = isWindows ? WINDOWS_NAMES : POSIX_NAMES;
  const picked: Record<string, string> = {};
  for (const [name, value] of Object.entries(source)) {
    // A value that begins like this is a function exported by bash, which some shells would run on start.
    if (value === undefined || value.startsWith("()")) continue;
    if (names.has(isWindows ? name.toUpperCase() : name)) picked[name] = value;
  }
  return picked;
}

/** Merges two environments; the second wins. On Windows, names that differ only in case are the same. */
export function mergeEnvironments(base: Environment, own: Environment, platform: NodeJS.Platform): Environment {
  if (platform !== "win32") return { ...base, ...own };
  const overridden = new Set(Object.keys(own).map((name) => name.toUpperCase()));
  const kept = Object.entries(base).filter(([name]) => !overridden.has(name.toUpperCase()));
  return { ...Object.fromEntries(kept), ...own };
}

/** A variable by name, which on Windows may be spelled in any case: `Path`, `PATH`. */
export function readVariable(env: Environment, name: string, platform: NodeJS.Platform): string | undefined {
  if (platform !== "win32") return env[name];
  const found = Object.keys(env).find((key) => key.toUpperCase() === name);
  return found === undefined ? undefined : env[found];
}
