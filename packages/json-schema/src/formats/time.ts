const DATE = /^(\d{4})-(\d\d)-(\d\d)$/;
const TIME = /^(\d\d):(\d\d):(\d\d)(?:\.\d+)?(?:z|([+-])(\d\d):(\d\d))$/i;
const DURATION = /^P(?!$)(?:\d+W|(?:\d+Y)?(?:\d+M)?(?:\d+D)?(?:T(?=\d)(?:\d+H)?(?:\d+M)?(?:\d+S)?)?)$/;

/** RFC 3339 `full-date`. */
export function isDate(text: string): boolean {
  const [, year = 0, month = 0, day = 0] = DATE.exec(text)?.map(Number) ?? [];
  return day >= 1 && month >= 1 && month <= 12 && day <= daysIn(year, month);
}

function daysIn(year: number, month: number): number {
  if (month !== 2) return [4, 6, 9, 11].includes(month) ? 30 : 31;
  return year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0) ? 29 : 28;
}

/** RFC 3339 `full-time`: with an offset, and with leap seconds where they can occur. */
export function isTime(text: string): boolean {
  const match = TIME.exec(text);
  if (!match) return false;
  const [hour = 0, minute = 0, second = 0] = match.slice(1, 4).map(Number);
  const [offsetHour = 0, offsetMinute = 0] = match.slice(5, 7).map((part: string | undefined) => Number(part ?? 0));
  if (hour > 23 || minute > 59 || second > 60 || offsetHour > 23 || offsetMinute > 59) return false;
  if (second < 60) return true;
  const offset = (offsetHour * 60 + offsetMinute) * (match[4] === "-" ? -1 : 1);
  const minuteOfDay = (hour * 60 + minute - offset + 1440) % 1440;
  return minuteOfDay === 23 * 60 + 59;
}

/** RFC 3339 `date-time`. */
export function isDateTime(text: string): boolean {
  return /^t$/i.test(text.charAt(10)) && isDate(text.slice(0, 10)) && isTime(text.slice(11));
}

/** RFC 3339 appendix A `duration`, but units may be skipped (`P1Y2D`), as ISO 8601 has it. */
export function isDuration(text: string): boolean {
  return DURATION.test(text);
}
