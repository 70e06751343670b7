/** A picture that represents something in a user interface. */
export interface Icon {
  /**
   * An `https:` or `data:` URI. Treat icons of others as untrusted: refuse other schemes, load them from the server's own
   * origin, without credentials and within limits, and go by their bytes.
   */
  src: string;
  mimeType?: string | undefined;
  /** Such as `48x48`, or `any` for scalable formats. */
  sizes?: readonly string[] | undefined;
  /** The background that the icon is drawn for. */
  theme?: "light" | "dark" | undefined;
}

/** How a client or a server presents itself. Self-reported: show it, log it, but decide nothing by it. */
export interface Implementation {
  /** Identifies the program. */
  name: string;
  version: string;
  /** What people call it (since 2025-06-18). */
  title?: string | undefined;
  /** What it is for (since 2025-11-25). */
  description?: string | undefined;
  /** Its home page (since 2025-11-25). */
  websiteUrl?: string | undefined;
  /** Since 2025-11-25. */
  icons?: readonly Icon[] | undefined;
}
