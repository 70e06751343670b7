/**
 * What programs under load share with those that load them. An entry point of its own, because servers that are killed again
 * and again should start fast.
 *
 * @packageDocumentation
 */
export { Journal, readJournal, type JournalEntries } from "./journal.ts";
export { Random } from "./random.ts";
