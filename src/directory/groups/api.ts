/** `/tenant/connections/:id/roles/preview`: what other rules would change, before they are saved. */

import { endpoint, routes } from "../../base/http/endpoint";
import { dataOf } from "../../base/schemas/schemas";
import { tenantOf } from "../../sign-on/connections/changer";
import { ofConnection, READ, READ_BY_KEY } from "../../sign-on/rights";
import { previewRoles } from "./preview";
import { newRules, rolesPreview } from "./schemas";

const SUMMARY = "Counts the people of the directory whom these rules would give another role.";
const DESCRIPTION =
  "Nothing changes. Owners and roles that were given by hand stay. Whom a rule about a claim decides is not counted: " +
  "their next sign-on does. It looks at the first 10,000 records of the directory, and says whether these are all.";

const LIMIT = { rule: "writeConnections", per: "tenant" } as const;

export const rolesPreviews = {
  preview: endpoint({
    id: "previewConnectionRoles",
    summary: SUMMARY,
    description: DESCRIPTION,
    ...READ,
    limit: LIMIT,
    schema: newRules,
    errors: ["NOT_FOUND"],
    answers: () => ({ 200: dataOf(rolesPreview) }),
    verb: ({ deps, session, param, input }) =>
      previewRoles(deps, { tenantId: session.tenantId, connectionId: param("id") }, input),
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
    verb: async ({ deps, platformKey, param, input }) => {
      const tenantId = await tenantOf(deps, platformKey, param("tenant"));
      return previewRoles(deps, { tenantId, connectionId: param("id") }, input);
    },
    answer: (c, data) => c.json({ data }),
  }),
};

export const rolesPreviewRoutes = routes({ "POST /:id/roles/preview": rolesPreviews.preview });

export const platformRolesPreviewRoutes = routes({
  "POST /:tenant/connections/:id/roles/preview": rolesPreviews.previewByKey,
});
