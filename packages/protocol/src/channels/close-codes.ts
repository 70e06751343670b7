import { TransportError, type TransportErrorCode } from "../errors.ts";
import { quoteWords } from "../messages/quote.ts";

/** The WebSocket subprotocol that both sides of the binding name. */
export const SUBPROTOCOL = "mcp";

/** The close codes of RFC 6455, section 7.4.1, that the WebSocket binding uses, by name. */
export const CloseCode = {
  /** The client is done. */
  Normal: 1000,
  /** The server shuts down; connecting again may reach its successor. */
  GoingAway: 1001,
  /** A binary frame arrived. */
  UnsupportedData: 1003,
  /** The peer gave no code. Never on the wire. */
  NoStatus: 1005,
  /** The connection broke without a closing handshake. Never on the wire. */
  Abnormal: 1006,
  /** A text frame that is not UTF-8. */
  InvalidData: 1007,
  /** The server does not want this client, or not any longer. */
  PolicyViolation: 1008,
  /** A message above the limit. */
  TooLarge: 1009,
  /** Something failed inside the server. */
  InternalError: 1011,
  /** Too many connections, or too much waits for a client that does not read. */
  TryAgainLater: 1013,
} as const;

/** Any of the numbers in {@link CloseCode}. */
export type CloseCode = (typeof CloseCode)[keyof typeof CloseCode];

const MEANINGS: Readonly<Record<number, readonly [TransportErrorCode, string]>> = {
  [CloseCode.GoingAway]: ["CONNECTION_LOST", "the peer is going away"],
  [CloseCode.UnsupportedData]: ["CONNECTION_LOST", "the peer accepts no frames of this kind"],
  [CloseCode.Abnormal]: ["CONNECTION_LOST", "the connection broke without a closing handshake"],
  [CloseCode.InvalidData]: ["CONNECTION_LOST", "the peer received text that is not UTF-8"],
  [CloseCode.PolicyViolation]: ["CONNECTION_LOST", "the peer does not accept this connection"],
  [CloseCode.TooLarge]: ["OVERLOADED", "a message was larger than the receiving side allows"],
  [CloseCode.InternalError]: ["CONNECTION_LOST", "something failed inside the peer"],
  [CloseCode.TryAgainLater]: ["OVERLOADED", "the peer is overloaded, or waited too long to be read; try again later"],
};

/** The error for a close code, which pending calls fail with; undefined if the peer closed on purpose. */
export function explainClose(code: number, reason: string): TransportError | undefined {
  if (code === CloseCode.Normal || code === CloseCode.NoStatus) return undefined;
  // Scripts in browsers cannot send codes of the 1000s; those of this SDK add 3000.
  const [errorCode, meaning] = MEANINGS[code >= 4000 ? code - 3000 : code] ?? [
    "CONNECTION_LOST",
    "the peer gave a code that this binding does not use",
  ];
  const detail = reason === "" ? "" : `, ${quoteWords(reason)}`;
  return new TransportError(errorCode, `The WebSocket was closed (${code}${detail}): ${meaning}.`);
}
