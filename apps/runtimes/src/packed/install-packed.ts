import { execFile } from "node:child_process";
import {
  cpSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { promisify } from "node:util";

const run = promisify(execFile);

/** The packages to install, and where. */
export interface PackedApp {
  /** The repository. */
  readonly root: string;
  /** The folder of this app. */
  readonly app: string;
  /** Is emptied first. */
  readonly directory: string;
}

/**
 * Makes a folder as users have it: our packages as they would be published, next to what they depend on, and the compiled
 * programs that use them. Nothing in it leads to sources. Returns the folder of the programs.
 */
export async function installPacked({ root, app, directory }: PackedApp): Promise<string> {
  rmSync(directory, { recursive: true, force: true });
  const modules = join(directory, "node_modules");
  const folders = readdirSync(join(root, "packages")).map((name) => join(root, "packages", name));
  await Promise.all(folders.map((folder) => unpack(root, folder, modules)));
  for (const folder of folders) linkDependencies(folder, modules);
  for (const name of ["ajv", "zod"]) linkPackage(app, name, modules);
  writeFileSync(join(directory, "package.json"), JSON.stringify({ private: true, type: "module" }));
  cpSync(join(app, "dist"), join(directory, "dist"), { recursive: true });
  return join(directory, "dist", "programs");
}

async function unpack(root: string, folder: string, modules: string): Promise<void> {
  const target = join(modules, readManifest(folder).name);
  mkdirSync(target, { recursive: true });
  const pnpm = join(root, "node_modules", ".bin", "pnpm");
  const { stdout } = await run(pnpm, ["pack", "--json", "--pack-destination", target], { cwd: folder });
  const { filename } = JSON.parse(stdout) as { readonly filename: string };
  await run("tar", ["-xzf", filename, "-C", target, "--strip-components=1"]);
  rmSync(filename);
}

function linkDependencies(folder: string, modules: string): void {
  const names = Object.keys(readManifest(folder).dependencies ?? {});
  const others = names.filter((name) => !name.startsWith("@toolwire/"));
  for (const name of others) linkPackage(folder, name, modules);
}

function linkPackage(folder: string, name: string, modules: string): void {
  const link = join(modules, name);
  mkdirSync(dirname(link), { recursive: true });
  // Several packages may depend on it.
  rmSync(link, { recursive: true, force: true });
  symlinkSync(realpathSync(join(folder, "node_modules", name)), link, "junction");
}

function readManifest(folder: string): {
  readonly name: string;
  readonly dependencies?: { readonly [name: string]: string };
} {
  return JSON.parse(readFileSync(join(folder, "package.json"), "utf8")) as ReturnType<typeof readManifest>;
}
