// Measures how well search mode finds tools, and how many tokens it saves: `npm run measure:search`. It writes the tables of
// docs/tool-search.md. With `-- --tuning`, it lists the answers to the questions of the tuning half that were not found first, and
// writes nothing.

import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { publishTable } from "@toolwire/evidence";
import { MINISEARCH, TUNED_MINISEARCH } from "./rankings/minisearch.ts";
import { ORAMA, TUNED_ORAMA } from "./rankings/orama.ts";
import { OURS } from "./rankings/ours.ts";
import type { Ranking } from "./rankings/ranking.ts";
import { readQuestions } from "./scores/questions.ts";
import { type Answer, ask, listUnanswerable, scoreOf } from "./scores/score.ts";
import { tabulateRankings, tabulateSources } from "./scores/tables.ts";
import { readDocuments } from "./sources/documents.ts";
import { readServers } from "./sources/servers.ts";
import { SEARCH_MODE, TOOLS_MODE } from "./tasks/modes.ts";
import { tabulateTasks } from "./tasks/table.ts";
import { TASKS } from "./tasks/tasks.ts";

const app = fileURLToPath(new URL("..", import.meta.url));
const root = join(app, "..", "..");
const page = join(root, "docs", "tool-search.md");
const isTuning = process.argv.includes("--tuning");

const { sources: documents, missing } = readDocuments(root);
if (missing.length > 0) throw new Error(`${missing.join(", ")} are missing. Run: npm run fetch:openapi-documents`);
const servers = await readServers(join(app, "servers"), join(root, "node_modules", ".cache", "search-quality"));
const asked = [...documents, ...servers].map((source) => {
  const questions = readQuestions(join(app, "questions"), source.title);
  return { source, questions: isTuning ? questions.filter(({ half }) => half === "tuning") : questions };
});

const problems = asked.flatMap(({ source, questions }) => listUnanswerable(source, questions));
if (problems.length > 0) throw new Error(problems.join("\n"));

if (isTuning) {
  listMisses(await askAll(OURS));
} else {
  await publish();
}

async function askAll(ranking: Ranking): Promise<readonly Answer[]> {
  const answers: Answer[] = [];
  for (const { source, questions } of asked) answers.push(...(await ask(ranking, source, questions)));
  return answers;
}

function listMisses(answers: readonly Answer[]): void {
  for (const { source, question, place, found } of answers) {
    if (place === 1) continue;
    console.log(`${source}: "${question.query}" ${place === 0 ? "is not found" : `is found at ${place}`}`);
    console.log(`  wanted: ${question.wanted.join(", ")}`);
    for (const key of found.slice(0, 5)) console.log(`          ${key}`);
  }
  const { questions, recallAt1, recallAt5, meanReciprocalRank } = scoreOf(answers);
  const figures = [recallAt1, recallAt5, meanReciprocalRank].map((share) => share.toFixed(3)).join(", ");
  console.log(`${questions} questions: first, in five and mean reciprocal rank are ${figures}`);
}

async function publish(): Promise<void> {
  const rankings: { readonly title: string; readonly answers: readonly Answer[] }[] = [];
  for (const ranking of [MINISEARCH, TUNED_MINISEARCH, ORAMA, TUNED_ORAMA, OURS]) {
    rankings.push({ title: ranking.title, answers: await askAll(ranking) });
  }
  const tables = [
    { name: "rankings", text: tabulateRankings(rankings) },
    { name: "sources", text: tabulateSources(rankings.at(-1)!.answers) },
    { name: "tasks", text: await tabulateTasks(TASKS, [TOOLS_MODE, SEARCH_MODE], documents) },
  ];
  const unwritten = tables.flatMap(({ name, text }) => publishTable({ file: page, name, text }, false));
  for (const { text } of tables) console.log(`${text}\n`);
  for (const problem of unwritten) console.error(problem);
  if (unwritten.length > 0) process.exitCode = 1;
}
