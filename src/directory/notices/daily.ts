/** What owners are told of their directories once a day: who has come and gone, and tokens that end. */
import { hasSignOn } from "../../base/config/sign-on-settings";
import type { PagedMaintenance } from "../../base/maintenance";
import { DAY_MS } from "../../base/time";
import { tellOwners } from "../../tenancy/tenants/owner-notices";
import { noteDigest, readDigests, takeEndingTokens } from "./store";

const PAGE = 20;
const MAX_TOKENS = 500;

/** Goes through the directories; the cursor is the last connection. */
export const tellOfDirectories: PagedMaintenance = async (deps, _shard, cursor) => {
  if (!hasSignOn(deps.config)) return null;
  const nowMs = deps.now();
  if (cursor === "") {
    for (const { tenantId, name, days } of await takeEndingTokens(deps, nowMs, MAX_TOKENS)) {
      tellOwners(deps, tenantId, { what: "scimTokenEnds", directory: name, days });
    }
  }
  const page = await readDigests(deps, cursor, { limit: PAGE, sinceMs: nowMs - DAY_MS });
  for (const digest of page) {
    const { tenantId, name, joined, left } = digest;
    if (joined + left === 0) continue;
    await noteDigest(deps, digest, nowMs);
    tellOwners(deps, tenantId, { what: "directoryDigest", directory: name, joined, left });
  }
  return page.length < PAGE ? null : (page.at(-1)?.connectionId ?? null);
};
