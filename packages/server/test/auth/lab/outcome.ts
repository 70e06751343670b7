import type { Admission } from "../../../src/bindings/admission/auth.ts";
import type { Refusal } from "../../../src/bindings/admission/refusals.ts";
import type { Principal } from "../../../src/origin.ts";
// The client's parser of challenges is the judge of what the server writes.
import { parseChallenges } from "../../../../client/src/auth/discovery/challenge.ts";

/** The principal of a request that was let in. */
export async function admitted(admission: Admission | Promise<Admission>): Promise<Principal> {
  const outcome = await admission;
  if ("refusal" in outcome) throw new Error(`The request was refused: ${JSON.stringify(outcome.refusal)}`);
  if (outcome.principal === undefined) throw new Error("There is no principal.");
  return outcome.principal;
}

/** A refusal in a form that tests can compare. */
export interface ReadRefusal {
  readonly status: number;
  /** The `error` of the first challenge that has one. */
  readonly error: string | undefined;
  readonly header: (name: string) => string | undefined;
  /** The parameters of each challenge by its scheme. */
  readonly challenges: Readonly<Record<string, Readonly<Record<string, string | undefined>>>>;
  readonly refusal: Refusal;
}

/** The refusal of a request that was not let in. */
export async function refused(admission: Admission | Promise<Admission>): Promise<ReadRefusal> {
  const outcome = await admission;
  if (!("refusal" in outcome)) throw new Error("The request was let in.");
  const { refusal } = outcome;
  const header = (name: string): string | undefined => fieldOf(refusal.headers ?? [], name);
  const challenges = readChallenges(header("www-authenticate"));
  const error = Object.values(challenges).find((parameters) => parameters["error"] !== undefined)?.["error"];
  return { status: refusal.status, error, header, challenges, refusal };
}

/** Reads a header into the parameters of each scheme. */
export function readChallenges(header: string | undefined): ReadRefusal["challenges"] {
  return Object.fromEntries(
    parseChallenges(header).map(({ scheme, parameters }) => [
      scheme,
      Object.fromEntries([...parameters].map(([name, [value]]) => [name, value])),
    ]),
  );
}

/** Looks up a field in a list of names and values in turn. */
export function fieldOf(fields: readonly string[], name: string): string | undefined {
  const index = fields.findIndex((text, at) => at % 2 === 0 && text.toLowerCase() === name);
  return index === -1 ? undefined : fields[index + 1];
}
