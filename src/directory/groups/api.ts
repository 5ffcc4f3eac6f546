/** `/tenant/connections/:id/roles/preview`: what other rules would change, before they are saved. */

import type { Deps } from "../../base/deps";
import { endpoint, routes } from "../../base/http/endpoint";
import { dataOf } from "../../base/schemas/schemas";
import { tenantOf } from "../../sign-on/connections/changer";
import { connectionOf } from "../../sign-on/connections/manage";
import { ofConnection, READ, READ_BY_KEY } from "../../sign-on/rights";
import { countChanges } from "./preview-store";
import { type NewRules, newRules, rolesPreview } from "./schemas";

const SUMMARY = "Counts the people of the directory whom these rules would give another role.";
const DESCRIPTION =
  "Nothing changes. Owners and roles that were given by hand stay. Whom a rule about a claim decides is not counted: " +
  "their next sign-on does.";

/** Throws NOT_FOUND. */
async function preview(deps: Deps, tenantId: string, connectionId: string, { rules }: NewRules) {
  const { settings } = await connectionOf(deps, tenantId, connectionId);
  return { changes: await countChanges(deps, { tenantId, connectionId }, { ...settings.roles, rules }) };
}

const LIMIT = { rule: "writeConnections", per: "tenant" } as const;

const rolesPreviews = {
  preview: endpoint({
    id: "previewConnectionRoles",
    summary: SUMMARY,
    description: DESCRIPTION,
    ...READ,
    limit: LIMIT,
    schema: newRules,
    errors: ["NOT_FOUND"],
    answers: () => ({ 200: dataOf(rolesPreview) }),
    verb: ({ deps, session, param, input }) => preview(deps, session.tenantId, param("id"), input),
    answer: (c, data) => c.json({ data }),
  }),
  previewByKey: endpoint({
    id: "previewPlatformConnectionRoles",
    summary: SUMMARY,
    description: DESCRIPTION,
    ...READ_BY_KEY,
    schema: newRules,
    errors: ["NOT_FOUND"],
    answers: () => ({ 200: dataOf(rolesPreview), path: ofConnection }),
    verb: async ({ deps, platformKey, param, input }) =>
      preview(deps, await tenantOf(deps, platformKey, param("tenant")), param("id"), input),
    answer: (c, data) => c.json({ data }),
  }),
};

export const rolesPreviewRoutes = routes({ "POST /:id/roles/preview": rolesPreviews.preview });

export const platformRolesPreviewRoutes = routes({
  "POST /:tenant/connections/:id/roles/preview": rolesPreviews.previewByKey,
});
