/** A picture that represents something in a user interface. */
export interface Icon {
  /**
   * An `https:` or `data:` URI. Treat icons of others as untrusted: refuse other schemes, load them only from the
   * server's own origin, without credentials and within size limits, and detect the format from the bytes.
   */
  src: string;
  mimeType?: string | undefined;
  /** The sizes, such as `48x48`, or `any` for scalable formats. */
  sizes?: readonly string[] | undefined;
  /** The background that the icon is drawn for. */
  theme?: "light" | "dark" | undefined;
}

/** The name and version of a client or a server. Self-reported: show it, log it, but do not base decisions on it. */
export interface Implementation {
  /** The name of the program, for programs. */
  name: string;
  version: string;
  /** The name to show to people (since 2025-06-18). */
  title?: string | undefined;
  /** What it is for (since 2025-11-25). */
  description?: string | undefined;
  /** Its home page (since 2025-11-25). */
  websiteUrl?: string | undefined;
  /** Since 2025-11-25. */
  icons?: readonly Icon[] | undefined;
}
