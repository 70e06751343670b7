import { UsageError } from "@toolwire/protocol";
import { expectBoolean, expectBytes, expectChoice, expectOptions, type OptionNames } from "@toolwire/protocol/internal";

/** How the response of an API becomes a result. By default, its text is the result, unchanged. */
export interface ResponseOptions {
  /** A JMESPath expression that selects a part of a JSON response, such as `items[].{id: id, name: name}`. */
  readonly select?: string | undefined;
  /**
   * `text` (default): exactly one text block; binary data is described by `{"mimeType":"image/png","bytes":123}`. `auto`: images,
   * audio and other binary data are blocks of their own.
   */
  readonly as?: "text" | "auto" | undefined;
  /** Lets the model choose members of a JSON response by the argument `_fields`, a list of paths such as `items.name`. */
  readonly fields?: boolean | undefined;
  /** The most bytes of a response, decoded. A longer one is an error. Default 1 MiB, at most 16 MiB. */
  readonly maxBytes?: number | undefined;
  /** The most characters of text for the model. Of a longer JSON response, whole items of lists are left out. Default 80 000. */
  readonly maxText?: number | undefined;
  /** Whether a JSON object is also given as `structuredContent`. Default false. */
  readonly output?: boolean | undefined;
}

/** The options of responses with their defaults. */
export interface CheckedResponseOptions {
  readonly select: string | undefined;
  readonly as: "text" | "auto";
  readonly fields: boolean;
  readonly maxBytes: number;
  readonly maxText: number;
  readonly output: boolean;
}

const RESPONSE_OPTIONS: OptionNames<ResponseOptions> = {
  select: true,
  as: true,
  fields: true,
  maxBytes: true,
  maxText: true,
  output: true,
};

/** The most bytes that a response may be allowed to have: it is held in memory whole. */
const MOST_BYTES = 16 * 1024 * 1024;

/** Checks options, and fills in defaults. */
export function expectResponseOptions(options: ResponseOptions = {}): CheckedResponseOptions {
  expectOptions("response", options, RESPONSE_OPTIONS);
  const maxBytes = expectBytes("response.maxBytes", options.maxBytes, 1024 * 1024);
  if (maxBytes > MOST_BYTES) {
    throw new UsageError("INVALID_ARGUMENT", `\`response.maxBytes\` must be at most ${MOST_BYTES}; got ${maxBytes}.`);
  }
  return {
    select: options.select,
    as: expectChoice("response.as", ["text", "auto"], options.as),
    fields: expectBoolean("response.fields", options.fields, false),
    maxBytes,
    maxText: expectBytes("response.maxText", options.maxText, 80_000),
    output: expectBoolean("response.output", options.output, false),
  };
}
