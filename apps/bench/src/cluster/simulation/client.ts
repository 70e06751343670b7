/** A client of a legacy session, whose requests go to a node chosen at random. */
import { createEventDecoder } from "@toolwire/protocol/framing";
import { ITEM_URI } from "../wiring.ts";
import type { SimulatedNodes } from "./nodes.ts";

const REVISION = "2025-11-25";
const BOTH = "application/json, text/event-stream";

interface Message {
  readonly id?: string | number;
  readonly method?: string;
  readonly result?: { readonly content?: readonly { readonly text?: string }[] };
}

/** Everything that clients do in the arithmetic. Each method ends when the client has what it wanted, and throws if it has not. */
export class SimulatedClient {
  readonly #nodes: SimulatedNodes;
  #session = "";
  #lastId = 0;
  #listening: EventReader | undefined;

  constructor(nodes: SimulatedNodes) {
    this.#nodes = nodes;
  }

  get isListening(): boolean {
    return this.#listening !== undefined;
  }

  /** Opens a session. */
  async begin(): Promise<void> {
    const params = {
      protocolVersion: REVISION,
      capabilities: { elicitation: {} },
      clientInfo: { name: "simulated", version: "1.0.0" },
    };
    const response = await this.#post({ jsonrpc: "2.0", id: 0, method: "initialize", params });
    await expectStatus(response, 200);
    this.#session = response.headers.get("mcp-session-id") ?? "";
    await response.text();
    await this.#tell({ jsonrpc: "2.0", method: "notifications/initialized" });
  }

  /** Ends the session. */
  async end(): Promise<void> {
    await this.#stopListening();
    await expectStatus(await this.#send({ method: "DELETE", headers: this.#headers() }), 200);
  }

  async call(): Promise<void> {
    const message = (await (await this.#request("plain")).json()) as Message;
    expectText(message, "plain");
  }

  /** Calls a tool that asks, and answers. */
  async answer(): Promise<void> {
    const events = new EventReader(await this.#request("ask"));
    const question = await events.message();
    await this.#tell({ jsonrpc: "2.0", id: question.id, result: { action: "accept", content: { word: "yes" } } });
    expectText(await events.message(), "yes");
    await events.close();
  }

  /** Calls a tool that takes its time, and cancels the call. */
  async cancel(): Promise<void> {
    const events = new EventReader(await this.#request("slow"));
    await events.message();
    const params = { requestId: this.#lastId };
    await this.#tell({ jsonrpc: "2.0", method: "notifications/cancelled", params });
    await events.rest();
  }

  /** Loses the stream of a call, and comes back for the answer. */
  async resume(): Promise<void> {
    const events = new EventReader(await this.#request("slow"));
    await events.message();
    const { id } = this.#nodes.slowest();
    await events.close();
    // Nobody comes back before the connection is known to be lost.
    await this.#nodes.settle();
    const resumed = new EventReader(await this.#get(events.lastId));
    this.#nodes.finish(id);
    expectText(await resumed.message(), "slow");
    await resumed.rest();
  }

  /** Opens the stream for what belongs to no call, and watches a resource. */
  async listen(): Promise<void> {
    await this.#openStream(undefined);
    const params = { uri: ITEM_URI };
    await expectStatus(await this.#post(this.#write("resources/subscribe", params)), 200, true);
  }

  /** Loses that stream, and opens it again. */
  async listenAgain(): Promise<void> {
    const last = this.#listening?.lastId;
    await this.#stopListening();
    await this.#openStream(last);
  }

  async #openStream(last: string | undefined): Promise<void> {
    this.#listening = new EventReader(await this.#get(last));
    // The first event says where the log stands.
    await this.#listening.opened();
    this.#listening.readOn(({ method }) => {
      if (method === "notifications/resources/updated") this.#nodes.news += 1;
    });
  }

  async #stopListening(): Promise<void> {
    await this.#listening?.close();
    this.#listening = undefined;
    await this.#nodes.settle();
  }

  async #request(name: string): Promise<Response> {
    const response = await this.#post(this.#write("tools/call", { name, arguments: {} }));
    await expectStatus(response, 200);
    return response;
  }

  #write(method: string, params: object): object {
    this.#lastId += 1;
    return { jsonrpc: "2.0", id: this.#lastId, method, params };
  }

  async #tell(message: object): Promise<void> {
    await expectStatus(await this.#post(message), 202, true);
  }

  #post(message: object): Promise<Response> {
    const headers = { ...this.#headers(), accept: BOTH, "content-type": "application/json" };
    return this.#send({ method: "POST", headers, body: JSON.stringify(message) });
  }

  async #get(last: string | undefined): Promise<Response> {
    const headers = { ...this.#headers(), accept: "text/event-stream" };
    const response = await this.#send({
      headers: last === undefined ? headers : { ...headers, "last-event-id": last },
    });
    await expectStatus(response, 200);
    return response;
  }

  #headers(): Record<string, string> {
    return this.#session === "" ? {} : { "mcp-session-id": this.#session, "mcp-protocol-version": REVISION };
  }

  #send(init: RequestInit): Promise<Response> {
    return this.#nodes.send(init);
  }
}

/** Reads an event stream. */
class EventReader {
  readonly #reader: ReadableStreamDefaultReader<Uint8Array>;
  readonly #messages: Message[] = [];
  readonly #decoder;
  #isOver = false;
  /** The id of the last event. */
  lastId: string | undefined;

  constructor(response: Response) {
    if (response.body === null) throw new Error("There is no stream.");
    this.#reader = response.body.getReader() as ReadableStreamDefaultReader<Uint8Array>;
    this.#decoder = createEventDecoder({
      event: ({ id, data }) => {
        if (id !== undefined && id !== "") this.lastId = id;
        if (data !== "") this.#messages.push(JSON.parse(data) as Message);
      },
      retry() {},
      error: (error) => {
        throw error;
      },
    });
  }

  async message(): Promise<Message> {
    while (this.#messages.length === 0) if (!(await this.#pull())) throw new Error("The stream has ended too early.");
    return this.#messages.shift() as Message;
  }

  /** Waits for the first event. */
  async opened(): Promise<void> {
    while (this.lastId === undefined) if (!(await this.#pull())) throw new Error("The stream has ended at once.");
  }

  /** Tells of everything that comes from now on. */
  readOn(hear: (message: Message) => void): void {
    void this.rest(hear).catch(() => undefined);
  }

  /** Reads up to the end. */
  async rest(hear?: (message: Message) => void): Promise<void> {
    do {
      for (const message of this.#messages.splice(0)) hear?.(message);
    } while (await this.#pull());
  }

  async close(): Promise<void> {
    if (!this.#isOver) await this.#reader.cancel();
    this.#isOver = true;
  }

  async #pull(): Promise<boolean> {
    const { done, value } = await this.#reader.read();
    if (done) this.#isOver = true;
    else this.#decoder.push(value);
    return !done;
  }
}

async function expectStatus(response: Response, status: number, isRead = false): Promise<void> {
  if (response.status !== status) throw new Error(`HTTP ${response.status}: ${await response.text()}`);
  if (isRead) await response.text();
}

function expectText({ result }: Message, text: string): void {
  if (result?.content?.[0]?.text !== text) throw new Error(`Wrong answer: ${JSON.stringify(result)}`);
}
