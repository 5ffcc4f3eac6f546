/** What people opened before their tenant required its own sign-on: apps that they use, and sockets. */
import { createExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { expect, test } from "vitest";
import { createDeps } from "../../src/base/deps";
import { permissionsOfHolder } from "../../src/identity/portal/holder-store";
import {
  begin,
  exchangeOf,
  finished,
  forgetClientsKey,
  ISSUER,
  newApp,
  postTo,
  postToken,
  proofOf,
  signInTo,
} from "../support/apps";
import { call, type Person } from "../support/client";
import { ready, require, run } from "../support/enforcing";
import { joinTenant } from "../support/people";
import { forApis } from "../support/resources";
import { one } from "../support/signed-on";

/** The end of the grace period, of which no token has heard yet. */
const begins = ({ tenantId }: Pick<Person, "tenantId">) =>
  run("UPDATE tenants SET sign_on_from = 1 WHERE id = ?", tenantId);

test("an app gets no code, token or answer for a member who must sign on, here and at our API", async () => {
  forgetClientsKey();
  const { owner } = await ready();
  const member = await joinTenant(owner, "admin");
  const resource = `${ISSUER}/api/v1`;
  const app = await newApp(forApis({ identifier: resource }));
  const [scope, tenant] = ["openid offline_access", owner.tenantId];
  const { tokens, browser } = await finished(app, member, undefined, { scope, tenant });
  const atApi = await finished(app, member, browser, { scope: "openid webhook.read", tenant, resource });
  const later = await begin(app, { scope, tenant });
  const answered = await signInTo(later, member, browser);
  const form = { ...proofOf(app), token: tokens.access_token };
  const outcome = async () => ({
    isActive: (await postTo("/oauth/introspect", form)).body.active,
    userinfo: (await postTo("/oauth/userinfo", {}, { authorization: `Bearer ${tokens.access_token}` })).status,
    atApi: (await call("GET", "/webhooks", { token: atApi.tokens.access_token })).status,
  });
  expect(await outcome()).toEqual({ isActive: true, userinfo: 200, atApi: 200 });
  await require(owner, { require: "all" });
  await begins(owner);
  expect(await outcome()).toEqual({ isActive: false, userinfo: 401, atApi: 401 });
  const renewal = { ...proofOf(app), grant_type: "refresh_token", refresh_token: tokens.refresh_token ?? "" };
  expect((await postToken(renewal)).body.error).toBe("invalid_grant");
  expect((await postToken(exchangeOf(app, later, answered))).body.error).toBe("invalid_grant");
  const quiet = await browser.open((await begin(app, { tenant, prompt: "none" })).url);
  expect(new URL(quiet.next ?? "").searchParams.get("error")).toBe("login_required");
});

test("sockets of listeners end with the access of who has opened them, by a session or a portal token", async () => {
  const { owner } = await ready();
  const member = await joinTenant(owner, "admin");
  const portal = { token: member.token, body: { permissions: ["webhook.read"] } };
  const { id } = (await call("POST", "/portal-tokens", portal)).body.data;
  const session = await one<{ id: string }>("SELECT id FROM sessions WHERE user_id = ?", member.userId);
  const deps = await createDeps(env, createExecutionContext());
  const held = async () =>
    Promise.all(
      [{ kind: "session", id: session?.id ?? "" } as const, { kind: "portal", id } as const].map(async (holder) =>
        (await permissionsOfHolder(deps, owner.tenantId, holder)).has("webhook.read"),
      ),
    );
  expect(await held()).toEqual([true, true]);
  await require(owner, { require: "all" });
  await run("UPDATE tenants SET sign_on_from = ? WHERE id = ?", Date.now(), owner.tenantId);
  expect(await held()).toEqual([false, false]);
});
