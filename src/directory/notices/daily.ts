/**
 * What is told of directories once a day: who has come and gone, tokens that end, and that one calls no more. A day's
 * event may come twice if the run is killed.
 */
import { hasSignOn } from "../../base/config/sign-on-settings";
import type { PagedMaintenance } from "../../base/maintenance";
import { DAY_MS } from "../../base/time";
import { tellOwners } from "../../tenancy/tenants/owner-notices";
import { publishToTenant } from "../../webhooks/plane/tenant-events";
import { noteDigest, noteSilence, readDigests, takeEndingTokens } from "./store";

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
  const page = await readDigests(deps, cursor, { limit: PAGE, sinceMs: nowMs - DAY_MS, nowMs });
  for (const digest of page) {
    const { tenantId, connectionId, name, joined, left } = digest;
    if (digest.isSilent === 1) {
      await publishToTenant(deps, tenantId, "postern.directory.silent", { connectionId });
      await noteSilence(deps, digest, nowMs);
    }
    if (joined + left === 0) continue;
    await noteDigest(deps, digest, nowMs);
    tellOwners(deps, tenantId, { what: "directoryDigest", directory: name, joined, left });
  }
  return page.length < PAGE ? null : (page.at(-1)?.connectionId ?? null);
};
