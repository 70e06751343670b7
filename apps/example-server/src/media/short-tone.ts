const SAMPLES_PER_SECOND = 8000;
const HEADER_BYTES = 44;

/** A quarter of a second of the concert pitch: a WAV file, eight bits a sample. */
export const SHORT_TONE: Uint8Array = encodeWav(SAMPLES_PER_SECOND / 4, (second) => {
  // Swelling and fading keeps the speaker from clicking.
  const loudness = Math.sin(Math.PI * 4 * second);
  return 0.5 * loudness * Math.sin(2 * Math.PI * 440 * second);
});

/** Encodes one channel of sound, whose samples lie between -1 and 1. */
function encodeWav(samples: number, sampleAt: (second: number) => number): Uint8Array {
  const file = Buffer.alloc(HEADER_BYTES + samples);
  file.write("RIFF", 0, "latin1");
  file.writeUInt32LE(file.length - 8, 4);
  file.write("WAVEfmt ", 8, "latin1");
  file.writeUInt32LE(16, 16);
  // Plain samples, one channel.
  file.writeUInt16LE(1, 20);
  file.writeUInt16LE(1, 22);
  file.writeUInt32LE(SAMPLES_PER_SECOND, 24);
  file.writeUInt32LE(SAMPLES_PER_SECOND, 28);
  file.writeUInt16LE(1, 32);
  file.writeUInt16LE(8, 34);
  file.write("data", 36, "latin1");
  file.writeUInt32LE(samples, 40);
  for (let index = 0; index < samples; index++) {
    file[HEADER_BYTES + index] = Math.round(128 + 127 * sampleAt(index / SAMPLES_PER_SECOND));
  }
  return file;
}
