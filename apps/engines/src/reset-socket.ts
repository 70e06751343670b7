import type { Socket } from "node:net";

/**
 * Resets a connection. One whose end was written already is closed in good order instead: Node fails to reset it while the
 * end is on its way (EINVAL), and never closes it then.
 */
export function resetSocket(socket: Socket): void {
  if (socket.writableEnded) socket.destroy();
  else socket.resetAndDestroy();
}
