/** What secrets cost a gateway: adding many of them, and taking them out of texts. */
import { randomBytes } from "node:crypto";
import { createClearing, SecretSet } from "@toolwire/protocol/internal";

/** How long something took, by round, in milliseconds. */
export interface SecretCost {
  readonly what: string;
  readonly times: readonly number[];
}

const MANY = 1000;
const LENGTH = 16_000;
/** Short work is repeated, so that its time can be told. */
const REPEATS = 100;

/** Measures the work on secrets that a gateway does on the thread that serves calls. */
export function measureSecrets(rounds: number): readonly SecretCost[] {
  const long = Array.from({ length: MANY }, () => makeKey(LENGTH));
  const short = Array.from({ length: MANY }, () => makeKey(40));
  const all = new SecretSet();
  for (const secret of short) all.add(secret);
  const [own = ""] = short;
  const text = makeResponse();
  const escaped = JSON.stringify(text);
  const works: readonly (readonly [what: string, work: () => unknown, repeats: number])[] = [
    [`adding ${MANY} secrets of ${LENGTH} characters`, () => addAll(long), 1],
    ["taking the credential of a call out of 10 KB", () => createClearing([own], { q: "x" }).text(text), REPEATS],
    ["the same where quotation marks are escaped", () => createClearing([own], { q: "x" }).text(escaped), REPEATS],
    [`taking ${MANY} secrets out of 10 KB, for the log`, () => all.clear(text), REPEATS],
  ];
  return works.map(([what, work, repeats]) => {
    for (let count = 0; count < repeats; count += 1) work();
    return { what, times: Array.from({ length: rounds }, () => timeOf(work, repeats)) };
  });
}

function timeOf(work: () => unknown, repeats: number): number {
  const start = performance.now();
  for (let count = 0; count < repeats; count += 1) work();
  return (performance.now() - start) / repeats;
}

function addAll(secrets: readonly string[]): void {
  const set = new SecretSet();
  for (const secret of secrets) set.add(secret);
}

/** Keys of one kind begin alike. */
function makeKey(length: number): string {
  return `sk_live_${randomBytes(length).toString("base64url")}`.slice(0, length);
}

function makeResponse(): string {
  const items = Array.from({ length: 75 }, (_, id) => ({
    id,
    name: "Somebody with an ordinary name",
    url: `https://api.example.com/v1/customers/${id}`,
    created: 1_710_755_200 + id,
  }));
  return JSON.stringify(items);
}
