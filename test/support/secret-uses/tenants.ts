/** Right and wrong uses of the routes of tenants, and of the consumers, by what they are about. */
import { expect } from "vitest";
import { signBody } from "../../../src/base/crypto/webhook-signature";
import { newSlug } from "../catalogue";
import { newEmail } from "../client";
import { addDelivery, consumeBatch, messageFor } from "../engine";
import { askForSocket } from "../listener";
import { mailTo } from "../mailbox";
import { newPlatformKey } from "../platform-keys";
import { endedAttempts, newInbox } from "../receiver";
import { deliveryDb } from "../shard";
import { ask, captured, fresh, keep, keepTokenOf, verified } from "./caller";
import { useConnections } from "./connections";

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
    await ask("POST", "/auth/invitations/look-up", { token: fresh("mailed-token") });
    await ask("POST", "/auth/invitations/look-up", { token });
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

  connections: async () => {
    const owner = await verified();
    const tenantId = (await ask("GET", "/auth/me", undefined, owner.token)).body.data.tenant.id;
    const { key } = await newPlatformKey(["connections.read", "connections.write"]);
    await useConnections("/tenant/connections", { ...owner, tenantId }, owner.token);
    await useConnections(`/platform/tenants/${tenantId}/connections`, { ...owner, tenantId }, key);
  },

  "setup links": async () => {
    const owner = await verified();
    const tenantId = (await ask("GET", "/auth/me", undefined, owner.token)).body.data.tenant.id;
    const { key } = await newPlatformKey(["connections.read", "connections.write"]);
    const bases: [string, string][] = [
      ["/tenant/setup-links", owner.token],
      [`/platform/tenants/${tenantId}/setup-links`, key],
    ];
    for (const [base, token] of bases) {
      await ask("POST", base, { may: [fresh("task")] }, token);
      const { id, url } = (await ask("POST", base, { may: ["domains"], email: newEmail() }, token)).body.data;
      keep(new URL(url).searchParams.get("token") ?? "");
      await ask("GET", base, undefined, token);
      for (const _ of ["", "again"]) await ask("DELETE", `${base}/${id}`, undefined, token);
    }
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
    const catalog = { public: true, slug: newSlug(), title: fresh("title"), description: fresh("description") };
    await ask("PATCH", "/tenant/event-types", { catalog }, token);
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
