/** `/console/tenants/security`: who needs a second factor in the tenant, and who must sign on. */
import type { Context } from "hono";
import { hasSignOn } from "../../base/config/sign-on-settings";
import type { AppEnv } from "../../base/http/env";
import { requires } from "../../base/http/operation";
import type { Policy } from "../../identity/policy/schemas";
import { policy } from "../../sign-on/policy/api";
import { policyOfTenant } from "../../sign-on/policy/change";
import { flash, page, type Refused } from "../http/page";
import { Pages } from "../http/pages";
import { type PolicyValues, TenantPolicy } from "./page";

const SIGN_ON_OFF = { require: "off", graceDays: 7 };

const valuesOf = ({ requireSecondFactor, graceDays, unlistedApps, signOn }: Policy): PolicyValues => {
  const { require, graceDays: signOnDays } = signOn ?? SIGN_ON_OFF;
  return {
    requireSecondFactor,
    graceDays: String(graceDays),
    unlistedApps: unlistedApps ?? "",
    "signOn.require": require,
    "signOn.graceDays": String(signOnDays),
  };
};

async function policyPage(c: Context<AppEnv>, refused?: Refused, values?: PolicyValues) {
  const present = await policyOfTenant(c.get("deps"), c.get("currentUser").principal);
  return page(
    c,
    { title: "Security", refused },
    <TenantPolicy
      tenantName={c.get("currentUser").tenantName}
      policy={present}
      values={values ?? valuesOf(present)}
      hasSignOn={hasSignOn(c.get("deps").config)}
    />,
  );
}

export const policyPages = new Pages()
  .get("/", requires({ permission: "owner" }), (c) => policyPage(c))
  .form("/", policy.change, {
    values: (sent) =>
      sent.texts("requireSecondFactor", "graceDays", "unlistedApps", "signOn.require", "signOn.graceDays"),
    input: ({ requireSecondFactor, graceDays, unlistedApps, ...sent }, c) => ({
      requireSecondFactor,
      graceDays: Number(graceDays),
      unlistedApps: unlistedApps || undefined,
      signOn: hasSignOn(c.get("deps").config) ? signOnOf(sent) : undefined,
    }),
    confirmedAt: () => "/tenants/security",
    done: flash("/tenants/security", "changed"),
    again: policyPage,
  }).router;

/** A form from before there was single sign-on says nothing of it. */
const signOnOf = (sent: Pick<PolicyValues, "signOn.require" | "signOn.graceDays">) =>
  sent["signOn.require"] === ""
    ? undefined
    : { require: sent["signOn.require"], graceDays: Number(sent["signOn.graceDays"]) };
