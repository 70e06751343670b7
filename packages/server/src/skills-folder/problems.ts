import { UsageError } from "@toolwire/protocol";

/** Something that keeps a folder from being served. */
export interface FolderProblem {
  /** The path of the file, below the folder that was opened; empty for that folder. */
  readonly file: string;
  readonly line?: number | undefined;
  readonly column?: number | undefined;
  /** A sentence. */
  readonly problem: string;
}

/** The most problems that an error lists. */
const MOST_LISTED = 20;

/** One error for all that is wrong with a folder, one problem a line. */
export function folderError(folder: string, problems: readonly FolderProblem[]): UsageError {
  const lines = problems.slice(0, MOST_LISTED).map(({ file, line, column, problem }) => {
    const place = [file === "" ? folder : `${folder}/${file}`, line, line === undefined ? undefined : column];
    return `${place.filter((part) => part !== undefined).join(":")}: ${problem}`;
  });
  if (problems.length > MOST_LISTED) lines.push(`and ${problems.length - MOST_LISTED} more`);
  return new UsageError("INVALID_DEFINITION", `The skills in ${folder} cannot be served.\n${lines.join("\n")}`);
}
