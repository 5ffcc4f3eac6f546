/** What each route of tenants and of operators leaves in the audit log, and a request of each. */
import { newEmail, type Person, signUp, signUpVerified } from "../client";
import { claim, newDomain, proveByDns } from "../domains";
import { invite, joinTenant } from "../people";
import { newInbox, subscribe } from "../receiver";
import { bring, newDirectory, recordOf } from "../scim";
import { connect, open } from "../sign-on";
import { enrol } from "../two-factor";
import { aboutPerson, aboutTenant, askedToRemove, byOwner, key, must, onWebhook, type Recorded, since } from "./acts";

interface Source {
  id: string;
  secrets: { id: string }[];
}

/** A new source of a new owner, and one call about it, if there is one. */
const onSource = (callOf: (source: Source) => [] | [method: string, path: string, body: unknown]) => async () => {
  const owner = await signUp();
  const body = { name: "GitHub", provider: "github", secrets: ["the first", "the second"] };
  const { data } = await must("POST", "/sources", body, owner.token);
  const [method, path, sent] = callOf(data);
  if (method && path) await must(method, path, sent, owner.token);
  return owner;
};

/** A new feed of a new owner, and one call about it. */
const onFeed = (method: string, path: string, body?: object) => async () => {
  const owner = await signUp();
  const { data } = await must("POST", "/feeds", { name: "n", events: ["*"] }, owner.token);
  await must("GET", `/feeds/${data.id}/events?consumer=a`, undefined, owner.token);
  await must(method, `/feeds/${data.id}${path}`, body, owner.token);
  return owner;
};

/** A new event type of a new owner, and one call about it, if there is one. */
const onType = (call: [] | [method: string, rest: string, body: unknown]) => async () => {
  const owner = await signUp();
  await must("POST", "/event-types", { name: "order.paid" }, owner.token);
  const [method, rest, sent] = call;
  if (method !== undefined) await must(method, `/event-types/order.paid${rest}`, sent, owner.token);
  return owner;
};

/** What a new owner does about a new domain. */
async function onDomain(act: (owner: Person, domain: string) => Promise<unknown>) {
  const owner = await signUpVerified();
  await act(owner, newDomain());
  return owner;
}

/** What a new owner does about a new setup link. */
async function onSetupLink(act: (owner: Person, id: string) => Promise<unknown>) {
  const owner = await signUpVerified();
  const { data } = await must("POST", "/tenant/setup-links", { may: ["domains"] }, owner.token);
  await act(owner, data.id);
  return owner;
}

/** A new connection of a new owner, and what they do about it. */
const onConnection = (act: (owner: Person, id: string) => Promise<unknown>) => async () => {
  const owner = await signUpVerified();
  await act(owner, (await connect(owner)).id);
  return owner;
};

const onConnectionBy = (method: string, path: string, body: object = {}) =>
  onConnection((owner, id) => must(method, `/tenant/connections/${id}${path}`, body, owner.token));

async function closeListener() {
  const owner = await signUp();
  const { data } = await must("POST", "/listen", { events: ["*"] }, owner.token);
  await must("DELETE", `/listen/${data._id}`, undefined, owner.token);
  return owner;
}

export const TENANT_ROUTES: Recorded = {
  "POST /api-keys": [["api_key.created"], byOwner("POST", "/api-keys", key)],
  "DELETE /api-keys/:id": [
    ["api_key.deleted"],
    async () => {
      const owner = await signUp();
      const { data } = await must("POST", "/api-keys", key, owner.token);
      await must("DELETE", `/api-keys/${data.id}`, undefined, owner.token);
      return owner;
    },
  ],
  "POST /portal-links": [["portal.link_created"], byOwner("POST", "/portal-links", { permissions: ["webhook.read"] })],
  "POST /portal-tokens": [
    ["portal.link_created"],
    byOwner("POST", "/portal-tokens", { permissions: ["webhook.read"] }),
  ],
  "DELETE /portal-links/:id": [
    ["portal.link_revoked"],
    async () => {
      const owner = await signUp();
      const { data } = await must("POST", "/portal-links", { permissions: ["webhook.read"] }, owner.token);
      await must("DELETE", `/portal-links/${data.id}`, undefined, owner.token);
      return owner;
    },
  ],
  "POST /tenant/domains": [["domain.claimed"], () => onDomain(claim)],
  "POST /tenant/domains/:domain/check": [["domain.proved"], () => onDomain(proveByDns)],
  "DELETE /tenant/domains/:domain": [
    ["domain.removed"],
    () =>
      onDomain(async (owner, domain) => {
        await claim(owner, domain);
        await must("DELETE", `/tenant/domains/${domain}`, {}, owner.token);
      }),
  ],
  "POST /tenant/setup-links": [["setup.link_created"], () => onSetupLink(async () => {})],
  "DELETE /tenant/setup-links/:id": [
    ["setup.link_revoked"],
    () => onSetupLink((owner, id) => must("DELETE", `/tenant/setup-links/${id}`, undefined, owner.token)),
  ],
  "POST /tenant/connections": [["connection.created"], onConnection(async () => {})],
  "PATCH /tenant/connections/:id": [["connection.updated"], onConnectionBy("PATCH", "", { name: "Other" })],
  "DELETE /tenant/connections/:id": [["connection.deleted"], onConnectionBy("DELETE", "", { members: "remove" })],
  "POST /tenant/connections/:id/activate": [["connection.activated"], onConnection(open)],
  "POST /tenant/connections/:id/disable": [
    ["connection.disabled"],
    onConnection(async (owner, id) => {
      await open(owner, id);
      await must("POST", `/tenant/connections/${id}/disable`, {}, owner.token);
    }),
  ],
  "POST /tenant/connections/:id/scim-tokens": [["connection.token_created"], onConnectionBy("POST", "/scim-tokens")],
  "DELETE /tenant/connections/:id/scim-tokens/:token": [
    ["connection.token_revoked"],
    onConnection(async (owner, id) => {
      const at = `/tenant/connections/${id}/scim-tokens`;
      const { data } = await must("POST", at, {}, owner.token);
      await must("DELETE", `${at}/${data.id}`, {}, owner.token);
    }),
  ],
  "POST /tenant/connections/:id/people/:person/release": [
    ["member.added", "directory.released"],
    async () => {
      const directory = await newDirectory();
      const { id } = await bring(directory);
      const { userId } = (await recordOf(directory.connection.id, id)) ?? {};
      await must("DELETE", `/members/${userId}`, undefined, directory.owner.token);
      const at = `/tenant/connections/${directory.connection.id}/people/${id}/release`;
      await must("POST", at, {}, directory.owner.token);
      return directory.owner;
    },
  ],
  "PATCH /tenant/security": [
    ["tenant.security_changed", "auth.2fa_enabled"],
    async () => {
      const owner = await signUpVerified();
      await enrol(owner);
      await must("PATCH", "/tenant/security", { requireSecondFactor: "all" }, owner.token);
      return owner;
    },
  ],
  "POST /invitations": [
    ["member.invited"],
    async () => byOwner("POST", "/invitations", { email: newEmail(), role: "viewer" })(),
  ],
  "DELETE /invitations/:id": [
    ["member.invitation_revoked"],
    async () => {
      const owner = await signUpVerified();
      const { data } = await must("POST", "/invitations", { email: newEmail(), role: "viewer" }, owner.token);
      await must("DELETE", `/invitations/${data.id}`, undefined, owner.token);
      return owner;
    },
  ],
  "POST /invitations/accept": [
    ["auth.email_verified", "member.joined"],
    async () => {
      const [owner, guest] = [await signUp(), await signUp()];
      const token = await invite(owner, guest.email, "viewer");
      await must("POST", "/invitations/accept", { token }, guest.token);
      return owner;
    },
  ],
  "PATCH /members/:userId": [
    ["member.role_changed"],
    async () => {
      const owner = await signUp();
      const guest = await joinTenant(owner, "viewer");
      await must("PATCH", `/members/${guest.userId}`, { role: "admin" }, owner.token);
      return owner;
    },
  ],
  "DELETE /members/:userId": [
    ["member.removed"],
    async () => {
      const owner = await signUp();
      const guest = await joinTenant(owner, "viewer");
      await must("DELETE", `/members/${guest.userId}`, undefined, owner.token);
      return owner;
    },
  ],
  "DELETE /members/me": [
    ["member.left"],
    async () => {
      const owner = await signUp();
      const guest = await joinTenant(owner, "viewer");
      await must("DELETE", "/members/me", undefined, guest.token);
      return owner;
    },
  ],
  "POST /webhooks/import": [
    ["webhook.created"],
    async () => {
      const owner = await signUp();
      const item = { externalId: "ep", url: newInbox("200").url, events: ["OrderPaid"], secret: "secret" };
      await must("POST", "/webhooks/import", { subscriptions: [item] }, owner.token);
      return owner;
    },
  ],
  "POST /event-types": [["event_type.created"], onType([])],
  "POST /event-types/import": [
    ["event_type.imported"],
    async () => byOwner("POST", "/event-types/import", { eventTypes: [{ name: "order.paid" }] })(),
  ],
  "PATCH /event-types/:name": [["event_type.updated"], onType(["PATCH", "", { archived: true }])],
  "DELETE /event-types/:name": [["event_type.deleted"], onType(["DELETE", "", undefined])],
  "POST /event-types/:name/versions": [["event_type.version_added"], onType(["POST", "/versions", { schema: true }])],
  "PATCH /tenant/event-types": [
    ["tenant.settings_changed"],
    async () => byOwner("PATCH", "/tenant/event-types", { mode: "known" })(),
  ],
  "POST /sources": [["source.created"], onSource(() => [])],
  "PATCH /sources/:id": [["source.updated"], onSource(({ id }) => ["PATCH", `/sources/${id}`, { name: "other" }])],
  "DELETE /sources/:id": [["source.deleted"], onSource(({ id }) => ["DELETE", `/sources/${id}`, undefined])],
  "POST /sources/:id/secrets": [
    ["source.secret_added"],
    onSource(({ id }) => ["POST", `/sources/${id}/secrets`, { secret: "the third" }]),
  ],
  "DELETE /sources/:id/secrets/:secretId": [
    ["source.secret_removed"],
    onSource(({ id, secrets }) => ["DELETE", `/sources/${id}/secrets/${secrets[0]?.id}`, undefined]),
  ],
  "POST /listen": [["listen.opened"], byOwner("POST", "/listen", { events: ["*"] })],
  "DELETE /listen/:id": [["listen.closed"], closeListener],
  "POST /feeds": [["feed.created"], byOwner("POST", "/feeds", { name: "n", events: ["*"] })],
  "PATCH /feeds/:id": [["feed.updated"], onFeed("PATCH", "", { name: "other" })],
  "DELETE /feeds/:id": [["feed.deleted"], onFeed("DELETE", "")],
  "POST /feeds/:id/token": [["feed.token_rotated"], onFeed("POST", "/token", {})],
  "POST /feeds/:id/consumers/:name/seek": [["feed.consumer_moved"], onFeed("POST", "/consumers/a/seek", { to: "now" })],
  "POST /webhooks": [
    ["webhook.created"],
    async () => {
      const owner = await signUp();
      await subscribe(owner, newInbox("200").url);
      return owner;
    },
  ],
  "PATCH /webhooks/:id": [["webhook.updated"], onWebhook("PATCH", "", { name: "other" })],
  "DELETE /webhooks/:id": [["webhook.deleted"], onWebhook("DELETE", "")],
  "POST /webhooks/:id/pause": [["webhook.paused"], onWebhook("POST", "/pause")],
  "POST /webhooks/:id/resume": [["webhook.resumed"], onWebhook("POST", "/resume", undefined, { enabled: false })],
  "POST /webhooks/:id/replay": [
    ["webhook.replayed"],
    async () => onWebhook("POST", "/replay", { since: since(), which: "all" })(),
  ],
  "POST /webhooks/:id/secret/rotate": [["webhook.secret_rotated"], onWebhook("POST", "/secret/rotate", {})],
  "DELETE /webhooks/:id/secret/previous": [
    ["webhook.secret_ended", "webhook.secret_rotated"],
    async () => {
      const owner = await signUp();
      const id = await subscribe(owner, newInbox("200").url);
      await must("POST", `/webhooks/${id}/secret/rotate`, {}, owner.token);
      await must("DELETE", `/webhooks/${id}/secret/previous`, undefined, owner.token);
      return owner;
    },
  ],
  "POST /operator/tenants/:id/suspend": [
    ["operator.tenant_resumed", "operator.tenant_suspended"],
    aboutTenant("/suspend", "/suspend", "/resume"),
  ],
  "POST /operator/tenants/:id/resume": [["operator.tenant_resumed"], aboutTenant("/suspend", "/resume", "/resume")],
  "POST /operator/people/:id/suspend": [["operator.person_suspended"], aboutPerson("/suspend", "/suspend")],
  "POST /operator/people/:id/resume": [["operator.person_resumed"], aboutPerson("/suspend", "/resume", "/resume")],
  "POST /operator/people/:id/sessions/revoke": [["operator.sessions_ended"], aboutPerson("/sessions/revoke")],
  "POST /operator/people/:id/two-factor/remove": [
    ["operator.2fa_removal_mailed"],
    async () => (await askedToRemove()).op,
  ],
  "POST /operator/tenants/:id/sends/hold": [["operator.sends_held"], aboutTenant("/sends/hold", "/sends/hold")],
  "POST /operator/tenants/:id/sends/release": [
    ["operator.sends_released", "operator.sends_held"],
    aboutTenant("/sends/hold", "/sends/release", "/sends/release"),
  ],
};
