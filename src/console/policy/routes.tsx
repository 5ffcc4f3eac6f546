/** `/console/tenants/security`: who needs a second factor in the tenant. */
import type { Context } from "hono";
import type { AppEnv } from "../../base/http/env";
import { requires } from "../../base/http/operation";
import { policy } from "../../identity/policy/api";
import { policyOfTenant } from "../../identity/policy/change";
import { flash, page, type Refused } from "../http/page";
import { Pages } from "../http/pages";
import { SecondFactorPolicy } from "./page";

interface Values {
  requireSecondFactor: string;
  graceDays: string;
  unlistedApps: string;
}

async function policyPage(c: Context<AppEnv>, refused?: Refused, values?: Values) {
  const present = await policyOfTenant(c.get("deps"), c.get("principal"));
  const { requireSecondFactor, graceDays, unlistedApps = "" } = present;
  return page(
    c,
    { title: "Second factor", refused },
    <SecondFactorPolicy
      tenantName={c.get("currentUser").tenantName}
      policy={present}
      values={values ?? { requireSecondFactor, graceDays: String(graceDays), unlistedApps }}
    />,
  );
}

export const policyPages = new Pages()
  .get("/", requires({ permission: "owner" }), (c) => policyPage(c))
  .form("/", policy.change, {
    values: (sent) => sent.texts("requireSecondFactor", "graceDays", "unlistedApps"),
    input: ({ requireSecondFactor, graceDays, unlistedApps }) => ({
      requireSecondFactor,
      graceDays: Number(graceDays),
      unlistedApps: unlistedApps || undefined,
    }),
    confirmedAt: () => "/tenants/security",
    done: flash("/tenants/security", "changed"),
    again: policyPage,
  }).router;
