/** The fewest characters of a token that nobody guesses, if they are random. */
const MIN_LENGTH = 16;

/** The fewest different characters in it. 16 random hexadecimal digits nearly always have more. */
const MIN_DISTINCT = 6;

/** How many characters must be left of it without words and runs. */
const MIN_REST = 10;

/** What people write when they need a token and do not want to think of one. */
const WORDS =
  /administrator|admin|password|passwort|passwd|pass|secret|token|changeme|change|please|default|example|sample|test|demo|dev|local|toolwire|gateway|server|letmein|welcome|login|user|root|master|hello|qwertz|qwerty|asdfgh|access|key|my|the|this|is|not|me/g;

/**
 * Why a token can be guessed, as the rest of a sentence; `undefined` if it does not look like it. Looks at length, repetition, runs such as `1234` and common
 * words. The text never contains the token.
 */
export function findGuessable(token: string): string | undefined {
  if (token.length < MIN_LENGTH) return `it has fewer than ${MIN_LENGTH} characters`;
  if (new Set(token).size < MIN_DISTINCT) return `it has fewer than ${MIN_DISTINCT} different characters`;
  const period = (token + token).indexOf(token, 1);
  if (period <= token.length / 2) return "it repeats the same few characters";
  const plain = token
    .toLowerCase()
    .replaceAll("@", "a")
    .replaceAll("$", "s")
    .replaceAll(/0(?=[a-z])/g, "o");
  const rest = withoutRuns(plain).replaceAll(WORDS, "").replaceAll(/[\W_]/g, "");
  return rest.length < MIN_REST ? "it is made of common words and runs of characters" : undefined;
}

/** Takes out what counts up or down, such as `abcd` and `4321`, and what repeats one character. */
function withoutRuns(text: string): string {
  let kept = "";
  let run = "";
  let step: number | undefined;
  const end = (): void => {
    if (run.length < 4) kept += run;
  };
  for (const character of text) {
    const difference = character.codePointAt(0)! - (run.at(-1) ?? character).codePointAt(0)!;
    const goesOn = run !== "" && Math.abs(difference) <= 1 && (step === undefined || step === difference);
    if (goesOn) {
      run += character;
      step = difference;
    } else {
      end();
      run = character;
      step = undefined;
    }
  }
  end();
  return kept;
}
