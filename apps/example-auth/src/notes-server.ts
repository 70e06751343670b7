/** The protected server: notes of the caller, to read and to write. */
import { createServer, tool, type Server } from "@toolwire/server";
import { z } from "zod";

/** The scopes of the server, each with what it allows. */
export const SCOPES = {
  "notes:read": "read your notes",
  "notes:write": "write notes for you",
} as const;

/** Makes the server. Every caller has notes of their own. */
export function createNotesServer(): Server {
  const notes = new Map<string, string[]>();
  const notesOf = (caller = ""): string[] => {
    const own = notes.get(caller) ?? [];
    notes.set(caller, own);
    return own;
  };
  return createServer({
    name: "notes",
    version: "1.0.0",
    tools: {
      list_notes: tool({
        description: "Lists your notes",
        annotations: { readOnlyHint: true },
        run: (_, { principal }) => notesOf(principal?.id).join("\n") || "You have no notes.",
      }),
      add_note: tool({
        description: "Adds a note",
        // Whoever logged in to read is asked once more, when this is called for the first time.
        scopes: ["notes:write"],
        input: z.object({ text: z.string().max(1000) }),
        run({ text }, { principal }) {
          notesOf(principal?.id).push(text);
          return "Noted.";
        },
      }),
    },
  });
}
