/** Every way in which a person is inside a tenant or gets in. */
import { runDurableObjectAlarm } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { toHex, utf8 } from "../../src/base/crypto/encoding";
import { hmac } from "../../src/base/crypto/webhook-signature";
import { show } from "./authenticator";
import { call, eventually, newAddress, PASSWORD } from "./client";
import type { Insider } from "./insider";
import { newBrowser, newPersonAtProvider, signInAs } from "./oauth";
import { callUnder } from "./overrides";
import { portal } from "./portal";
import { deliveryDb } from "./shard";
import { signOnWith } from "./signed-on";

/** The password that events set. */
export const NEW_PASSWORD = "a much better password";

const send = (
  { variables }: Insider,
  method: string,
  path: string,
  { headers = {}, token, body = {} }: { headers?: Record<string, string>; token?: string; body?: unknown },
) => callUnder(variables, { method, path: `/api/v1${path}`, headers, token, body, ip: newAddress() });

/** Whether a token opens the tenant. */
const opens = async (insider: Insider, token: string | undefined) =>
  token !== undefined && (await send(insider, "GET", "/events", { token })).status === 200;

/** Whether an answer with tokens opens the tenant. */
const opened = async (insider: Insider, answer: { body: { data?: { accessToken: string } } }) =>
  opens(insider, answer.body.data?.accessToken);

async function showPasskey(insider: Insider, fields: object) {
  const { data } = (await send(insider, "POST", "/auth/passkeys/login/options", {})).body;
  const body = { state: data.state, response: await show(data, insider.passkey), ...fields };
  return send(insider, "POST", "/auth/passkeys/login", { body });
}

/** A session of the account in any tenant, by whatever still opens one. */
async function anySession(insider: Insider): Promise<string | undefined> {
  for (const { token } of [insider.own, insider.other]) {
    if ((await send(insider, "GET", "/auth/me", { token })).status === 200) return token;
  }
  const { email } = insider;
  for (const password of [PASSWORD, NEW_PASSWORD]) {
    const { body } = await send(insider, "POST", "/auth/login", { body: { email, password } });
    if (body.data) return body.data.accessToken;
  }
  return (await showPasskey(insider, {})).body.data?.accessToken;
}

export interface WayInside {
  /** Of `email_tokens`, the principals and the methods of a sign-in: what the way stands for. */
  stands: string[];
  /** Whether it gets the person in, or works for whoever has it. */
  works(insider: Insider): Promise<boolean>;
}

/** In the order in which they are tried: what waits comes first, and what uses something up comes last. */
export const WAYS_INSIDE: Record<string, WayInside> = {
  "open poll": {
    stands: [],
    async works({ boss, openPoll }) {
      await call("POST", "/events", { token: boss.token, body: { type: "OrderPaid", payload: "secret" } });
      const { status, body } = await openPoll;
      return status === 200 && body.data?.length === 1;
    },
  },
  "open socket": {
    stands: [],
    async works({ openSocket: { listenerId, socket, texts, closed } }) {
      // The check of every few seconds.
      await runDurableObjectAlarm(env.LISTEN_SOCKET.getByName(listenerId));
      if (socket.readyState === WebSocket.READY_STATE_OPEN) socket.send("ping");
      const ponged = eventually("a pong", async () => texts.includes("pong")).then(() => true);
      return Promise.race([ponged, closed.then(() => false)]);
    },
  },
  session: { stands: ["session", "sessions"], works: (insider) => opens(insider, insider.other.token) },
  "API key": { stands: ["api-key", "api_keys"], works: (insider) => opens(insider, insider.apiKey) },
  "portal token": { stands: ["portal"], works: (insider) => opens(insider, insider.portalToken) },
  "portal link": {
    stands: [],
    async works({ portalCookie: cookie, variables }) {
      return (
        (await portal("GET", "/webhooks", { cookie, variables: variables as Record<string, string> })).status === 200
      );
    },
  },
  subscription: {
    stands: [],
    async works({ webhookId, tenantId }) {
      const tenant = await env.DB.prepare("SELECT 1 FROM tenants WHERE id = ? AND suspended_at IS NULL")
        .bind(tenantId)
        .first();
      const row = await deliveryDb
        .prepare("SELECT 1 FROM subscriptions WHERE id = ? AND enabled = 1 AND is_deleted = 0")
        .bind(webhookId)
        .first();
      return tenant !== null && row !== null;
    },
  },
  "key of the tenant": {
    stands: [],
    works: (insider) => opens(insider, insider.tenantKey),
  },
  "platform key": {
    stands: ["platform-key"],
    async works(insider) {
      const headers = { "postern-tenant": insider.tenantId };
      const body = { type: "OrderPaid", payload: 1 };
      return (await send(insider, "POST", "/events", { token: insider.platformKey, headers, body })).status === 202;
    },
  },
  source: {
    stands: [],
    async works(insider) {
      const { id, secret } = insider.source;
      const body = { n: 1 };
      const signature = toHex(await hmac("SHA-256", utf8(secret), JSON.stringify(body)));
      const headers = { "x-hub-signature-256": `sha256=${signature}`, "x-github-event": "issues" };
      return (await send(insider, "POST", `/in/${id}`, { headers, body })).status === 202;
    },
  },
  "feed token": {
    stands: [],
    works: async (insider) =>
      (await send(insider, "GET", `/feeds/${insider.feed.id}/events`, { token: insider.feed.token })).status === 200,
  },
  "refresh token": {
    stands: [],
    works: async (insider) =>
      opened(
        insider,
        await send(insider, "POST", "/auth/refresh", { body: { refreshToken: insider.other.refreshToken } }),
      ),
  },
  app: {
    stands: ["oauth_grants"],
    async works({ app: { clientId, refreshToken }, variables }) {
      const form = { grant_type: "refresh_token", client_id: clientId, refresh_token: refreshToken };
      return (await callUnder(variables, { path: "/oauth/token", form, ip: newAddress() })).status === 200;
    },
  },
  password: {
    stands: ["password"],
    async works(insider) {
      const { email, tenantId } = insider;
      const body = { email, password: PASSWORD, tenantId };
      return opened(insider, await send(insider, "POST", "/auth/login", { body }));
    },
  },
  passkey: {
    stands: ["passkey", "synced-passkey", "passkeys"],
    works: async (insider) => opened(insider, await showPasskey(insider, { tenantId: insider.tenantId })),
  },
  provider: {
    stands: ["provider", "identities"],
    async works(insider) {
      const browser = newBrowser(insider.variables);
      const person = newPersonAtProvider({ sub: insider.sub });
      return opened(insider, await signInAs(browser, person, { tenantId: insider.tenantId }));
    },
  },
  "mailed code": {
    stands: ["code"],
    async works(insider) {
      const body = { ...insider.mailedCode, tenantId: insider.tenantId };
      return opened(insider, await send(insider, "POST", "/auth/code/verify", { body }));
    },
  },
  invitation: {
    stands: ["invite", "invitations"],
    async works(insider) {
      const { email, token: invitationToken } = insider.accomplice;
      const body = { email, password: PASSWORD, invitationToken };
      return opened(insider, await send(insider, "POST", "/auth/register", { body }));
    },
  },
  "reset link": {
    stands: ["reset"],
    async works(insider) {
      // The password is refused after the token was found, so the link stays unused.
      const body = { token: insider.resetToken, newPassword: insider.email };
      return (await send(insider, "POST", "/auth/reset-password", { body })).body.code === "VALIDATION_FAILED";
    },
  },
  "new address": {
    stands: ["change-email"],
    async works(insider) {
      const token = await anySession(insider);
      if (token === undefined) return false;
      const body = { token: insider.changeToken };
      return (await send(insider, "POST", "/auth/change-email/confirm", { token, body })).status === 200;
    },
  },
  // Last: it makes a member of somebody who has left.
  "sign-on": {
    stands: ["sign-on", "trusted-mfa", "connection_identities"],
    works: async (insider) => opened(insider, await signOnWith(insider.word, {}, insider.variables)),
  },
};
