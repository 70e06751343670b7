import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** The bytes that went over one connection or one pair of pipes, both ways. */
export interface Recording {
  readonly toServer: Buffer;
  readonly toClient: Buffer;
}

const TO_SERVER = ".to-server";
const TO_CLIENT = ".to-client";

/** The two files of a recording. */
export function recordingFiles(directory: string, name: string): { toServer: string; toClient: string } {
  return { toServer: join(directory, name + TO_SERVER), toClient: join(directory, name + TO_CLIENT) };
}

/** Writes a recording for another process to read. */
export function saveRecording(directory: string, name: string, recording: Recording): void {
  mkdirSync(directory, { recursive: true });
  const files = recordingFiles(directory, name);
  writeFileSync(files.toServer, recording.toServer);
  writeFileSync(files.toClient, recording.toClient);
}

/** Reads all recordings of a directory, in the order of their names. */
export function readRecordings(directory: string): Recording[] {
  return readdirSync(directory)
    .filter((file) => file.endsWith(TO_SERVER))
    .toSorted()
    .map((file) => {
      const { toServer, toClient } = recordingFiles(directory, file.slice(0, -TO_SERVER.length));
      // A tap that is killed right after its start may have created only the first file.
      return {
        toServer: readFileSync(toServer),
        toClient: existsSync(toClient) ? readFileSync(toClient) : Buffer.of(),
      };
    });
}
