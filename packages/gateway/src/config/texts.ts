/** The text of a credential: a literal, or references such as `${env:NAME}`, `${file:path}` and `${secret:name}`. */
export type CredentialText = string;

/** A text that may have the references `${env:NAME}` and `${file:path}`, such as a URL that differs by environment. */
export type ReferringText = string;
