const hours = new Intl.DateTimeFormat("en-GB", { hour: "2-digit", minute: "2-digit" });
const seconds = new Intl.DateTimeFormat("en-GB", { hour: "2-digit", minute: "2-digit", second: "2-digit" });
const days = new Intl.DateTimeFormat("en-GB", { day: "numeric", month: "short" });

/** Times in seconds as an axis has them: hours, and the day at midnight. `gap` is the time from one to the next. */
export function formatAxisTimes(values: readonly number[], gap: number): string[] {
  return values.map((value) => {
    const date = new Date(value * 1000);
    if (gap >= 86_400 || (date.getHours() === 0 && date.getMinutes() === 0 && date.getSeconds() === 0)) {
      return days.format(date);
    }
    return (gap < 60 ? seconds : hours).format(date);
  });
}
