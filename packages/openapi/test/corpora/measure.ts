/** Measures what models read of the documents of real APIs: `npm run measure:openapi`. */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { listOpenApi } from "../../src/import/read-open-api.ts";
import { DOCUMENTS, hasDocument, readText } from "./documents.ts";

const PAGE = join(import.meta.dirname, "../../../../docs/openapi-documents.md");

const titles = [...DOCUMENTS.keys()].filter((title) => !title.startsWith("examples-") && title !== "galaxy");
const missing = titles.filter((title) => !hasDocument(title));
if (missing.length > 0) {
  console.error(`Nothing is measured: ${missing.join(", ")} are missing. Run: npm run fetch:openapi-documents`);
  process.exitCode = 1;
} else {
  publish("tokens", measureTokens());
  console.log("docs/openapi-documents.md has the figures.");
}

/** The tokens of the tools of each document that are not deprecated, with full texts and with lean ones. */
function measureTokens(): string {
  const rows = titles.map((title) => {
    const document = readText(title);
    const lean = listOpenApi(document).operations.filter(({ problem }) => problem === undefined);
    const full = listOpenApi(document, { descriptions: "full", names: "operationId" }).operations;
    const sum = (operations: readonly { readonly tokens: number }[]): number =>
      operations.reduce((total, { tokens }) => total + tokens, 0);
    const [before, after] = [sum(full), sum(lean)];
    return { title, tools: lean.length, before, after };
  });
  const lines = rows
    .toSorted((one, other) => other.before - one.before)
    .map(({ title, tools, before, after }) =>
      writeRow(title, tools, before, after, `${Math.round((1 - after / before) * 100)} %`),
    );
  return [
    "| document | tools | tokens, full | tokens, lean | saved |",
    "| --- | --: | --: | --: | --: |",
    ...lines,
  ].join("\n");
}

function writeRow(...cells: readonly (string | number)[]): string {
  return `| ${cells.map((cell) => (typeof cell === "number" ? cell.toLocaleString("en") : cell)).join(" | ")} |`;
}

/** Puts a table in its place in the page. */
function publish(name: string, table: string): void {
  const page = readFileSync(PAGE, "utf8");
  const [begin, end] = [`<!-- ${name}:begin -->`, `<!-- ${name}:end -->`];
  const [start, stop] = [page.indexOf(begin), page.indexOf(end)];
  if (start === -1 || stop < start) throw new Error(`${PAGE} has no place for the table "${name}".`);
  writeFileSync(PAGE, `${page.slice(0, start + begin.length)}\n\n${table}\n\n${page.slice(stop)}`);
}
