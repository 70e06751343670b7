import type { Message, NotificationMessage } from "../index.ts";
import { ContractViolation } from "./contract.ts";

/** The method of the notifications that checks count. */
const METHOD = "notifications/contract";

/** How many numbers are listed one by one. */
const LISTED = 5;

/** Makes the notification with this number. `text` makes it as long as a check needs it. */
export function numberedMessage(number: number, text: string = ""): NotificationMessage {
  return { jsonrpc: "2.0", method: METHOD, params: { number, text } };
}

/** Makes the notifications with the numbers from 1 to `count`. */
export function numberedMessages(count: number, text?: string): NotificationMessage[] {
  return Array.from({ length: count }, (_, index) => numberedMessage(index + 1, text));
}

/** The number of a message that {@link numberedMessage} has made; `undefined` for others. */
export function numberOf(message: Message): number | undefined {
  if (!("method" in message) || message.method !== METHOD) return undefined;
  return (message.params as { readonly number?: number } | undefined)?.number;
}

/**
 * Compares the numbers that arrived with those from 1 to `sent`.
 *
 * @throws ContractViolation that names what is missing, arrived twice or arrived in another order
 */
export function expectNumbers(receiver: string, sent: number, arrived: readonly number[]): void {
  const problem = findDifference(receiver, sent, arrived);
  if (problem !== undefined) throw new ContractViolation(problem);
}

/** The difference between the numbers that arrived and those from 1 to `sent`, in words; `undefined` if there is none. */
export function findDifference(receiver: string, sent: number, arrived: readonly number[]): string | undefined {
  const counts = new Map<number, number>();
  for (const number of arrived) counts.set(number, (counts.get(number) ?? 0) + 1);
  const missing = Array.from({ length: sent }, (_, index) => index + 1).filter((number) => !counts.has(number));
  if (missing.length > 0) {
    const verb = missing.length === 1 ? "is" : "are";
    return `The ${receiver} received ${sent - missing.length} of ${sent} messages: ${listNumbers(missing)} ${verb} missing.`;
  }
  const doubled = [...counts].find(([, count]) => count > 1);
  if (doubled !== undefined) {
    const times = doubled[1] === 2 ? "twice" : `${doubled[1]} times`;
    return `The ${receiver} received message ${doubled[0]} ${times}, although it was sent once.`;
  }
  const unsent = arrived.find((number) => !(number >= 1 && number <= sent));
  if (unsent !== undefined) return `The ${receiver} received message ${unsent}, which was not sent.`;
  const early = arrived.findIndex((number, index) => number !== index + 1);
  if (early === -1) return undefined;
  return `The ${receiver} received message ${arrived[early]} before message ${early + 1}: messages arrive in the order in which they were sent.`;
}

/** Lists numbers in words, such as "4 and 5", and says how many more there are if there are many. */
function listNumbers(numbers: readonly number[]): string {
  if (numbers.length > LISTED) return `${numbers.slice(0, LISTED).join(", ")} and ${numbers.length - LISTED} more`;
  if (numbers.length < 2) return numbers.join("");
  return `${numbers.slice(0, -1).join(", ")} and ${numbers.at(-1)}`;
}
