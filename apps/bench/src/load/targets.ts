/** Gets a server ready to be measured: its answers are looked at, and its sessions opened. */
import { checkAnswer, checkRefusal, type Expectation } from "../workload/answers.ts";
import {
  callMethod,
  callParams,
  type Ids,
  type PreparedRequest,
  prepareMessage,
  preparePost,
  protocolHeaders,
} from "../workload/requests.ts";
import type { Call, Wiring } from "../workload/scenario.ts";
import { createToken } from "../workload/token.ts";
import { exchange, openSession } from "./http-exchange.ts";
import { HttpLoad, readMessage } from "./http-load.ts";
import { readHeader } from "./http-response.ts";
import { exchangeLine } from "./line-exchange.ts";
import { LineLoad, type Pipes } from "./line-load.ts";
import type { Load } from "./load.ts";
import { FrameReader, frameMessage } from "./websocket-frames.ts";
import { openWebSocket, WebSocketLoad } from "./websocket-load.ts";

/** Everything the load process has to know about a server and what to do with it. */
export interface TargetOptions {
  readonly contender: string;
  readonly wiring: Wiring;
  readonly call: Call;
  readonly connections: number;
  readonly inFlight: number;
  /** How many legacy sessions to open and to spread the calls over; one per connection unless said. */
  readonly sessions?: number;
  readonly accept?: string;
  /** HTTP and WebSocket only. */
  readonly port?: number;
  /** Whether bad arguments have to be refused: all do that but `raw`. */
  readonly isValidating: boolean;
}

/** Looks at one answer and one refusal, and prepares the load. A stdio server is reached over its pipes. */
export async function prepareLoad(options: TargetOptions, ids: Ids, pipes: Pipes | undefined): Promise<Load> {
  if (pipes !== undefined) return preparePipes(options, ids, pipes);
  return options.wiring.transport === "http" ? prepareHttp(options, ids) : prepareWebSocket(options, ids);
}

async function prepareHttp(options: TargetOptions, ids: Ids): Promise<Load> {
  const { call, wiring, connections, port = 0 } = options;
  const sessions = wiring.sessions ? await openSessions(port, options.sessions ?? connections) : undefined;
  const protocol = {
    ...protocolHeaders(call, wiring.era),
    ...(options.accept !== undefined && { Accept: options.accept }),
    ...(wiring.hasToken === true && { Authorization: `Bearer ${createToken()}` }),
  };
  const lanes = sessions ?? Array.from({ length: connections }, () => ({}));
  const post = (params: object): PreparedRequest[] => {
    const message = prepareMessage(callMethod(call), params);
    return lanes.map((session) => preparePost(message, { port, headers: { ...protocol, ...session } }));
  };
  const requests = post(callParams(call, wiring.era));
  await checkTarget(options, ids, requests, post(badParams(options)), async (request) => {
    const response = await exchange(port, request);
    const type = readHeader(response.head, "content-type");
    if (response.status === 200 && type.includes("event-stream") !== (wiring.answers === "sse")) {
      throw new Error(`Answers are to be ${wiring.answers}, but the server sends ${type}.`);
    }
    return readMessage(response);
  });
  return new HttpLoad({ port, connections, requests, expectation: expect(options), ids });
}

async function prepareWebSocket(options: TargetOptions, ids: Ids): Promise<Load> {
  const { call, wiring, connections, inFlight, port = 0 } = options;
  const message = (params: object): PreparedRequest => prepareMessage(callMethod(call), params);
  const request = message(callParams(call, wiring.era));
  await checkTarget(options, ids, [request], [message(badParams(options))], async (probe) => {
    const socket = await openWebSocket(port);
    return new Promise((resolve) => {
      const reader = new FrameReader((payload) => {
        socket.destroy();
        resolve(Buffer.concat(payload).toString());
      });
      socket.on("data", (bytes: Buffer) => reader.push(bytes));
      socket.write(frameMessage(probe).bytes);
    });
  });
  return new WebSocketLoad({ port, connections, inFlight, request, expectation: expect(options), ids });
}

async function preparePipes(options: TargetOptions, ids: Ids, pipes: Pipes): Promise<Load> {
  const { call, wiring, inFlight } = options;
  const message = (params: object): PreparedRequest => prepareMessage(callMethod(call), params, "\n");
  const request = message(callParams(call, wiring.era));
  await checkTarget(options, ids, [request], [message(badParams(options))], (probe) => exchangeLine(pipes, probe));
  return new LineLoad(pipes, { request, inFlight, expectation: expect(options), ids });
}

type Probe = (request: PreparedRequest) => Promise<string>;

async function checkTarget(
  options: TargetOptions,
  ids: Ids,
  [good]: readonly PreparedRequest[],
  [bad]: readonly PreparedRequest[],
  probe: Probe,
): Promise<void> {
  if (good === undefined || bad === undefined) throw new Error("There is nothing to send.");
  checkAnswer(await probe(withFreshId(good, ids)), expect(options));
  if (options.isValidating && options.call.kind !== "list") checkRefusal(await probe(withFreshId(bad, ids)));
}

function withFreshId({ bytes, idOffset }: PreparedRequest, ids: Ids): PreparedRequest {
  const copy = Buffer.from(bytes);
  copy.write(String(ids.next()), idOffset, "latin1");
  return { bytes: copy, idOffset };
}

function expect({ call, wiring }: TargetOptions): Expectation {
  return { call, tools: wiring.tools };
}

/** Arguments of the wrong type, which no validating server lets through. */
function badParams({ call, wiring }: TargetOptions): object {
  const params = callParams(call, wiring.era);
  return call.kind === "list" ? params : { ...params, arguments: { text: [1], a: "one", b: {} } };
}

/** Opens legacy sessions, and returns the headers of each. */
export async function openSessions(port: number, count: number): Promise<Record<string, string>[]> {
  const sessions: Record<string, string>[] = [];
  const batch = 50;
  while (sessions.length < count) {
    const opening = Array.from({ length: Math.min(batch, count - sessions.length) }, () => openSession(port));
    sessions.push(...(await Promise.all(opening)));
  }
  return sessions;
}
