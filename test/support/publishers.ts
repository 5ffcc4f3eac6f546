/** People who publish by an API key. */
import { env } from "cloudflare:workers";
import { call, type Person, signUpVerified } from "./client";

export type Publisher = Person & { id: string; key: string };

export const run = (query: string, ...values: (string | number | null)[]) =>
  env.DB.prepare(query)
    .bind(...values)
    .run();

/**
 * A user with a key, which is read when it is next used; a use was recorded just now. The tenant is in the database of
 * the keys.
 */
export async function publisher(shard = 0, person?: Person): Promise<Publisher> {
  const owner = person ?? (await signUpVerified());
  await run("UPDATE tenants SET shard = ? WHERE id = ?", shard, owner.tenantId);
  const body = { name: "ci", scopes: ["event.publish"] };
  const { id, key } = (await call("POST", "/api-keys", { token: owner.token, body })).body.data;
  await run("UPDATE api_keys SET last_used_at = ? WHERE id = ?", Date.now(), id);
  return { ...owner, id, key };
}
