import { lookup as resolveName } from "node:dns/promises";
import { get as getHttp, type IncomingMessage } from "node:http";
import { get as getHttps } from "node:https";
import { isIP, type LookupFunction } from "node:net";
import { ToolError } from "@toolwire/server";
import { isPublicAddress } from "./public-address.ts";

/** The bounds of a download. */
export interface FetchOptions {
  /** Ends the download. */
  readonly signal: AbortSignal;
  /** Default 1 MiB. */
  readonly maxBytes?: number | undefined;
  /** Milliseconds from the first look-up to the last byte. Default 10 000. */
  readonly maxMs?: number | undefined;
  /** Whether an IP address may be connected to. Default: those of the public internet. */
  readonly isAllowed?: ((address: string) => boolean) | undefined;
  /** Finds all addresses of a name. Default: as the system does. */
  readonly resolve?: ((name: string) => Promise<readonly string[]>) | undefined;
}

const MAX_REDIRECTS = 3;

/**
 * Downloads from the public internet, on behalf of whoever asks, without letting them reach anything else.
 *
 * The address that was checked is the address that is connected to, so a name cannot change its meaning in between, and
 * each redirect is checked like the first address.
 */
export async function fetchPublic(address: URL, options: FetchOptions): Promise<Uint8Array> {
  const { maxBytes = 1024 * 1024, maxMs = 10_000 } = options;
  const deadline = AbortSignal.timeout(maxMs);
  const signal = AbortSignal.any([options.signal, deadline]);
  let url = address;
  try {
    for (let redirects = 0; redirects <= MAX_REDIRECTS; redirects++) {
      const response = await request(url, { ...options, signal });
      const next = redirectOf(response, url);
      if (next === undefined) return await readBody(response, url, maxBytes);
      response.destroy();
      url = next;
    }
  } catch (error) {
    if (error instanceof ToolError || options.signal.aborted) throw error;
    if (deadline.aborted) throw new ToolError(`${url.host} took longer than ${maxMs} ms, so the download was stopped.`);
    throw new ToolError(`${url.host} cannot be reached.`, { cause: error });
  }
  throw new ToolError(`${address.host} redirects more than ${MAX_REDIRECTS} times.`);
}

function request(url: URL, options: FetchOptions): Promise<IncomingMessage> {
  const { signal, isAllowed = isPublicAddress, resolve = resolveAll } = options;
  if (url.protocol !== "http:" && url.protocol !== "https:") {
    throw new ToolError(`${url.protocol} addresses are not fetched, only http: and https:.`);
  }
  if (url.username !== "" || url.password !== "") {
    throw new ToolError("Addresses with a user name or password in them are not fetched.");
  }
  // A literal address is never looked up.
  const literal = url.hostname.replace(/^\[(.*)\]$/, "$1");
  if (isIP(literal) !== 0 && !isAllowed(literal)) throw refusal(url.hostname);

  const lookup: LookupFunction = (name, { all }, callback) => {
    resolve(name)
      .then((addresses) => {
        const [first] = addresses;
        if (first === undefined || !addresses.every(isAllowed)) throw refusal(name);
        if (all !== true) return callback(null, first, isIP(first));
        return callback(
          null,
          addresses.map((address) => ({ address, family: isIP(address) })),
        );
      })
      .catch((error: NodeJS.ErrnoException) => callback(error, []));
  };
  return new Promise((settle, reject) => {
    const get = url.protocol === "https:" ? getHttps : getHttp;
    // No agent: a connection that is kept alive would be used again without a look at its address.
    get(url, { agent: false, lookup, signal, headers: { "Accept-Encoding": "identity" } })
      .on("response", settle)
      .on("error", reject);
  });
}

async function resolveAll(name: string): Promise<readonly string[]> {
  const found = await resolveName(name, { all: true });
  return found.map(({ address }) => address);
}

/** Where a response sends its reader on to, if it does. */
function redirectOf({ statusCode = 0, headers: { location } }: IncomingMessage, from: URL): URL | undefined {
  if (statusCode < 300 || statusCode > 399 || location === undefined) return undefined;
  if (!URL.canParse(location, from)) throw new ToolError(`${from.host} redirects to something that is no address.`);
  return new URL(location, from);
}

/** Reads at most so many bytes, whatever the headers promise. */
async function readBody(response: IncomingMessage, { host }: URL, maxBytes: number): Promise<Uint8Array> {
  const { statusCode = 0 } = response;
  if (statusCode < 200 || statusCode > 299) {
    response.destroy();
    throw new ToolError(`${host} answered with status ${statusCode}.`);
  }
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of response as AsyncIterable<Buffer>) {
    length += chunk.length;
    // Leaving the loop closes the connection.
    if (length > maxBytes) throw new ToolError(`The file is larger than ${maxBytes} bytes, and was not fetched.`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks, length);
}

/** Does not say which address a name leads to: that of a machine inside is nobody's business. */
function refusal(host: string): ToolError {
  return new ToolError(`${host} does not lead to the public internet, and nothing else is fetched.`);
}
