/** Loaded by the HTTP transport when it is first needed. */
export { explainRefusal, explainStray, toNoAnswer, toSendFailure } from "../transports/http/errors.ts";
export { Notices } from "../transports/http/post-message.ts";
