// Does every TypeScript block of every README and guide compile against the built packages, and does every link to a file lead
// to one?
//
// Each block is a module of its own. A block whose first line is a comment with a file name (`// server.ts`) can be
// imported by the other blocks of the same document as `./server.ts`.

import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { listRepositoryFiles, report, root, run, withTemporaryDirectory } from "./workspace.mjs";

const documents = listRepositoryFiles("*README.md", "docs/*.md", "*/docs/*.md");

// Inside `test`, whose dependencies are what the documents may import.
withTemporaryDirectory(
  (directory) => {
    const modules = documents.flatMap((document) => writeBlocks(document, directory));
    writeFileSync(join(directory, "tsconfig.json"), JSON.stringify(compilerSettings(modules)));
    const problems = [...compile(directory), ...findDeadLinks()];
    report(
      problems,
      `${modules.length} TypeScript blocks in ${documents.length} documents compile, and links lead to files`,
    );
  },
  join(root, "test"),
);

/**
 * Writes each block at the line it has in the document, so that the compiler's positions are the document's.
 *
 * @param {string} document
 * @param {string} directory
 */
function writeBlocks(document, directory) {
  const text = readFileSync(join(root, document), "utf8");
  return [...text.matchAll(/^( *)```(?:ts|typescript)\b[^\n]*\n([^]*?)^\1```/gm)].map(
    ({ index, 0: block, 2: code = "" }) => {
      const linesBefore = text.slice(0, index + block.indexOf("\n") + 1).match(/\n/g)?.length ?? 0;
      const name = /^\s*\/\/ ([\w./-]+\.ts)\s*$/m.exec(code.split("\n", 1)[0] ?? "")?.[1] ?? `line-${linesBefore}.ts`;
      const file = join(directory, document, name);
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, `${"\n".repeat(linesBefore)}${code}\nexport {};\n`);
      return file;
    },
  );
}

/** @param {string[]} files */
function compilerSettings(files) {
  return {
    extends: join(root, "tsconfig.test.json"),
    compilerOptions: {
      // The declarations that users get, not the sources.
      customConditions: [],
      incremental: false,
      lib: ["es2023", "dom"],
    },
    files,
  };
}

/**
 * @param {string} directory
 * @returns {string[]} errors as `document:line:column: message`
 */
function compile(directory) {
  try {
    run("tsc", ["-p", directory, "--pretty", "false"]);
    return [];
  } catch (error) {
    const { stdout } = /** @type {{ stdout: string }} */ (error);
    const inDocument = /^test\/\.toolwire-\w+\/(.+\.md)\/[^(]+\((\d+),(\d+)\)/;
    return stdout
      .split("\n")
      .filter(Boolean)
      .map((line) => line.replace(inDocument, "$1:$2:$3"));
  }
}

/** Links to files of this repository that are not there, and sources that guides name (`server/src/…`) and are not there. */
function findDeadLinks() {
  return listRepositoryFiles("*.md", ":!.changeset", ":!*CHANGELOG.md").flatMap((document) => {
    // Code may contain brackets that look like links.
    const text = readFileSync(join(root, document), "utf8").replaceAll(/^( *)```[^]*?^\1```/gm, (code) =>
      code.replaceAll(/[^\n]/g, ""),
    );
    return text.split("\n").flatMap((line, index) => {
      const links = [...line.matchAll(/\]\((?!\w+:|#|\/)([^)#\s]+)/g)];
      const sources = [
        ...line.matchAll(
          /`((?:client|gateway|json-schema|lint|openapi|otel|postgres|protocol|relay|server)\/src\/[\w./-]*)`/g,
        ),
      ];
      return [
        ...links.map(([, path = ""]) => join(dirname(document), path)),
        ...(document.startsWith("docs/") ? sources.map(([, path = ""]) => join("packages", path)) : []),
      ]
        .filter((path) => !existsSync(join(root, path)))
        .map((path) => `${document}:${index + 1}: names ${path}, which is not there`);
    });
  });
}
