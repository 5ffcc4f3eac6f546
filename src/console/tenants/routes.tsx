/** `/console/tenants`: the current user's tenants; switching between them, and leaving one. */
import { type Context, Hono } from "hono";
import { members } from "../../identity/members/operations";
import { sessions } from "../../identity/sessions/operations";
import type { AppEnv } from "../../platform/http/env";
import { requires } from "../../platform/http/operation";
import { listTenantsOfUser } from "../../tenancy/tenants/store";
import { deleteConsoleCookie } from "../http/cookies";
import { form } from "../http/form";
import { keysOf } from "../http/keys";
import { page, type Refused, redirectWithFlash } from "../http/page";
import { setSession } from "../http/session";
import { LeaveTenant, Tenants } from "./page";

async function tenantsPage(c: Context<AppEnv>, refused?: Refused) {
  const { userId, tenantId } = c.get("principal");
  const tenants = await listTenantsOfUser(c.get("deps"), userId);
  return page(
    c,
    { title: "Your tenants", section: null, status: refused?.status },
    <Tenants tenants={tenants} currentId={tenantId} failure={refused?.failure} />,
  );
}

async function leavePage(c: Context<AppEnv>, refused?: Refused) {
  const keys = await keysOf(c, c.get("principal").userId);
  return page(
    c,
    { title: "Leave the tenant", section: null, status: refused?.status },
    <LeaveTenant name={c.get("currentUser").tenantName} keys={keys} failure={refused?.failure} />,
  );
}

export const tenantPages = new Hono<AppEnv>()
  .get("/", requires({ openWhenSuspended: true }), (c) => tenantsPage(c))
  .post(
    "/switch",
    ...form(sessions.switchTenant, {
      values: (sent) => ({ tenantId: sent.text("tenantId") }),
      done: async (c, opened) => {
        await setSession(c, opened);
        return redirectWithFlash(c, "", "switched");
      },
      again: tenantsPage,
    }),
  )
  .get("/leave", (c) => leavePage(c))
  .post(
    "/leave",
    ...form(members.leave, {
      confirmedAt: () => "/console/tenants/leave",
      done: (c) => {
        deleteConsoleCookie(c, "session");
        return redirectWithFlash(c, "/sign-in", "left");
      },
      again: leavePage,
    }),
  );
