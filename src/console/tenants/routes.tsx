/** `/console/tenants`: the current user's tenants; switching between them, and leaving one. */
import type { Context } from "hono";
import { hasSignOn } from "../../base/config/sign-on-settings";
import type { AppEnv } from "../../base/http/env";
import { requires } from "../../base/http/operation";
import { confinedTo } from "../../base/schemas/principal";
import { members } from "../../identity/members/api";
import { sessions } from "../../identity/sessions/api";
import { listTenantsOfUser } from "../../tenancy/tenants/store";
import { ConfirmationPage } from "../components/confirmation-page";
import { EndingKeys } from "../components/ending-keys";
import { keysOf } from "../http/keys";
import { page, type Refused, redirectWithFlash } from "../http/page";
import { Pages } from "../http/pages";
import { setSession, signedOut } from "../http/session";
import { Tenants } from "./page";

async function tenantsPage(c: Context<AppEnv>, refused?: Refused) {
  const [deps, principal] = [c.get("deps"), c.get("principal")];
  const { userId, tenantId, permissions } = principal;
  const view = {
    tenants: await listTenantsOfUser(deps, userId, confinedTo(principal)),
    currentId: tenantId,
    hasDomains: hasSignOn(deps.config) && permissions.has("member.manage"),
  };
  return page(c, { title: "Your tenants", refused }, <Tenants {...view} />);
}

async function leavePage(c: Context<AppEnv>, refused?: Refused) {
  const keys = await keysOf(c, c.get("principal").userId);
  return page(
    c,
    { title: "Leave the tenant", refused },
    <ConfirmationPage
      of="ownMembership"
      name={c.get("currentUser").tenantName}
      action="/tenants/leave"
      cancel="/tenants"
    >
      <EndingKeys keys={keys} />
    </ConfirmationPage>,
  );
}

export const tenantPages = new Pages()
  .get("/", requires({ openWhenSuspended: true, inConfinedSession: "open" }), (c) => tenantsPage(c))
  .form("/switch", sessions.switchTenant, {
    values: (sent) => sent.texts("tenantId"),
    done: async (c, opened) => {
      await setSession(c, opened);
      return redirectWithFlash(c, "", "switched");
    },
    again: tenantsPage,
  })
  .get("/leave", (c) => leavePage(c))
  .form("/leave", members.leave, {
    confirmedAt: () => "/tenants/leave",
    done: signedOut("left"),
    again: leavePage,
  }).router;
