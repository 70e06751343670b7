import type { HttpSession } from "./session.ts";

/** The sessions of one endpoint, whether this process keeps them alone or shares them with others. */
export interface SessionDirectory {
  /** Creates a session, unless there are too many already. Its id is not known to anyone before the handshake succeeds. */
  open(principal: string | undefined, caller: string | undefined): HttpSession | "tooMany" | "tooManyOfClient";

  /**
   * Finds the session of this id, if it belongs to this principal. A session that this process knows is found at once. The promise
   * rejects with an `Unavailable` if nobody can tell now whether there is one.
   */
  find(id: string, principal: string | undefined): HttpSession | undefined | Promise<HttpSession | undefined>;

  /** Ends a session: from now on its id is unknown. Requests that wait for a JSON response get the status. */
  end(session: HttpSession, status?: number): void | Promise<void>;

  /** Ends the streams that would stay open for ever. */
  endStreams(): void;

  /** Lets go of all sessions. Those that other processes share stay there. */
  close(status: number): Promise<void>;
}
