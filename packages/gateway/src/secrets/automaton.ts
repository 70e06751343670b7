/** A part of a text, from (inclusive) to (exclusive). */
interface Span {
  readonly from: number;
  readonly to: number;
}

/** Finds many words in a text at once. */
export interface Automaton {
  /**
   * The parts of the text that are words, in order, joined where they overlap. A text may be cut off in the middle of a word:
   * its end counts if it is the beginning of a word, and has `shortestStart` characters or more.
   */
  find(text: string, shortestStart: number): readonly Span[];
}

/** A prefix of a word. Most have one continuation, which costs no map. */
class State {
  /** The state of the longest proper suffix. */
  fallback: State | undefined;
  /** The length of the longest word that ends here; 0 for none. */
  wordLength = 0;
  readonly depth: number;
  #unit = -1;
  #child: State | undefined;
  #others: Map<number, State> | undefined;

  constructor(depth: number) {
    this.depth = depth;
  }

  next(unit: number): State | undefined {
    return unit === this.#unit ? this.#child : this.#others?.get(unit);
  }

  grow(unit: number): State {
    const state = new State(this.depth + 1);
    if (this.#child === undefined) {
      this.#unit = unit;
      this.#child = state;
    } else {
      this.#others ??= new Map();
      this.#others.set(unit, state);
    }
    return state;
  }

  *children(): Generator<readonly [unit: number, state: State]> {
    if (this.#child !== undefined) yield [this.#unit, this.#child];
    if (this.#others !== undefined) yield* this.#others;
  }
}

/**
 * Prepares the search for all words (Aho and Corasick, 1975): one pass over the text, whose cost does not depend on the
 * number of words.
 */
export function buildAutomaton(words: readonly string[]): Automaton {
  const root = new State(0);
  for (const word of words) addWord(root, word);
  linkFallbacks(root);
  return { find: (text, shortestStart) => find(root, text, shortestStart) };
}

function addWord(root: State, word: string): void {
  let state = root;
  for (let index = 0; index < word.length; index += 1) {
    const unit = word.charCodeAt(index);
    state = state.next(unit) ?? state.grow(unit);
  }
  state.wordLength = word.length;
}

/** Breadth first, so that the fallback of a state is complete before its children need it. */
function linkFallbacks(root: State): void {
  const queue = [root];
  for (const state of queue) {
    for (const [unit, child] of state.children()) {
      let fallback = state.fallback;
      while (fallback !== undefined && fallback.next(unit) === undefined) fallback = fallback.fallback;
      child.fallback = fallback?.next(unit) ?? root;
      child.wordLength = Math.max(child.wordLength, child.fallback.wordLength);
      queue.push(child);
    }
  }
}

function find(root: State, text: string, shortestStart: number): readonly Span[] {
  const spans: Span[] = [];
  let state = root;
  for (let index = 0; index < text.length; index += 1) {
    const unit = text.charCodeAt(index);
    let next = state.next(unit);
    while (next === undefined && state.fallback !== undefined) {
      state = state.fallback;
      next = state.next(unit);
    }
    state = next ?? root;
    if (state.wordLength > 0) addSpan(spans, { from: index + 1 - state.wordLength, to: index + 1 });
  }
  if (state.depth >= shortestStart) addSpan(spans, { from: text.length - state.depth, to: text.length });
  return spans;
}

/** Words end in order, but a longer one may begin before those that were found. */
function addSpan(spans: Span[], span: Span): void {
  let { from } = span;
  for (let last = spans.at(-1); last !== undefined && last.to > from; last = spans.at(-1)) {
    from = Math.min(from, last.from);
    spans.pop();
  }
  spans.push({ from, to: span.to });
}
