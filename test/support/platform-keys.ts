/** Platform keys, which an operator makes, and calls with them. */
import { PLATFORM_SCOPES, type PlatformScope } from "../../src/base/schemas/platform-scopes";
import { type Answer, call } from "./client";
import { operator } from "./operators";

export interface PlatformKey {
  id: string;
  key: string;
}

/** A new platform key with these scopes. */
export async function newPlatformKey(
  scopes: readonly PlatformScope[] = PLATFORM_SCOPES,
  fields: Record<string, unknown> = {},
): Promise<PlatformKey> {
  const { token } = await operator();
  const { status, body } = await call("POST", "/platform/keys", { token, body: { name: "shop", scopes, ...fields } });
  if (status !== 201) throw new Error(`platform key answered ${status} ${JSON.stringify(body)}`);
  return body.data;
}

/** Calls a route with a key, in the tenant that is named. */
export const callAs = (key: string, tenant: string, method: string, path: string, body?: unknown): Promise<Answer> =>
  call(method, path, {
    token: key,
    ...(tenant === "" ? {} : { headers: { "postern-tenant": tenant } }),
    ...(body === undefined ? {} : { body }),
  });
