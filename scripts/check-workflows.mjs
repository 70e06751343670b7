// Are the files in `.github` valid, and do they agree with package.json?
//
//   node scripts/check-workflows.mjs [DIRECTORY]

import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parseDocument } from "yaml";
import { report, root } from "./workspace.mjs";

/**
 * @typedef {{ uses?: string, run?: string, with?: Record<string, unknown> }} Step
 * @typedef {{ "timeout-minutes"?: number, steps?: Step[], strategy?: { matrix?: { node?: unknown[] } } }} Job
 */

const [directory = root] = process.argv.slice(2);
/** @type {{ scripts: Record<string, string>, engines: { node: string } }} */
const { scripts, engines } = JSON.parse(readFileSync(join(directory, "package.json"), "utf8"));
const oldest = engines.node.replace(/^>=/, "");

/** @type {string[]} */
const problems = [];

const workflows = listFiles(".github/workflows");
for (const file of workflows) checkWorkflow(file, read(file));
const forms = listFiles(".github/ISSUE_TEMPLATE");
for (const file of forms.filter((each) => !each.endsWith("/config.yml"))) checkForm(file, read(file));
if (existsSync(join(directory, ".github/dependabot.yml"))) read(".github/dependabot.yml");
const pinned = readFileSync(join(directory, ".nvmrc"), "utf8").trim();
if (pinned !== oldest) problems.push(`.nvmrc: is ${pinned}, but \`engines\` in package.json begins with ${oldest}`);

report(problems, `${workflows.length} workflows and ${forms.length} issue forms are in order`);

/**
 * @param {string} file
 * @param {any} workflow
 */
function checkWorkflow(file, workflow) {
  if (workflow?.permissions === undefined) problems.push(`${file}: has no \`permissions\`: write \`contents: read\``);
  for (const [name, job] of Object.entries(/** @type {Record<string, Job>} */ (workflow?.jobs ?? {}))) {
    const place = `${file}: ${name}`;
    if (job["timeout-minutes"] === undefined) problems.push(`${place}: has no \`timeout-minutes\``);
    const versions = job.strategy?.matrix?.node;
    if (versions !== undefined) checkVersions(place, versions.map(String));
    for (const step of job.steps ?? []) checkStep(place, step);
  }
}

/**
 * The oldest version that `engines` allows, and every even major version from there to the newest.
 *
 * @param {string} place
 * @param {string[]} versions
 */
function checkVersions(place, versions) {
  const first = versions[0] ?? "none";
  if (first !== oldest) problems.push(`${place}: begins with Node ${first}, but \`engines\` begins with ${oldest}`);
  const majors = versions.map((version) => Number.parseInt(version, 10));
  for (let major = Number.parseInt(oldest, 10); major <= Math.max(...majors); major += 2) {
    if (!majors.includes(major)) problems.push(`${place}: leaves out Node ${major}`);
  }
}

/**
 * @param {string} place
 * @param {Step} step
 */
function checkStep(place, step) {
  const { uses, run = "" } = step;
  if (uses !== undefined && !/^[\w./-]+@(?:v\d+|[\da-f]{40})$/.test(uses)) {
    problems.push(`${place}: \`${uses}\` is not pinned: name a major version (@v1) or a commit`);
  }
  // Actions get commands, too, such as the one that publishes.
  const commands = [run, ...Object.values(step.with ?? {}).filter((value) => typeof value === "string")];
  for (const command of commands) {
    for (const [, script = ""] of command.matchAll(/\bnpm run (?:--silent )?([\w:-]+)/g)) {
      if (scripts[script] === undefined) problems.push(`${place}: package.json has no script \`${script}\``);
    }
    for (const [program] of command.matchAll(/(?<=^|\s)\.ci\/\S+/g)) {
      if (!existsSync(join(directory, program))) problems.push(`${place}: there is no \`${program}\``);
    }
    if (/\$\{\{\s*github\.(?:event|head_ref)/.test(command) && command === run) {
      problems.push(`${place}: puts what others wrote into a shell: pass it through \`env\``);
    }
  }
}

/**
 * @param {string} file
 * @param {any} form
 */
function checkForm(file, form) {
  for (const field of ["name", "description", "body"]) {
    if (form?.[field] === undefined) problems.push(`${file}: has no \`${field}\``);
  }
  /** @type {{ type: string, id?: string }[]} */
  const fields = (form?.body ?? []).filter((/** @type {{ type: string }} */ { type }) => type !== "markdown");
  const ids = fields.map(({ id }) => id);
  if (ids.includes(undefined) || new Set(ids).size < ids.length) {
    problems.push(`${file}: every field needs an \`id\` of its own`);
  }
}

/** @param {string} folder */
function listFiles(folder) {
  const path = join(directory, folder);
  return existsSync(path)
    ? readdirSync(path)
        .filter((name) => /\.ya?ml$/.test(name))
        .map((name) => `${folder}/${name}`)
    : [];
}

/** @param {string} file */
function read(file) {
  const document = parseDocument(readFileSync(join(directory, file), "utf8"));
  problems.push(...document.errors.map(({ message }) => `${file}: ${message}`));
  return document.errors.length === 0 ? document.toJS() : undefined;
}
