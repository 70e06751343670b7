import { echo } from "./echo.ts";
import { getAnnotatedMessage } from "./get-annotated-message.ts";
import { getEnv } from "./get-env.ts";
import { getResourceLinks } from "./get-resource-links.ts";
import { getResourceReference } from "./get-resource-reference.ts";
import { getRootsList } from "./get-roots-list.ts";
import { getStructuredContent } from "./get-structured-content.ts";
import { getSum } from "./get-sum.ts";
import { getTinyAudio } from "./get-tiny-audio.ts";
import { getTinyImage } from "./get-tiny-image.ts";
import { getWeatherData } from "./get-weather-data.ts";
import { getWeather } from "./get-weather.ts";
import { gzipFileAsResource } from "./gzip-file-as-resource.ts";
import { simulateResearchQuery } from "./simulate-research-query.ts";
import { toggleSimulatedLogging } from "./toggle-simulated-logging.ts";
import { toggleSubscriberUpdates } from "./toggle-subscriber-updates.ts";
import { triggerElicitationRequest } from "./trigger-elicitation-request.ts";
import { triggerLongRunningOperation } from "./trigger-long-running-operation.ts";
import { triggerSamplingRequest } from "./trigger-sampling-request.ts";
import { triggerUrlElicitation } from "./trigger-url-elicitation.ts";

/** All tools by name. */
export const tools = {
  echo,
  "get-sum": getSum,
  "get-env": getEnv,
  "get-structured-content": getStructuredContent,
  get_weather: getWeather,
  get_weather_data: getWeatherData,
  "get-tiny-image": getTinyImage,
  "get-tiny-audio": getTinyAudio,
  "get-annotated-message": getAnnotatedMessage,
  "get-resource-links": getResourceLinks,
  "get-resource-reference": getResourceReference,
  "gzip-file-as-resource": gzipFileAsResource,
  "toggle-simulated-logging": toggleSimulatedLogging,
  "toggle-subscriber-updates": toggleSubscriberUpdates,
  "trigger-long-running-operation": triggerLongRunningOperation,
  "simulate-research-query": simulateResearchQuery,
  "trigger-elicitation-request": triggerElicitationRequest,
  "trigger-url-elicitation": triggerUrlElicitation,
  "trigger-sampling-request": triggerSamplingRequest,
  "get-roots-list": getRootsList,
};
