/** Every route that changes something, and the events that it leaves. A route that is not in the table fails. */
import { env } from "cloudflare:workers";
import { beforeAll, expect, test } from "vitest";
import { app } from "../../src/app";
import { forgetClientsKey } from "../support/apps";
import { must, since } from "../support/audited/acts";
import { NOT_RECORDED, RECORDED } from "../support/audited-routes";
import { call, eventually, signUpVerified } from "../support/client";
import { API_ROUTE } from "../support/console-forms";
import { newInbox, subscribe } from "../support/receiver";

beforeAll(forgetClientsKey);

const mutating = (prefix: string) =>
  app.routes.filter(({ method, path }) => !["ALL", "GET"].includes(method) && path.startsWith(prefix));

test("the tables name every route that changes something, and no other", () => {
  const api = mutating("/api/v1/").map(({ method, path }) => `${method} ${path.slice("/api/v1".length)}`);
  expect([...new Set(api)].sort()).toEqual([...Object.keys(RECORDED), ...Object.keys(NOT_RECORDED)].sort());
  const ofForms = Object.values(API_ROUTE).filter((route) => !route.startsWith("GET "));
  expect(ofForms.filter((route) => !(route in RECORDED || route in NOT_RECORDED))).toEqual([]);
});

test.each(Object.entries(RECORDED))("%s", async (route, [actions, act]) => {
  const { token } = await act();
  // What operators do to a person is in the log of the service.
  const log = route.startsWith("POST /operator/people/") ? "/operator/audit" : "/audit";
  // The log of the service also has what other files did by a clock that was ahead.
  const until = new Date(Date.now() + 1_000).toISOString();
  const { data } = await must("GET", `${log}?limit=${actions.length}&until=${until}`, undefined, token);
  expect(data.map(({ action }: { action: string }) => action)).toEqual(actions);
});

test("no route that is not recorded leaves an event", async () => {
  const owner = await signUpVerified();
  const { token } = owner;
  const id = await subscribe(owner, newInbox("500").url);
  await must("POST", "/events", { type: "OrderPaid", payload: 1 }, token);
  const [failed] = await eventually("a failed attempt", async () => {
    const { data } = await must("GET", `/webhooks/${id}/logs?status=failed`, undefined, token);
    return data.length > 0 && data;
  });
  const replay = { since: since(), which: "failed", ratePerMinute: 1 };
  const { data: started } = await must("POST", `/webhooks/${id}/replay`, replay, token);
  const count = () =>
    env.DB.prepare("SELECT count(*) AS n FROM audit_events WHERE tenant_id = ?")
      .bind(owner.tenantId)
      .first<number>("n");
  const newest = async () => (await must("GET", "/audit?limit=1", undefined, token)).data[0].id;
  const [before, last] = [await count(), await newest()];
  await must("POST", "/auth/refresh", { refreshToken: owner.refreshToken });
  await must("POST", "/auth/resend-verification", undefined, token);
  await must("POST", "/auth/identities/oidc", {}, token);
  await must("POST", "/auth/2fa/enable", undefined, token);
  await must("PATCH", "/members/me", { alerts: false }, token);
  await must("POST", "/events/batch", { events: [{ type: "OrderPaid", payload: 1 }] }, token);
  await call("POST", `/webhooks/${id}/retry`, { token });
  await call("POST", `/webhooks/${id}/deliveries/${failed.deliveryId}/retry`, { token });
  await must("POST", `/webhooks/${id}/retry-failed`, { since: since() }, token);
  await must("POST", `/webhooks/${id}/test`, undefined, token);
  await must("DELETE", `/webhooks/${id}/replays/${started.id}`, undefined, token);
  expect([await count(), await newest()]).toEqual([before, last]);
});
