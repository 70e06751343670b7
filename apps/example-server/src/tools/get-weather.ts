import { tool } from "@toolwire/server";
import { z } from "zod";
import { observeWeather, toFahrenheit } from "../weather/simulated-weather.ts";
import { READ_ONLY } from "./hints.ts";

export const getWeather = tool({
  title: "Weather",
  description: "Describes the current weather of a city. The weather is simulated.",
  input: z.object({
    city: z.string().trim().min(1).max(100).describe("Name of the city"),
    units: z.enum(["metric", "imperial"]).default("metric").describe("Degrees Celsius or degrees Fahrenheit"),
  }),
  annotations: READ_ONLY,
  run({ city, units }) {
    const { temperature, conditions, humidity } = observeWeather(city);
    const degrees = units === "metric" ? `${temperature} °C` : `${toFahrenheit(temperature)} °F`;
    return `Current weather in ${city}:\nTemperature: ${degrees}\nConditions: ${conditions}\nHumidity: ${humidity} %`;
  },
});
