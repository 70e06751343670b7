import { markdownTable } from "@toolwire/evidence";
import type { Half } from "./questions.ts";
import { type Answer, scoreOf } from "./score.ts";

/** The answers of one ranking to all questions. */
export interface RankingAnswers {
  readonly title: string;
  readonly answers: readonly Answer[];
}

const HALVES: readonly Half[] = ["tuning", "sealed"];

/** Rankings beside each other, for both halves. */
export function tabulateRankings(rankings: readonly RankingAnswers[]): string {
  const head = ["ranking", ...HALVES.flatMap((half) => [`${half}: first`, "in five", "reciprocal"])];
  const rows = rankings.map(({ title, answers }) => [
    title,
    ...HALVES.flatMap((half) => cellsOf(answers.filter(({ question }) => question.half === half))),
  ]);
  return markdownTable(head, rows);
}

/** One ranking by source, for both halves. */
export function tabulateSources(answers: readonly Answer[]): string {
  const head = ["source", ...HALVES.flatMap((half) => [`${half}: questions`, "first", "in five"])];
  const sources = [...new Set(answers.map(({ source }) => source))];
  const rows = [...sources, "all"].map((source) => [
    source,
    ...HALVES.flatMap((half) => {
      const own = answers.filter((each) => (source === "all" || each.source === source) && each.question.half === half);
      const [first = "", inFive = ""] = cellsOf(own);
      return [`${own.length}`, first, inFive];
    }),
  ]);
  return markdownTable(head, rows);
}

function cellsOf(answers: readonly Answer[]): string[] {
  if (answers.length === 0) return ["", "", ""];
  const { recallAt1, recallAt5, meanReciprocalRank } = scoreOf(answers);
  return [recallAt1, recallAt5, meanReciprocalRank].map((share) => share.toFixed(2));
}
