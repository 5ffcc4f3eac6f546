/** `/tenants`: the tenants that the signed-in user is a member of. */
import * as z from "zod";
import { endpoint, routes } from "../../base/http/endpoint";
import { confinedTo } from "../../base/schemas/principal";
import { dataOf } from "../../base/schemas/schemas";
import { membership as membershipSchema } from "./schemas";
import { listTenantsOfUser } from "./store";

export const tenants = {
  list: endpoint({
    id: "listTenants",
    summary: "The tenants that the user is a member of, the most recently used first.",
    inConfinedSession: "open",
    openWhenSuspended: true,
    answers: () => ({ 200: dataOf(z.array(membershipSchema)) }),
    verb: async ({ deps, principal }) => {
      const listed = await listTenantsOfUser(deps, principal.userId, confinedTo(principal));
      return listed.map((tenant) => ({ ...tenant, current: tenant.id === principal.tenantId }));
    },
    answer: (c, data) => c.json({ data }),
  }),
};

export const tenantRoutes = routes({
  "GET /": tenants.list,
});
