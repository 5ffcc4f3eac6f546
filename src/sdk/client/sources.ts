/** `/sources`: the URLs at which other systems send their webhooks. */

import type { Call, CallOptions } from "./call";
import type { NewSource, Source, SourceChange, SourceError, SourceSample, SourceSampleResult } from "./generated";
import { type Listed, listed } from "./pages";
import { segment } from "./path";

/**
 * `client.sources`. Every method that takes an id throws NOT_FOUND for one that the tenant does not have.
 *
 * @example
 * const { url } = await client.sources.create({ name: "Stripe", provider: "stripe", secrets: [stripeSecret] });
 */
export interface SourceMethods {
  /** Makes a URL for a provider and returns the source. Throws FORBIDDEN, VALIDATION_FAILED, CONFLICT for too many. */
  create(body: NewSource, options?: CallOptions): Promise<Source>;
  /** Returns the tenant's sources, newest first. Throws FORBIDDEN. */
  list(options?: CallOptions): Listed<Source>;
  /** Returns one source. Throws FORBIDDEN, NOT_FOUND. */
  get(id: string, options?: CallOptions): Promise<Source>;
  /**
   * Changes the given fields and returns the source; null sets an option to its default. Throws FORBIDDEN, NOT_FOUND,
   * VALIDATION_FAILED, and CONFLICT for a change at the same time.
   */
  update(id: string, body: SourceChange, options?: CallOptions): Promise<Source>;
  /** Deletes a source; calls to its URL get 401. Returns the service's confirmation. Throws FORBIDDEN, NOT_FOUND. */
  delete(id: string, options?: CallOptions): Promise<string>;
  /**
   * Adds a secret, so that calls signed with it are taken too, and returns the source. Throws FORBIDDEN, NOT_FOUND,
   * VALIDATION_FAILED, and CONFLICT for a fourth one.
   */
  addSecret(id: string, secret: string, options?: CallOptions): Promise<Source>;
  /** Removes a secret and returns the source. Throws FORBIDDEN, NOT_FOUND, and CONFLICT for the last one. */
  removeSecret(id: string, secretId: string, options?: CallOptions): Promise<Source>;
  /** Says what would become of a call, and publishes nothing. Throws FORBIDDEN, NOT_FOUND, VALIDATION_FAILED. */
  test(id: string, sample: SourceSample, options?: CallOptions): Promise<SourceSampleResult>;
  /** Returns the newest refused calls, newest first. Throws FORBIDDEN, NOT_FOUND. */
  errors(id: string, options?: CallOptions): Listed<SourceError>;
}

export function sourceMethods(call: Call): SourceMethods {
  const at = (id: string, rest = "") => `/sources/${segment(id)}${rest}`;
  return {
    create: (body, options) => call.data("POST /sources", { ...options, body }),
    list: (options) => listed(call.data("GET /sources", options)),
    get: (id, options) => call.data(`GET ${at(id)}`, options),
    update: (id, body, options) => call.data(`PATCH ${at(id)}`, { ...options, body }),
    delete: (id, options) => call.message(`DELETE ${at(id)}`, options),
    addSecret: (id, secret, options) => call.data(`POST ${at(id, "/secrets")}`, { ...options, body: { secret } }),
    removeSecret: (id, secretId, options) => call.data(`DELETE ${at(id, `/secrets/${segment(secretId)}`)}`, options),
    test: (id, sample, options) => call.data(`POST ${at(id, "/test")}`, { ...options, body: sample }),
    errors: (id, options) => listed(call.data(`GET ${at(id, "/errors")}`, options)),
  };
}
