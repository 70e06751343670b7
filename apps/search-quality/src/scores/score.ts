import type { Ranking } from "../rankings/ranking.ts";
import type { Source } from "../sources/source.ts";
import type { Question } from "./questions.ts";

/** A question, and the place at which the first wanted tool was found, from 1. 0: not among ten. */
export interface Answer {
  readonly source: string;
  readonly question: Question;
  readonly place: number;
  readonly found: readonly string[];
}

/** How good answers are. */
export interface Score {
  readonly questions: number;
  /** The share that have a wanted tool first. */
  readonly recallAt1: number;
  /** The share that have a wanted tool among the first five. */
  readonly recallAt5: number;
  /** The mean of one divided by the place. */
  readonly meanReciprocalRank: number;
}

const MOST = 10;

/** Asks a ranking all questions about a source. */
export async function ask(
  ranking: Ranking,
  source: Source,
  questions: readonly Question[],
): Promise<readonly Answer[]> {
  const search = await ranking.build(source.tools);
  const answers: Answer[] = [];
  for (const question of questions) {
    const found = (await search(question.query, MOST)).map(({ key }) => key);
    const place = found.findIndex((key) => question.wanted.includes(key)) + 1;
    answers.push({ source: source.title, question, place, found });
  }
  return answers;
}

/** Sums answers up. */
export function scoreOf(answers: readonly Answer[]): Score {
  const share = (most: number): number =>
    answers.filter(({ place }) => place > 0 && place <= most).length / answers.length;
  const reciprocal = answers.reduce((sum, { place }) => sum + (place === 0 ? 0 : 1 / place), 0);
  return {
    questions: answers.length,
    recallAt1: share(1),
    recallAt5: share(5),
    meanReciprocalRank: reciprocal / answers.length,
  };
}

/** Questions whose wanted tools do not exist: the documents have changed, or the question is wrong. */
export function listUnanswerable({ title, tools }: Source, questions: readonly Question[]): readonly string[] {
  const keys = new Set(tools.map(({ key }) => key));
  return questions.flatMap(({ query, wanted }) =>
    wanted.filter((key) => !keys.has(key)).map((key) => `${title}: "${query}" wants ${key}, which does not exist`),
  );
}
