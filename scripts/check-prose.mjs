// Does the repository speak of the project alone: no paths of someone's machine, no registry hosts, no loose ends?

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { listRepositoryFiles, report, root } from "./workspace.mjs";

/** @type {[RegExp, string][]} */
const unwanted = [
  [/(?<![\w.:-])\/(?:work|tmp|root|var\/folders|Users\/\w+)\//, "a path of one machine"],
  [/\b[A-Z]:\\+Users\\/, "a path of one machine"],
  [/\bregistry(?:\.[\w-]+)*\.(?:org|com|net|io|dev|cn|local|internal)\b/, "a registry host"],
  [/\b(?:TODO|FIXME|XXX|HACK)\b/, "a loose end"],
  // Also as a formatter of Markdown rewrites them.
  [/^(?:<{7}(?: |$)|={7}$|\| ={7} +\||>{7} |(?:> ){7})/, "a merge that was not finished"],
];

const files = listRepositoryFiles(":!pnpm-lock.yaml", ":!scripts/check-prose.mjs", ":!*.png");
const problems = files.flatMap((file) =>
  readFileSync(join(root, file), "utf8")
    .split("\n")
    .flatMap((line, index) =>
      unwanted
        .filter(([pattern]) => pattern.test(line))
        .map(([, reason]) => `${file}:${index + 1}: ${reason}: ${line.trim().slice(0, 160)}`),
    ),
);

report(problems, `${files.length} files speak of the project alone`);
