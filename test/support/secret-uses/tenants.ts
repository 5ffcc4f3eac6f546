/** Right and wrong uses of the routes of tenants and operators, and of the consumers, by what they are about. */
import { expect } from "vitest";
import { signBody } from "../../../src/platform/crypto/webhook-signature";
import { call, newEmail } from "../client";
import { addDelivery, consumeBatch, messageFor } from "../engine";
import { runImports } from "../imports";
import { askForSocket } from "../listener";
import { mailTo } from "../mailbox";
import { operator } from "../operators";
import { endedAttempts, newInbox } from "../receiver";
import { deliveryDb } from "../shard";
import { ask, captured, fresh, keep, keepTokenOf, verified } from "./caller";

export const TENANT_USES: Record<string, () => Promise<void>> = {
  "API keys, members and invitations": async () => {
    const owner = await verified();
    await ask("POST", "/api-keys", { name: "key", scopes: [fresh("scope")] }, owner.token);
    const made = (await ask("POST", "/api-keys", { name: "key", scopes: ["webhook.read"] }, owner.token)).body.data;
    await ask("GET", "/webhooks", undefined, made.key);
    await ask("GET", "/webhooks", undefined, `${made.key.slice(0, -1)}!`);
    await ask("GET", "/api-keys", undefined, owner.token);
    for (const graceDays of [3, -1]) await ask("PATCH", "/tenant/security", { graceDays }, owner.token);
    await ask("DELETE", `/api-keys/${made.id}`, undefined, owner.token);
    await ask("DELETE", `/api-keys/${made.id}`, undefined, owner.token);

    const invite = async (email: string) => {
      const { body } = await ask("POST", "/invitations", { email, role: "viewer" }, owner.token);
      return { id: body.data.id as string, token: keepTokenOf(await mailTo(email, /invited/)) };
    };
    await ask("POST", "/invitations", { email: fresh("email"), role: "nobody" }, owner.token);
    const unwanted = await invite(newEmail());
    await ask("DELETE", `/invitations/${unwanted.id}`, undefined, owner.token);
    await ask("DELETE", `/invitations/${unwanted.id}`, undefined, owner.token);
    const known = await verified();
    const { token } = await invite(known.email);
    await ask("POST", "/invitations/accept", { token: fresh("mailed-token") }, known.token);
    const joined = await ask("POST", "/invitations/accept", { token }, known.token);
    await ask("POST", "/auth/switch-tenant", { tenantId: fresh("tenant") }, known.token);
    const switched = await ask("POST", "/auth/switch-tenant", { tenantId: joined.body.data.tenant.id }, known.token);
    await ask("PATCH", "/members/me", { alerts: fresh("alerts") }, switched.body.data.accessToken);
    await ask("PATCH", "/members/me", { alerts: false }, switched.body.data.accessToken);
    await ask("DELETE", "/members/me", undefined, switched.body.data.accessToken);
    await ask("DELETE", "/members/me", undefined, owner.token);
    const guest = newEmail();
    await ask("POST", "/auth/register", {
      email: guest,
      password: fresh("password"),
      invitationToken: (await invite(guest)).token,
    });
    await ask("POST", "/auth/register", {
      email: newEmail(),
      password: fresh("password"),
      invitationToken: fresh("mailed-token"),
    });
    const members = (await ask("GET", "/members", undefined, owner.token)).body.data;
    const viewer = members.find((member: { role: string }) => member.role === "viewer");
    await ask("PATCH", `/members/${viewer.userId}`, { role: "member" }, owner.token);
    await ask("PATCH", `/members/${viewer.userId}`, { role: fresh("role") }, owner.token);
    await ask("DELETE", `/members/${viewer.userId}`, undefined, owner.token);
    await ask("DELETE", `/members/${viewer.userId}`, undefined, owner.token);
  },

  "portal links and tokens": async () => {
    const owner = await verified();
    const body = { permissions: ["webhook.read"] };
    for (const path of ["/portal-links", "/portal-tokens"]) {
      await ask("POST", path, { permissions: [fresh("permission")] }, owner.token);
      await ask("POST", path, body, owner.token);
    }
    const link = (await ask("POST", "/portal-links", body, owner.token)).body.data;
    keep(new URL(link.url).searchParams.get("token") ?? "");
    const { token } = (await ask("POST", "/portal-tokens", body, owner.token)).body.data;
    for (const path of ["/webhooks", "/portal-session", "/members"]) await ask("GET", path, undefined, token);
    await ask("GET", "/webhooks", undefined, `${token.slice(0, -1)}!`);
    await ask("GET", "/portal-links", undefined, owner.token);
    await ask("DELETE", `/portal-links/${link.id}`, undefined, owner.token);
    await ask("DELETE", `/portal-links/${link.id}`, undefined, owner.token);
  },

  "platform keys": async () => {
    const { token } = await operator();
    await ask("POST", "/platform/keys", { name: "key", scopes: [fresh("scope")] }, token);
    const made = (await ask("POST", "/platform/keys", { name: "key", scopes: ["webhooks.read"] }, token)).body.data;
    await ask("GET", "/webhooks", undefined, made.key);
    await ask("GET", "/webhooks", undefined, `${made.key.slice(0, -1)}!`);
    await ask("GET", "/platform/keys", undefined, token);
    const path = `/platform/keys/${made.id}`;
    await ask("POST", `${path}/rotate`, {}, token);
    await ask("POST", `${path}/rotate`, {}, token);
    await ask("DELETE", `${path}/previous`, { password: fresh("password") }, token);
    await ask("DELETE", `${path}/previous`, {}, token);
    await ask("DELETE", path, {}, token);
    await ask("DELETE", path, {}, token);
  },

  "the platform API": async () => {
    const { token } = await operator();
    const body = { name: "key", scopes: ["tenants.*", "users.*", "members.*"] };
    const { key } = (await ask("POST", "/platform/keys", body, token)).body.data;
    const as = (method: string, path: string, sent: unknown = {}) => ask(method, `/platform${path}`, sent, key);
    const tenantId = (await as("POST", "/tenants", { name: "Shop" })).body.data.id;
    await as("POST", "/tenants");
    const user = { email: newEmail(), password: fresh("password"), emailVerified: true };
    const userId = (await as("POST", "/users", user)).body.data.id;
    await as("POST", "/users", { email: "nobody", password: fresh("password") });
    const reason = { reason: "a test" };
    const uses: [method: string, path: string, right: unknown][] = [
      ["PATCH", `/tenants/${tenantId}`, { name: "Other" }],
      ["POST", `/tenants/${tenantId}/suspend`, reason],
      ["POST", `/tenants/${tenantId}/resume`, reason],
      ["POST", `/tenants/${tenantId}/members`, { user: userId, role: "viewer" }],
      ["PATCH", `/tenants/${tenantId}/members/${userId}`, { role: "developer" }],
      ["DELETE", `/tenants/${tenantId}/members/${userId}`, undefined],
      ["PATCH", `/users/${userId}`, { name: "Ada" }],
      ["POST", `/users/${userId}/suspend`, reason],
      ["POST", `/users/${userId}/resume`, reason],
      ["POST", `/users/${userId}/sessions/revoke`, reason],
      ["POST", `/users/${userId}/mails`, { kind: "password-reset" }],
      ["DELETE", `/users/${userId}`, {}],
      ["DELETE", `/tenants/${tenantId}`, undefined],
    ];
    for (const [method, path, right] of uses) {
      expect([path, (await as(method, path, right)).status < 300]).toEqual([path, true]);
      await as(method, path.replace(/\/[0-9a-f-]{36}/, "/nobody"), right);
    }
    await as("PATCH", `/users/${userId}`, { password: fresh("password") });
  },

  imports: async () => {
    const { token } = await operator();
    const scopes = { name: "importer", scopes: ["users.write"] };
    const { key } = (await ask("POST", "/platform/keys", scopes, token)).body.data;
    const secret = keep("JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP");
    const hash = keep(`$pbkdf2-sha256$i=1000$c29tZXNhbHQ$${"a".repeat(42)}8`);
    const people = [
      { email: newEmail(), password: { hash }, totp: { secret } },
      { email: "", password: { hash } },
    ];
    const path = "/platform/imports";
    const { id } = (await ask("POST", path, {}, key)).body.data;
    await ask("POST", path, { name: 1 }, key);
    const raw = people.map((person) => JSON.stringify(person)).join("\n");
    const headers = { "content-type": "application/x-ndjson" };
    for (const sent of [raw, "x".repeat(65_537)]) {
      await call("PUT", `${path}/${id}/parts/1`, { token: key, raw: sent, headers });
    }
    await call("PUT", `${path}/${id}/parts/1`, { token: key, raw, headers });
    await ask("POST", `${path}/${id}/start`, { parts: 2 }, key);
    await ask("POST", `${path}/${id}/start`, { parts: 1 }, key);
    await runImports();
    expect((await ask("GET", `${path}/${id}/report`, undefined, key)).body.data).toHaveLength(2);
    await ask("DELETE", `${path}/${id}`, undefined, key);
    await ask("DELETE", `${path}/nobody`, undefined, key);
  },

  sources: async () => {
    const { token } = await verified();
    const first = fresh("secret");
    const source = { name: "GitHub", provider: "github", secrets: [first] };
    const { id, secrets } = (await ask("POST", "/sources", source, token)).body.data;
    await ask("POST", "/sources", { ...source, provider: fresh("provider") }, token);
    const body = { note: fresh("payload") };
    const signature = keep(await signBody(first, JSON.stringify(body)));
    const headers = { "x-hub-signature-256": `sha256=${signature}`, "x-github-event": "push" };
    await ask("POST", `/in/${id}`, body, undefined, headers);
    await ask("POST", `/in/${id}`, { note: fresh("payload") }, undefined, headers);
    for (const at of [`/sources/${id}`, "/sources/none"]) {
      await ask("PATCH", at, { name: "Ours" }, token);
      await ask("POST", `${at}/secrets`, { secret: fresh("secret") }, token);
      await ask("POST", `${at}/test`, { headers: { "x-github-event": "push" }, body: fresh("payload") }, token);
      await ask("DELETE", `${at}/secrets/${secrets[0].id}`, undefined, token);
    }
    for (const _ of ["", "again"]) await ask("DELETE", `/sources/${id}`, undefined, token);
  },

  feeds: async () => {
    const { token } = await verified();
    const { id, token: first } = (await ask("POST", "/feeds", { name: "n", events: ["*"] }, token)).body.data;
    const { token: second } = (await ask("POST", `/feeds/${id}/token`, { overlapSeconds: 60 }, token)).body.data;
    await ask("POST", "/events", { type: "T", payload: { note: fresh("payload") } }, token);
    for (const reader of [keep(first), keep(second)]) {
      const { cursor } = (await ask("GET", `/feeds/${id}/events?from=oldest`, undefined, reader)).body;
      await ask("GET", `/feeds/${id}/events?consumer=a`, undefined, reader);
      await ask("POST", `/feeds/${id}/consumers/a/ack`, { cursor }, reader);
      await ask("POST", `/feeds/${id}/consumers/a/seek`, { to: "oldest" }, reader);
      await ask("DELETE", `/feeds/${id}/consumers/a`, undefined, reader);
      for (const path of ["/feeds", `/feeds/${id}`]) await ask("GET", path, undefined, reader);
    }
    await ask("GET", `/feeds/${id}/consumers`, undefined, token);
    await ask("POST", "/feeds", { name: fresh("name"), events: [] }, token);
    for (const at of [`/feeds/${id}`, `/feeds/${crypto.randomUUID()}`]) {
      await ask("PATCH", at, { name: "other" }, token);
      await ask("POST", `${at}/token`, { overlapSeconds: -1 }, token);
      await ask("POST", `${at}/consumers/a/ack`, { cursor: fresh("cursor") }, token);
      await ask("POST", `${at}/consumers/a/seek`, { to: fresh("place") }, token);
      await ask("DELETE", `${at}/consumers/a`, undefined, token);
      await ask("DELETE", at, undefined, token);
    }
  },

  listeners: async () => {
    const { token } = await verified();
    const { _id, secret, ticket } = (await ask("POST", "/listen", { events: ["*"] }, token)).body.data;
    const [, again] = [keep(secret), (await ask("POST", `/listen/${_id}/ticket`, {}, token)).body.data.ticket];
    for (const text of [keep(ticket), keep(again)]) await askForSocket(_id, `postern.listen.v1, ${text}`);
    await ask("GET", "/listen", undefined, token);
    await ask("POST", "/listen", { name: fresh("name"), events: [] }, token);
    await ask("POST", `/listen/${crypto.randomUUID()}/ticket`, {}, token);
    for (const _ of ["", "again"]) await ask("DELETE", `/listen/${_id}`, undefined, token);
  },

  "event types": async () => {
    const { token } = await verified();
    const type = { name: "order.paid", enforce: "reject", schema: { const: fresh("schema") } };
    for (const _ of ["right", "taken"]) await ask("POST", "/event-types", type, token);
    await ask("POST", "/events", { type: type.name, payload: fresh("payload") }, token);
    for (const at of ["/event-types/order.paid", "/event-types/none"]) {
      await ask("POST", `${at}/validate`, { payload: fresh("payload") }, token);
      await ask("POST", `${at}/versions`, { schema: true, examples: [fresh("example")] }, token);
      await ask("PATCH", at, { description: fresh("description") }, token);
      await ask("DELETE", at, undefined, token);
    }
    for (const more of [{}, { enforced: "reject" }]) {
      await ask("POST", "/event-types/import", { eventTypes: [{ ...type, ...more }] }, token);
    }
    await ask("GET", "/event-types/export", undefined, token);
    for (const mode of ["known", fresh("mode")]) await ask("PATCH", "/tenant/event-types", { mode }, token);
  },

  "subscriptions and deliveries, their consumers too": async () => {
    const owner = await verified();
    const bearer = owner.token;
    const inboxes = [newInbox("200"), newInbox("500")];
    const ids: string[] = [];
    for (const { url } of inboxes) {
      const subscription = { name: "hook", events: ["OrderPaid"], secret: fresh("secret") };
      await ask("POST", "/webhooks", { ...subscription, url: "not a url" }, bearer);
      const made = await ask("POST", "/webhooks", { ...subscription, url: `${url}?key=${fresh("url")}` }, bearer);
      ids.push(made.body.data._id);
    }
    for (const url of ["not a url", `https://example.com/?key=${fresh("url")}`]) {
      const item = { externalId: "imported", url, events: ["Other"], secret: fresh("secret") };
      await ask("POST", "/webhooks/import", { subscriptions: [item] }, bearer);
    }
    await ask("POST", "/webhooks/import", { subscriptions: [] }, bearer);
    const [good = "", bad = ""] = ids;
    for (const id of [good, "none"]) {
      await ask("PATCH", `/webhooks/${id}`, { secret: fresh("secret") }, bearer);
      for (const value of [fresh("header"), `${fresh("header")}\n`]) {
        await ask("PATCH", `/webhooks/${id}`, { delivery: { headers: { Authorization: value } } }, bearer);
      }
      for (const body of [{ secret: fresh("secret") }, {}, { secret: `whsk_${fresh("secret")}` }]) {
        await ask("POST", `/webhooks/${id}/secret/rotate`, body, bearer);
      }
      await ask("DELETE", `/webhooks/${id}/secret/previous`, undefined, bearer);
      for (const action of ["pause", "resume", "test"])
        await ask("POST", `/webhooks/${id}/${action}`, undefined, bearer);
    }
    for (const type of ["OrderPaid", "not a type"]) {
      await ask("POST", "/events", { type, payload: { note: fresh("payload") } }, bearer);
      await ask("POST", "/events/batch", { events: [{ type, payload: { note: fresh("payload") } }] }, bearer);
    }
    const [failed] = await endedAttempts({ ...owner, userId: "", tenantId: "" }, bad, 1);
    const sample = { type: "a", payload: fresh("payload"), filter: { type: fresh("filter") } };
    for (const id of [bad, "none"]) await ask("POST", `/webhooks/${id}/filter/test`, sample, bearer);
    await ask("POST", `/webhooks/${bad}/retry`, undefined, bearer);
    await ask("POST", "/webhooks/none/retry", undefined, bearer);
    for (const id of [bad, "none"]) {
      await ask("POST", `/webhooks/${id}/deliveries/${failed.deliveryId}/retry`, undefined, bearer);
      await ask("POST", `/webhooks/${id}/retry-failed`, { since: new Date(0).toISOString() }, bearer);
      const since = new Date(Date.now() - 60_000).toISOString();
      const replay = await ask("POST", `/webhooks/${id}/replay`, { since, which: "failed" }, bearer);
      await ask("DELETE", `/webhooks/${id}/replays/${replay.body.data?.id ?? "none"}`, undefined, bearer);
    }
    const arrived = (await Promise.all(inboxes.map((inbox) => inbox.arrived(1)))).flat();
    for (const { headers } of arrived) {
      keep(headers["x-webhook-signature"]);
      keep(headers["webhook-signature"]);
    }
    for (const path of ["", `/${good}`, `/${good}/logs`, `/${good}/metrics`]) {
      await ask("GET", `/webhooks${path}`, undefined, bearer);
    }
    await ask("DELETE", `/webhooks/${good}`, undefined, bearer);
    await ask("DELETE", `/webhooks/${good}`, undefined, bearer);
    await consumeWhatCannotBeRead(owner, bad);
  },

  operators: async () => {
    const op = await operator();
    const other = await verified();
    const { body } = await ask("GET", "/auth/me", undefined, other.token);
    const { id, tenant } = body.data;
    const [ofTenant, ofPerson] = [`/operator/tenants/${tenant.id}`, `/operator/people/${id}`];
    const changes = ["suspend", "resume", "sends/hold", "sends/release"].map((change) => `${ofTenant}/${change}`);
    const ofAll = ["/operator/sends/hold", "/operator/sends/release"];
    const ofPeople = ["suspend", "resume", "sessions/revoke"].map((change) => `${ofPerson}/${change}`);
    const lost = await operator("second-operator@example.com");
    await ask("POST", `/operator/people/${lost.userId}/two-factor/remove`, {}, op.token);
    await ask("POST", `/operator/people/${lost.userId}/two-factor/remove`, {}, other.token);
    await ask("POST", "/auth/2fa/remove", { token: fresh("mailed-token") });
    await ask("POST", "/auth/2fa/remove", { token: keepTokenOf(await mailTo(lost.email, /Remove your lost/)) });
    for (const token of [op.token, other.token]) await ask("POST", `${ofTenant}/move`, { shard: 1 }, token);
    for (const path of [...changes, ...ofPeople, ...ofAll]) {
      expect((await ask("POST", path, { reason: "a test", password: fresh("password") }, other.token)).status).not.toBe(
        200,
      );
      expect([path, (await ask("POST", path, { reason: "a test" }, op.token)).status]).toEqual([path, 200]);
    }
  },
};

/** Queues a delivery whose secret cannot be opened, and messages of no known kind. */
async function consumeWhatCannotBeRead(owner: Awaited<ReturnType<typeof verified>>, webhookId: string) {
  const { body } = await ask("GET", "/auth/me", undefined, owner.token);
  const person = { ...owner, userId: body.data.id, tenantId: body.data.tenant.id };
  const unopened = await addDelivery(person, webhookId);
  const sealed = fresh("sealed");
  const falsify = deliveryDb.prepare("UPDATE subscriptions SET secret_sealed = ? WHERE id = ?");
  await falsify.bind(`x.y.${sealed}`, webhookId).run();
  await consumeBatch([messageFor(unopened), { of: "no known shape", token: fresh("message") }]);
  const dead = [{ kind: "passwordReset", email: owner.email }, { token: fresh("message") }];
  await consumeBatch(dead, "postern-mail-dead");
  expect(captured.lines("delivery could not be sent")).not.toHaveLength(0);
}
