import type { ParamsOf, RequestMethod, ResultOf } from "@toolwire/protocol";
import type { RequestOptions } from "./calls/request-options.ts";

/** A method that the protocol does not know, such as that of an extension; editors still suggest those it does. */
type OtherMethod = string & Record<never, never>;

/** The name of any request. */
export type AnyMethod = RequestMethod | OtherMethod;

/** The arguments of `request` after the method: typed for methods of the protocol, any object for others. */
export type RequestArguments<Method extends AnyMethod> = Method extends RequestMethod
  ? undefined extends ParamsOf<Method>
    ? [params?: ParamsOf<Method>, options?: RequestOptions]
    : [params: ParamsOf<Method>, options?: RequestOptions]
  : [params?: object | undefined, options?: RequestOptions];

/** The result of `request`: typed for methods of the protocol, any object for others. */
export type RequestResult<Method extends AnyMethod> = Method extends RequestMethod ? ResultOf<Method> : object;
