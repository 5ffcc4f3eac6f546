/** `/api-keys`: the signed-in user's keys in their tenant. */

import type { Call, CallOptions } from "./call";
import type { ApiKey, IssuedApiKey, NewApiKey } from "./generated";
import { type Listed, listed } from "./pages";
import { segment } from "./path";

/**
 * `client.apiKeys`, for signed-in users; an API key gets UNAUTHENTICATED.
 *
 * @example
 * const { key } = await client.apiKeys.create({ name: "checkout", scopes: ["event.publish"] });
 * const publisher = createClient({ baseUrl, apiKey: key });
 */
export interface ApiKeyMethods {
  /** Issues a key that acts for the user in this tenant. Returns it with its secret. Throws VALIDATION_FAILED. */
  create(body: NewApiKey, options?: CallOptions): Promise<IssuedApiKey>;
  /** Returns the user's active keys, newest first. Throws UNAUTHENTICATED. */
  list(options?: CallOptions): Listed<ApiKey>;
  /**
   * Revokes a key at once; owners and admins may revoke any key of the tenant. Returns the service's confirmation.
   * Throws NOT_FOUND.
   */
  revoke(id: string, options?: CallOptions): Promise<string>;
}

export const apiKeyMethods = (call: Call): ApiKeyMethods => ({
  create: (body, options) => call.data("POST /api-keys", { ...options, body }),
  list: (options) => listed(call.data("GET /api-keys", options)),
  revoke: (id, options) => call.message(`DELETE /api-keys/${segment(id)}`, options),
});
