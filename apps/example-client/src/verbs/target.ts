import type { CommandTarget } from "@toolwire/client";
import { CommandLineError } from "../command-line-error.ts";

/** Reads a target: a URL, or a command line that starts a server. */
export function readTarget(text: string): URL | CommandTarget {
  if (/^(?:https?|wss?):\/\//i.test(text)) {
    if (URL.canParse(text)) return new URL(text);
    throw new CommandLineError(`${text} is no valid URL.`);
  }
  const [command, ...args] = splitWords(text);
  if (command === undefined) throw new CommandLineError("The target is empty: give a URL, or a command line.");
  return { command, args };
}

/**
 * Splits a command line into words as a shell would, quotes and backslashes included, but without a shell: nothing in it is
 * ever run or replaced. A backslash before a letter is kept, because Windows has paths like that.
 */
export function splitWords(line: string): string[] {
  const words: string[] = [];
  let word: string | undefined;
  let quote: string | undefined;
  for (let index = 0; index < line.length; index++) {
    const character = line.charAt(index);
    const next = line.charAt(index + 1);
    if (character === "\\" && quote !== "'" && /["'\\\s]/.test(next)) {
      word = (word ?? "") + next;
      index += 1;
    } else if (character === quote) quote = undefined;
    else if (quote === undefined && (character === '"' || character === "'")) {
      quote = character;
      word ??= "";
    } else if (quote === undefined && /\s/.test(character)) {
      if (word !== undefined) words.push(word);
      word = undefined;
    } else word = (word ?? "") + character;
  }
  if (quote !== undefined) throw new CommandLineError(`The target has a ${quote} without its counterpart: ${line}`);
  if (word !== undefined) words.push(word);
  return words;
}
