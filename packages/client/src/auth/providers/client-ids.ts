import { AuthError } from "@toolwire/protocol";
import { type IssuerMetadata, isSameIssuer } from "../discovery/authorization-server.ts";
import type { DiscoveryRules } from "../discovery/discover.ts";
import type { KnownClient } from "../grants/client-authentication.ts";
import {
  type ClientDescription,
  RedirectUriRefused,
  registerClient,
  type RegistrationWish,
} from "../login/register.ts";
import { type AuthNetwork, shown } from "../network/network.ts";
import type { AuthStore } from "../store/auth-store.ts";
import { keyOf, type Registration, Slot } from "../store/records.ts";
import {
  expectIssuer,
  type KeyCredentials,
  type PublicCredentials,
  readCredentials,
  refuse,
  type SecretCredentials,
} from "./options.ts";

/** A client that authorization servers need not know before: by its document on the web, or by registration. */
export interface UnregisteredClient extends Partial<ClientDescription> {
  /** The URL of a document that describes this client, which is its id as well: https, with a path. */
  readonly metadataUrl?: string | undefined;
  readonly id?: undefined;
  readonly secret?: undefined;
  readonly key?: undefined;
  readonly issuer?: undefined;
}

/** A client with such a document that authenticates by a private key, at one authorization server. */
export interface DocumentedKeyClient extends Partial<ClientDescription>, Omit<KeyCredentials, "id"> {
  readonly metadataUrl: string;
  readonly id?: undefined;
  readonly secret?: undefined;
}

/** How a client presents itself to authorization servers. Credentials name the issuer that they are for. */
export type OAuthClient =
  | UnregisteredClient
  | DocumentedKeyClient
  | (SecretCredentials & Partial<ClientDescription>)
  | (KeyCredentials & Partial<ClientDescription>)
  | (PublicCredentials & Partial<ClientDescription> & { readonly secret?: undefined; readonly key?: undefined });

/** The name that registrations have if the application gives none. */
const DEFAULT_NAME = "MCP client";

/** A client to log in with, and the redirect URI that goes with it. */
interface ChosenClient {
  readonly client: KnownClient;
  readonly redirectUri: string;
  /** The registration behind it, if it was registered dynamically. */
  readonly registration?: Registration | undefined;
}

/** Finds the id of this client at an authorization server ("Client Registration"): configured, by document, or registered. */
export class ClientIds {
  /** Tells this client from others in the same store: by its id or its document, or else by its name. */
  readonly identity: string;
  readonly #store: AuthStore;
  readonly #rules: DiscoveryRules;
  readonly #description: ClientDescription;
  readonly #metadataUrl: string | undefined;
  readonly #credentials: (() => Promise<KnownClient>) | undefined;
  readonly #issuer: string | undefined;

  constructor(given: OAuthClient, store: AuthStore, rules: DiscoveryRules) {
    this.#store = store;
    this.#rules = rules;
    const { metadataUrl, issuer } = given as { readonly metadataUrl?: string; readonly issuer?: string };
    if (metadataUrl !== undefined) expectDocumentUrl(metadataUrl);
    this.#metadataUrl = metadataUrl;
    const hasCredentials =
      given.id !== undefined ||
      ("secret" in given && given.secret !== undefined) ||
      ("key" in given && given.key !== undefined);
    if (hasCredentials) {
      this.#issuer = expectIssuer("client.issuer", issuer);
      const id = given.id ?? metadataUrl ?? refuse("client.id", "a text", given.id);
      this.#credentials = readCredentials("client", { ...given, id } as SecretCredentials);
    }
    this.#description = { ...given, name: given.name ?? DEFAULT_NAME };
    this.identity =
      given.id === undefined && metadataUrl === undefined
        ? `name ${this.#description.name}`
        : `id ${given.id ?? metadataUrl}`;
  }

  /** The issuer of the configured credentials. */
  knownIssuers(): readonly string[] {
    return this.#issuer === undefined ? [] : [this.#issuer];
  }

  /** The redirect URI of the registration that there is, so that a login can use it again. */
  async registeredRedirectUri({ issuer }: IssuerMetadata): Promise<string | undefined> {
    return this.#credentials === undefined ? (await this.#slotOf(issuer).read())?.redirectUri : undefined;
  }

  /** Chooses the client for a login. Registers it if the authorization server does not know it. */
  async choose(wish: RegistrationWishOf, network: AuthNetwork, signal: AbortSignal): Promise<ChosenClient> {
    const { place, redirectUri } = wish;
    const { issuer } = place;
    const configured = await this.#configured(issuer);
    if (configured !== undefined) return { client: configured, redirectUri };
    if (this.#metadataUrl !== undefined && issuer.client_id_metadata_document_supported === true) {
      return { client: { id: this.#metadataUrl, method: "none", origin: "document" }, redirectUri };
    }
    const slot = this.#slotOf(issuer.issuer);
    const known = await slot.read();
    if (known !== undefined && isUsable(known, redirectUri)) return chosenOf(known);
    if (issuer.registration_endpoint === undefined) throw explainNoRegistration(issuer, this.#metadataUrl);
    const registration = await this.#register({ ...wish, description: this.#description }, network, signal);
    await slot.write(registration, () => true);
    return chosenOf(registration);
  }

  /** The client with an id, if it is still known. */
  async find(issuer: IssuerMetadata, clientId: string): Promise<KnownClient | undefined> {
    const configured = await this.#configured(issuer);
    if (configured !== undefined) return configured.id === clientId ? configured : undefined;
    if (clientId === this.#metadataUrl) return { id: clientId, method: "none", origin: "document" };
    const known = await this.#slotOf(issuer.issuer).read();
    return known?.clientId === clientId ? toClient(known) : undefined;
  }

  /** The client of a registration that another page has made. It is kept, unless there is one of a third page already. */
  async restore(registration: Registration): Promise<KnownClient> {
    const slot = this.#slotOf(registration.issuer);
    if ((await slot.read()) === undefined) await slot.write(registration, () => false);
    return toClient(registration);
  }

  /** Forgets a registration. Configured ids and documents are not forgotten: they are the application's. */
  async forget(issuer: string, clientId: string): Promise<void> {
    const slot = this.#slotOf(issuer);
    const known = await slot.read();
    if (known?.clientId === clientId) await slot.write(undefined, (other) => other?.clientId === clientId);
  }

  /** Forgets the registration at an issuer, whatever its id is. */
  async forgetAll(issuer: string): Promise<void> {
    const slot = this.#slotOf(issuer);
    await slot.read();
    await slot.write(undefined, () => true);
  }

  /** The configured client. Throws if it is configured for another issuer: its credentials are sent nowhere else. */
  async #configured(issuer: IssuerMetadata): Promise<KnownClient | undefined> {
    if (this.#credentials === undefined) return undefined;
    if (!isSameIssuer(this.#issuer!, issuer.issuer, this.#rules)) {
      const message = `The credentials of this client are for ${shown(this.#issuer!)}, and the server uses ${shown(issuer.issuer)}.`;
      throw new AuthError(
        "ISSUER_CHANGED",
        `${message} If the change is right, configure credentials for the new one.`,
      );
    }
    return this.#credentials();
  }

  /**
   * Registers the client. Some authorization servers take `localhost` only, others the address only: if one of them is refused,
   * the other is tried, which leads to the same listener.
   */
  async #register(wish: RegistrationWish, network: AuthNetwork, signal: AbortSignal): Promise<Registration> {
    try {
      return await registerClient(wish, network.fetch, signal);
    } catch (error) {
      const url = new URL(wish.redirectUri);
      const other = url.hostname === "127.0.0.1" ? "localhost" : url.hostname === "localhost" ? "127.0.0.1" : undefined;
      if (!(error instanceof RedirectUriRefused) || other === undefined) throw error;
      url.hostname = other;
      return registerClient({ ...wish, redirectUri: url.href }, network.fetch, signal);
    }
  }

  #slotOf(issuer: string): Slot<Registration> {
    const key = keyOf("registration", issuer, this.#description.name);
    return new Slot(this.#store, key, ["issuer", "clientId", "method", "redirectUri"]);
  }
}

type RegistrationWishOf = Omit<RegistrationWish, "description">;

/** Whether a registration can be used with a redirect URI. The host may be the other spelling of this machine. */
function isUsable({ redirectUri, secretExpiresAt = Infinity }: Registration, wanted: string): boolean {
  return redirectUri === wanted && secretExpiresAt > Date.now();
}

function chosenOf(registration: Registration): ChosenClient {
  return { client: toClient(registration), redirectUri: registration.redirectUri, registration };
}

function toClient({ clientId, clientSecret, method }: Registration): KnownClient {
  return { id: clientId, secret: clientSecret, method, origin: "dynamic" };
}

function expectDocumentUrl(given: unknown): void {
  const url = typeof given === "string" && URL.canParse(given) ? new URL(given) : undefined;
  const isRight = url?.protocol === "https:" && url.pathname !== "/" && url.hash === "" && url.username === "";
  if (!isRight) refuse("client.metadataUrl", "an https URL with a path", given);
}

function explainNoRegistration({ issuer }: IssuerMetadata, metadataUrl: string | undefined): AuthError {
  const document = metadataUrl === undefined ? "" : ", takes no client id metadata document";
  const message = `The authorization server ${shown(issuer)} registers no clients by itself${document}, and none is configured for it.`;
  return new AuthError(
    "REGISTRATION_FAILED",
    `${message} Register one there, and give it as \`client: { id, issuer: "${issuer}" }\`.`,
  );
}
