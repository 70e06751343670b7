import { readFileSync, writeFileSync } from "node:fs";

/** A text that a program keeps up to date inside a document. */
export interface PublishedTable {
  /** The document. */
  readonly file: string;
  /** Names the place: between `<!-- NAME:begin -->` and `<!-- NAME:end -->`. */
  readonly name: string;
  readonly text: string;
}

/**
 * Puts a table in its place in a document. With `isCheck`, nothing is written, and a document that says something else is a
 * problem, lines aside that begin with `Run on`. Returns the problems.
 */
export function publishTable({ file, name, text }: PublishedTable, isCheck: boolean): string[] {
  const [begin, end] = [`<!-- ${name}:begin -->`, `<!-- ${name}:end -->`];
  const document = readFileSync(file, "utf8");
  const [start, stop] = [document.indexOf(begin), document.indexOf(end)];
  if (start === -1 || stop < start) {
    return [`${file} has no place for the table: put ${begin} and ${end} where it is to go.`];
  }
  const published = `${document.slice(0, start + begin.length)}\n\n${text.trim()}\n\n${document.slice(stop)}`;
  if (!isCheck) writeFileSync(file, published);
  else if (withoutRun(published) !== withoutRun(document)) return [`${file} is out of date.`];
  return [];
}

function withoutRun(text: string): string {
  return text.replaceAll(/^Run on .*$/gm, "");
}
