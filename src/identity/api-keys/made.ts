/** What an API key has made and leaves behind: it works on when the key does not. */
import * as z from "zod";
import type { Deps } from "../../base/deps";
import { says } from "../../base/schemas/schemas";
import type { TenantRef } from "../../base/schemas/tenant-ref";
import { readFeedsBy } from "../../webhooks/feeds/suspects-store";
import { readSourcesMadeBy } from "../../webhooks/sources/store";
import { readSubscriptionsBy } from "../../webhooks/subscriptions/suspects-store";

const MAX_NAMED = 100;

const madeByKey = z.object({
  kind: z.enum(["subscription", "feed", "source"]),
  id: z.string(),
  name: z.string().meta({ examples: ["Billing"] }),
});

export type MadeByKey = z.infer<typeof madeByKey>;

/** The answer to a revocation, and what it says if the key leaves something behind. */
export const revokedKey = says("API key revoked").extend({
  made: z
    .array(madeByKey)
    .optional()
    .meta({
      description:
        "What the key has made and what works without it: subscriptions, feeds whose token it was shown, and sources " +
        "of which it knows a secret. Missing: there is nothing.",
    }),
});

/** What works on, as far as the audit log still says who has made it. */
export async function madeBy(deps: Deps, { tenantId, shard }: TenantRef, keyId: string): Promise<MadeByKey[]> {
  const suspects = [[keyId, tenantId]] as const;
  const [subscriptions, feeds, sources] = await Promise.all([
    readSubscriptionsBy(deps, shard, suspects, 0),
    readFeedsBy(deps, suspects, 0),
    readSourcesMadeBy(deps, tenantId, keyId),
  ]);
  const of = (kind: MadeByKey["kind"], rows: readonly { id: string; name: string }[]) =>
    rows.map(({ id, name }) => ({ kind, id, name }));
  return [...of("subscription", subscriptions), ...of("feed", feeds), ...of("source", sources)].slice(0, MAX_NAMED);
}
