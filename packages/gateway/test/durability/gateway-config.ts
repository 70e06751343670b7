/** The configuration of a gateway in front of an API with one tool. */
export function gatewayConfig(
  apiUrl: string,
  storage: { readonly store: string; readonly path: string; readonly url?: string | undefined },
): string {
  return JSON.stringify({
    version: 1,
    analytics: storage,
    network: { allow: ["127.0.0.1"] },
    servers: {
      weather: {
        auth: "none",
        // As many as the load sends.
        limits: { perMinute: 1_000_000 },
        tools: {
          get_weather: {
            description: "Current weather of a city",
            request: { method: "GET", url: `${apiUrl}/{city}` },
            input: { type: "object", properties: { city: { type: "string" } }, required: ["city"] },
          },
        },
      },
    },
  });
}
