import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { promisify } from "node:util";
import ts from "typescript-5.9";
import { describe, expect, it } from "vitest";
import { listPublishedPackages } from "../scripts/workspace.mjs";

const run = promisify(execFile);

interface Manifest {
  readonly exports: Readonly<Record<string, Readonly<Record<string, string>>>>;
  readonly imports?: Readonly<Record<string, Readonly<Record<string, string | Readonly<Record<string, string>>>>>>;
}

const packages = listPublishedPackages().map((each) => ({
  ...each,
  manifest: JSON.parse(readFileSync(join(each.directory, "package.json"), "utf8")) as Manifest,
}));
const entryPoints = packages.flatMap((each) => each.entryPoints);

/** The names that built modules export to Node, by specifier or path. */
async function importAll(modules: readonly string[]): Promise<Readonly<Record<string, readonly string[]>>> {
  const program = `
    const names = {};
    for (const module of ${JSON.stringify(modules)}) names[module] = Object.keys(await import(module)).sort();
    console.log(JSON.stringify(names));`;
  const { stdout } = await run(process.execPath, ["--input-type=module", "--eval", program], {
    cwd: import.meta.dirname,
  });
  return JSON.parse(stdout) as Record<string, string[]>;
}

/** The values that declarations promise, without the types. */
function readDeclaredNames(files: readonly string[]): Map<string, string[]> {
  const program = ts.createProgram([...files], {
    target: ts.ScriptTarget.ES2023,
    module: ts.ModuleKind.NodeNext,
    allowImportingTsExtensions: true,
    noEmit: true,
    skipLibCheck: true,
  });
  const checker = program.getTypeChecker();
  return new Map(
    files.map((file) => {
      const symbol = checker.getSymbolAtLocation(program.getSourceFile(file)!)!;
      const names = checker.getExportsOfModule(symbol).filter((each) => {
        const target = each.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(each) : each;
        return (target.flags & ts.SymbolFlags.Value) !== 0 && !isTypeOnly(each);
      });
      return [file, names.map(({ name }) => name).toSorted()];
    }),
  );
}

function isTypeOnly(symbol: ts.Symbol): boolean {
  return symbol.declarations?.some((declaration) => ts.isTypeOnlyImportOrExportDeclaration(declaration)) === true;
}

describe("the exports of the built packages", () => {
  it("are at run time those of the declarations, for every entry point", async () => {
    const declared = readDeclaredNames(entryPoints.map(({ types }) => types));
    const exported = await importAll(entryPoints.map(({ specifier }) => specifier));
    expect(exported).toEqual(
      Object.fromEntries(entryPoints.map(({ specifier, types }) => [specifier, declared.get(types)])),
    );
  });

  it.each(packages)(
    "come from the same file under every condition, or have the same names, in $name",
    async ({ directory, manifest }) => {
      for (const conditions of Object.values(manifest.exports).filter((each) => typeof each === "object")) {
        const { "@toolwire/source": _source, types: _types, ...platforms } = conditions;
        const files = Object.values(platforms).map((file) => pathToFileURL(join(directory, file)).href);
        const [first, ...others] = Object.values(await importAll(files));
        for (const names of others) expect(names).toEqual(first);
      }
    },
  );

  it.each(packages.filter(({ manifest }) => manifest.imports !== undefined))(
    "have the same names on every platform where modules differ by platform, in $name",
    async ({ directory, manifest }) => {
      for (const { "@toolwire/source": _, ...platforms } of Object.values(manifest.imports!)) {
        const files = Object.values(platforms).map((file) => pathToFileURL(join(directory, file as string)).href);
        // A module of one platform may also be imported by its path, for more than the others have.
        const [fewest = [], ...others] = Object.values(await importAll(files)).toSorted((a, b) => a.length - b.length);
        expect(fewest).not.toEqual([]);
        for (const names of others) expect(names).toEqual(expect.arrayContaining([...fewest]));
      }
    },
  );

  it("include all of the protocol's entry points for authors of transports in the internal one, which ours load alone", async () => {
    const { "@toolwire/protocol/internal": internal, ...others } = await importAll([
      "@toolwire/protocol",
      "@toolwire/protocol/channels",
      "@toolwire/protocol/framing",
      "@toolwire/protocol/internal",
      "@toolwire/protocol/uri-template",
    ]);
    expect(internal).toEqual(expect.arrayContaining(Object.values(others).flat()));
  });
});
