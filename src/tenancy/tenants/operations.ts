/** What people ask about their tenants. */
import { operation } from "../../base/operation";
import { listTenantsOfUser } from "./store";

export const tenants = {
  list: operation({
    openWhenSuspended: true,
    verb: async ({ deps, principal: { userId, tenantId } }) => {
      const listed = await listTenantsOfUser(deps, userId);
      return listed.map((tenant) => ({ ...tenant, current: tenant.id === tenantId }));
    },
  }),
};
