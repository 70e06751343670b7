/** The formats that a text of a form can be asked to have. Each test takes time in proportion to the text. */
export const FORMATS: ReadonlyMap<unknown, (text: string) => boolean> = new Map([
  ["email", isEmail],
  ["uri", isUri],
  ["date", isDate],
  ["date-time", isDateTime],
]);

/** Whether a text has the format that its field asks for. Those that forms do not know cannot be missed. */
export function hasFormat(text: string, format: unknown): boolean {
  return FORMATS.get(format)?.(text) !== false;
}

/** Words with single dots between them, on both sides. Which characters a mailbox may have, its host knows best. */
function isEmail(text: string): boolean {
  return /^[^\s@.]+(\.[^\s@.]+)*@[^\s@.]+(\.[^\s@.]+)*$/.test(text);
}

/** Parsers of URLs mend what is not allowed in one (RFC 3986, section 2): the server would get what they were given. */
function isUri(text: string): boolean {
  return URL.canParse(text) && !/[\s"<>\\^`{|}]/.test(text);
}

/** RFC 3339 `full-date`. `Date` takes the 31st of February for the 3rd of March. */
function isDate(text: string): boolean {
  const date = new Date(/^\d{4}-\d\d-\d\d$/.test(text) ? text : Number.NaN);
  return !Number.isNaN(date.valueOf()) && date.toISOString().startsWith(text);
}

const TIME = /^([01]\d|2[0-3]):([0-5]\d:[0-5]\d|59:60)(\.\d+)?(z|[+-]([01]\d|2[0-3]):[0-5]\d)$/i;

/** RFC 3339 `date-time`: always with an offset. */
function isDateTime(text: string): boolean {
  return isDate(text.slice(0, 10)) && /^t$/i.test(text.charAt(10)) && TIME.test(text.slice(11));
}
