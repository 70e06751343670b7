/** The weather of a place. */
export interface Weather {
  /** In degrees Celsius. */
  readonly temperature: number;
  readonly conditions: string;
  /** In percent. */
  readonly humidity: number;
}

const CONDITIONS = ["Sunny", "Partly cloudy", "Cloudy", "Light rain", "Thunderstorm", "Snow", "Fog"] as const;

/** The weather of a place. Nobody looked out of a window: the same place always has the same weather. */
export function observeWeather(place: string): Weather {
  const random = hash(place.trim().toLowerCase());
  const conditions = CONDITIONS[random % CONDITIONS.length] ?? "Sunny";
  const [coldest, warmest] = conditions === "Snow" ? [-12, 1] : [2, 34];
  return {
    temperature: coldest + ((random >>> 4) % ((warmest - coldest) * 2 + 1)) / 2,
    conditions,
    humidity: 30 + ((random >>> 12) % 66),
  };
}

/** Degrees Celsius as degrees Fahrenheit, to half a degree. */
export function toFahrenheit(celsius: number): number {
  return Math.round((celsius * 9 * 2) / 5 + 64) / 2;
}

/** FNV-1a: spreads similar names far apart, and is the same on every machine. */
function hash(text: string): number {
  let value = 0x811c9dc5;
  for (const byte of new TextEncoder().encode(text)) {
    value = Math.imul(value ^ byte, 0x01000193) >>> 0;
  }
  return value;
}
