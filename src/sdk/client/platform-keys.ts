/** `/platform/keys`: the keys with which the product itself calls the service. */
import type { Call, CallOptions } from "./call";
import type {
  IssuedPlatformKey,
  NewPlatformKey,
  OperatorConfirmation,
  PlatformKey,
  PlatformKeyRotation,
} from "./generated";
import { type Listed, listed } from "./pages";
import { segment } from "./path";

/**
 * `client.platform.keys`, for people who operate the service, as `client.operator`. Calls that change something throw
 * STEP_UP_REQUIRED if the sign-in was more than ten minutes ago and no password or code is given.
 *
 * @example
 * const { key } = await client.platform.keys.create({ name: "shop", scopes: ["tenants.*"], password, totp });
 */
export interface PlatformKeyMethods {
  /**
   * Creates a key and returns it with its secret, which is shown once. Throws NOT_FOUND, FORBIDDEN, VALIDATION_FAILED,
   * STEP_UP_REQUIRED, and CONFLICT when there are too many.
   */
  create(body: NewPlatformKey, options?: CallOptions): Promise<IssuedPlatformKey>;
  /** Returns the active keys, newest first. Throws NOT_FOUND, FORBIDDEN. */
  list(options?: CallOptions): Listed<PlatformKey>;
  /**
   * Replaces a key and returns it with its new secret; the former one works for a while. Throws NOT_FOUND, FORBIDDEN,
   * VALIDATION_FAILED, STEP_UP_REQUIRED, and CONFLICT while a former one works.
   */
  rotate(id: string, body?: PlatformKeyRotation, options?: CallOptions): Promise<IssuedPlatformKey>;
  /** Ends the former key at once. Returns the service's confirmation. Throws NOT_FOUND, FORBIDDEN, STEP_UP_REQUIRED. */
  endPrevious(id: string, credentials?: OperatorConfirmation, options?: CallOptions): Promise<string>;
  /**
   * Revokes a key at once, and its former one. Returns the service's confirmation. Throws NOT_FOUND, FORBIDDEN,
   * STEP_UP_REQUIRED.
   */
  revoke(id: string, credentials?: OperatorConfirmation, options?: CallOptions): Promise<string>;
}

export function platformKeyMethods(call: Call): PlatformKeyMethods {
  const at = (id: string, rest = "") => `/platform/keys/${segment(id)}${rest}`;
  return {
    create: (body, options) => call.data("POST /platform/keys", { ...options, body }),
    list: (options) => listed(call.data("GET /platform/keys", options)),
    rotate: (id, body = {}, options) => call.data(`POST ${at(id, "/rotate")}`, { ...options, body }),
    endPrevious: (id, credentials = {}, options) =>
      call.message(`DELETE ${at(id, "/previous")}`, { ...options, body: credentials }),
    revoke: (id, credentials = {}, options) => call.message(`DELETE ${at(id)}`, { ...options, body: credentials }),
  };
}
