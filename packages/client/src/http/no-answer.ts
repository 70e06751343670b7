import { placeOf } from "./failure.ts";
import { HttpStatusError } from "./status-error.ts";

/** What a successful answer means that does not hold the response it was sent for. */
export function toNoAnswer(status: number, url: URL, contentType: string | undefined, text: string): HttpStatusError {
  const got = `content type ${contentType ?? "(none)"} and a body that begins ${JSON.stringify(text.slice(0, 200))}`;
  const message = `${placeOf(url)} answered with HTTP status ${status}, ${got}: that is no response.`;
  return new HttpStatusError(status, message);
}
