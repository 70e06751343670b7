const clock = new Intl.DateTimeFormat("en-GB", { hour: "2-digit", minute: "2-digit", second: "2-digit" });
const day = new Intl.DateTimeFormat("en-GB", { day: "numeric", month: "short" });
const full = new Intl.DateTimeFormat("en-GB", { dateStyle: "medium", timeStyle: "medium" });

/** 14:30:12, or with the day if it is not today. */
export function formatTime(at: number, now: number = Date.now()): string {
  const isToday = new Date(at).toDateString() === new Date(now).toDateString();
  return isToday ? clock.format(at) : `${day.format(at)}, ${clock.format(at)}`;
}

/** 28 Jul 2026, 14:30:12 */
export function formatFullTime(at: number): string {
  return full.format(at);
}

/** 3 days, 2 hours, for how long something has been running. */
export function formatSpan(ms: number): string {
  const minutes = Math.floor(ms / 60_000);
  const hours = Math.floor(minutes / 60);
  const days = Math.floor(hours / 24);
  if (days > 0) return `${days} d ${hours % 24} h`;
  if (hours > 0) return `${hours} h ${minutes % 60} min`;
  return `${Math.max(minutes, 0)} min`;
}
