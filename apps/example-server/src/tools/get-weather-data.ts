import { tool } from "@toolwire/server";
import { z } from "zod";
import { observeWeather } from "../weather/simulated-weather.ts";
import { READ_ONLY } from "./hints.ts";

export const getWeatherData = tool({
  title: "Weather data",
  description: "Measures the current weather of a place. The weather is simulated.",
  input: z.object({ location: z.string().trim().min(1).max(100).describe("City name or zip code") }),
  output: z.object({
    temperature: z.number().describe("Temperature in degrees Celsius"),
    conditions: z.string().describe("What the sky looks like"),
    humidity: z.number().describe("Humidity in percent"),
  }),
  annotations: READ_ONLY,
  run: ({ location }) => observeWeather(location),
});
