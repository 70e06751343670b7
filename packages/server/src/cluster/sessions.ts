/** What is known of a session when it begins. */
export interface NewSession {
  /** A credential, made of visible ASCII characters, at most 128. */
  readonly id: string;
  /** What the handshake has agreed on, which never changes: text that only servers read, at most 16 KiB. */
  readonly facts: string;
  /** The client that the session counts for; absent if it counts for none. */
  readonly client?: string | undefined;
}

/** The GET stream that carries what belongs to no request: only one of a session does. */
export interface StreamHolder {
  readonly node: string;
  /** The key of the stream at that node. */
  readonly stream: string;
  /** Greater than that of any holder before. Whoever finds a greater one than its own has to stop. */
  readonly fence: number;
}

/** A session as all nodes know it. */
export interface SessionRecord extends NewSession {
  /** Whether the client has sent `notifications/initialized`. */
  readonly isReady: boolean;
  /** The log level that the client has set, if it has set one. */
  readonly logLevel?: string | undefined;
  /** The URIs that the client watches, in the order in which they were added. */
  readonly watched: readonly string[];
  readonly holder?: StreamHolder | undefined;
}

/** A change of a session. Applying one twice changes nothing. */
export interface SessionChange {
  readonly isReady?: true | undefined;
  readonly logLevel?: string | undefined;
  readonly watch?: string | undefined;
  readonly unwatch?: string | undefined;
}

/** How many sessions there may be. Nodes that create some at the same moment may exceed it by a few. */
export interface SessionRoom {
  readonly max: number;
  readonly maxPerClient: number;
}

/** Keeps sessions. All times are measured by the clock of the engine. Rejects with a {@link ClusterError}. */
export interface SessionStore {
  /** Keeps a session for `ttl` milliseconds. Creating one again with the same facts is no error, because writes are repeated. */
  create(session: NewSession, ttl: number, room: SessionRoom): Promise<"created" | "full" | "fullOfClient">;
  /** `undefined` only if the session has surely ended or never was. */
  get(id: string): Promise<SessionRecord | undefined>;
  /** Keeps a session for `ttl` milliseconds from now. Returns whether there is one; never creates it. */
  touch(id: string, ttl: number): Promise<boolean>;
  /** Changes a session in one step. Returns whether there is one. */
  update(id: string, change: SessionChange): Promise<boolean>;
  /** Makes a stream the holder. Returns it, and who was it before; `undefined` if there is no session. */
  claim(
    id: string,
    holder: { readonly node: string; readonly stream: string },
  ): Promise<{ readonly fence: number; readonly previous?: StreamHolder | undefined } | undefined>;
  /** Removes the holder, if it still has this fence. */
  release(id: string, fence: number): Promise<void>;
  /** Deletes a session and the events of its streams. Of several callers, exactly one gets true. */
  end(id: string): Promise<boolean>;
}
