import { simulateApi, type SimulatedApi } from "./simulated-api.ts";

/** The weather of some cities, in the form of wttr.in: every figure is a text. */
const CONDITIONS: Readonly<Record<string, object>> = {
  london: describe("12", "54", "Partly cloudy", "72", "15"),
  oslo: describe("-3", "27", "Light snow", "86", "9"),
  nairobi: describe("24", "75", "Sunny", "48", "11"),
};

function describe(celsius: string, fahrenheit: string, sky: string, humidity: string, wind: string): object {
  return {
    temp_C: celsius,
    temp_F: fahrenheit,
    weatherDesc: [{ value: sky }],
    humidity,
    windspeedKmph: wind,
  };
}

/** Starts an API of the weather: `GET /{city}?format=j1`. It needs no credentials. */
export function startWeatherApi(): Promise<SimulatedApi> {
  return simulateApi(({ method, url }) => {
    if (method !== "GET") return { status: 405, body: { message: "Only GET is allowed" } };
    const city = decodeURIComponent(url.pathname.slice(1)).toLowerCase();
    if (!Object.hasOwn(CONDITIONS, city)) return { status: 404, body: { message: "City not found" } };
    return { status: 200, body: { current_condition: [CONDITIONS[city]] } };
  });
}
