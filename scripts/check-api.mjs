// Does the public surface of each entry point equal the committed report in `packages/*/api`? `--update` rewrites them.

import { mkdirSync, readdirSync, rmSync } from "node:fs";
import { join, relative } from "node:path";
import { Extractor, ExtractorConfig, ExtractorLogLevel, ExtractorMessageCategory } from "@microsoft/api-extractor";
import { listPublishedPackages, report, root, withTemporaryDirectory } from "./workspace.mjs";

const update = process.argv.includes("--update");

/** @type {string[]} */
const problems = [];
let count = 0;

withTemporaryDirectory((temporaryDirectory) => {
  for (const { directory, entryPoints } of listPublishedPackages()) {
    const reports = join(directory, "api");
    mkdirSync(reports, { recursive: true });
    for (const entryPoint of entryPoints) {
      compareReport(directory, reports, entryPoint, temporaryDirectory);
      count += 1;
    }
    const expected = new Set(entryPoints.map(({ name }) => `${name}.api.md`));
    for (const file of readdirSync(reports).filter((name) => !expected.has(name))) {
      if (update) rmSync(join(reports, file));
      else problems.push(`${relative(root, join(reports, file))}: no entry point of this name is left`);
    }
  }
});

if (problems.length > 0) problems.push("If this change of the public API is meant: `npm run api:update`, and commit.");
report(problems, `${count} API reports are up to date`);

/**
 * @param {string} packageDirectory
 * @param {string} reports
 * @param {import("./workspace.mjs").EntryPoint} entryPoint
 * @param {string} temporaryDirectory
 */
function compareReport(packageDirectory, reports, entryPoint, temporaryDirectory) {
  const config = ExtractorConfig.prepare({
    configObject: {
      projectFolder: packageDirectory,
      mainEntryPointFilePath: entryPoint.types,
      compiler: {
        overrideTsconfig: {
          compilerOptions: {
            target: "es2023",
            // Views and hosts are pages. All others get along without a document.
            lib: ["es2023", packageDirectory.endsWith("views") ? "dom" : "webworker"],
            module: "nodenext",
            types: ["node"],
            strict: true,
            skipLibCheck: true,
          },
          files: [entryPoint.types],
        },
      },
      apiReport: {
        enabled: true,
        reportFileName: `${entryPoint.name}.api.md`,
        reportFolder: reports,
        reportTempFolder: temporaryDirectory,
      },
      docModel: { enabled: false },
      dtsRollup: { enabled: false },
      tsdocMetadata: { enabled: false },
      newlineKind: "lf",
      messages: {
        extractorMessageReporting: {
          default: { logLevel: ExtractorLogLevel.None },
          // A type that the surface mentions but does not export: shown in the report, for the reviewer to judge.
          "ae-forgotten-export": { logLevel: ExtractorLogLevel.None, addToApiReportFile: true },
        },
        tsdocMessageReporting: { default: { logLevel: ExtractorLogLevel.None } },
      },
    },
    configObjectFullPath: undefined,
    packageJsonFullPath: join(packageDirectory, "package.json"),
  });
  const { succeeded } = Extractor.invoke(config, {
    localBuild: update,
    printApiReportDiff: true,
    messageCallback(message) {
      message.handled = true;
      const isDifference = message.messageId === "console-api-report-diff" && !update;
      if (isDifference || message.category === ExtractorMessageCategory.Compiler) problems.push(message.text);
    },
  });
  if (!succeeded) problems.push(`${entryPoint.specifier}: its surface is not the one in api/${entryPoint.name}.api.md`);
}
