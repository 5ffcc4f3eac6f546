/** Right and wrong uses of the routes of the platform and of operators, by what they are about. */
import { env } from "cloudflare:workers";
import { expect } from "vitest";
import { call, eventually, newEmail, signUpVerified } from "../client";
import { newDomain, proveByDns } from "../domains";
import { runImports } from "../imports";
import { beginMove } from "../killed-moves";
import { mailTo } from "../mailbox";
import { operator } from "../operators";
import { newPlatformKey } from "../platform-keys";
import { newResourceUrl } from "../resources";
import { ask, fresh, keep, keepTokenOf, verified } from "./caller";

type Owner = "/platform" | "/tenant";

const managing = async (owner: Owner) => (owner === "/platform" ? await operator() : await signUpVerified());

async function useClients(owner: Owner): Promise<void> {
  const { token } = await managing(owner);
  const at = `${owner}/clients`;
  const app = { name: "Shop", redirectUrls: ["https://shop.example/callback"] };
  await ask("POST", at, { ...app, scopes: [fresh("scope")] }, token);
  const made = (await ask("POST", at, app, token)).body.data;
  keep(made.secret);
  const uses: [method: string, path: string, right: unknown][] = [
    ["PATCH", "", { name: "Other" }],
    ["POST", "/secret", {}],
    ["DELETE", "/secret/previous", {}],
    ["POST", "/revoke", {}],
    ["DELETE", "", {}],
  ];
  const rule = (state: unknown) => ask("PUT", `${owner}/apps/${made.id}`, { state }, token);
  expect([(await rule(null)).status, (await rule(fresh("state"))).status]).toEqual([200, 400]);
  for (const [method, path, right] of uses) {
    const { status, body } = await ask(method, `${at}/${made.id}${path}`, right, token);
    expect([method, path, status]).toEqual([method, path, 200]);
    keep(body.data?.secret);
    await ask(method, `${at}/nobody${path}`, { ...(right as object), password: fresh("password") }, token);
  }
}

async function useResources(owner: Owner, identifier: string): Promise<void> {
  const { token } = await managing(owner);
  const at = `${owner}/resources`;
  const scopes = [{ name: "notes.read", description: "Read your notes" }];
  const api = { name: "Notes", identifier, scopes };
  await ask("POST", at, { ...api, algorithm: fresh("algorithm") }, token);
  const { id } = (await ask("POST", at, api, token)).body.data;
  const uses: [method: string, path: string, right: unknown][] = [
    ["PATCH", "", { name: "Other" }],
    ["POST", "/secret", {}],
    ["DELETE", "", {}],
  ];
  for (const [method, path, right] of uses) {
    const { status, body } = await ask(method, `${at}/${id}${path}`, right, token);
    expect([method, path, status]).toEqual([method, path, 200]);
    keep(body.data?.secret);
    const wrong = { ...(right as object), password: fresh("password") };
    await ask(method, `${at}/nobody${path}`, wrong, token);
  }
}

export const PLATFORM_USES: Record<string, () => Promise<void>> = {
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
      ["POST", `/tenants/${tenantId}/invitations`, { email: newEmail(), role: "viewer" }],
      ["PATCH", `/tenants/${tenantId}/security`, { requireSecondFactor: "off" }],
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

  apps: () => useClients("/platform"),
  "apps of a tenant": () => useClients("/tenant"),
  resources: () => useResources("/platform", `https://notes.example/${crypto.randomUUID()}`),
  "resources of a tenant": () => useResources("/tenant", newResourceUrl()),

  domains: async () => {
    // First: it takes an operator of its own, to whom the address passes.
    const { key } = await newPlatformKey(["connections.write"]);
    const { token } = await operator();
    const [former, next, domain] = [await signUpVerified(), await signUpVerified(), newDomain()];
    await ask("POST", "/tenant/domains", { domain: fresh("domain") }, former.token);
    await proveByDns(former, domain);
    const move = { tenantId: next.tenantId, reason: "Sold" };
    for (const tenantId of [fresh("tenant"), crypto.randomUUID()]) {
      await ask("POST", `/operator/domains/${domain}/move`, { ...move, tenantId }, token);
    }
    expect((await ask("POST", `/operator/domains/${domain}/move`, move, token)).status).toBe(200);
    const other = `/platform/tenants/${former.tenantId}/domains`;
    for (const proved of [fresh("proved"), true]) await ask("POST", other, { domain: newDomain(), proved }, key);
    for (const path of [`${other}/${domain}`, "/platform/tenants/nobody/domains/nothing"]) {
      await ask("POST", `${path}/check`, {}, key);
      await ask("DELETE", path, { endEnforcement: fresh("end") }, key);
      await ask("DELETE", path, {}, key);
    }
    for (const path of [`/tenant/domains/${domain}`, "/tenant/domains/nothing"]) {
      await ask("POST", `${path}/check`, {}, next.token);
      await ask("DELETE", path, {}, next.token);
    }
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
    await eventually("both lines of the report", async () => {
      await runImports();
      return (await ask("GET", `${path}/${id}/report`, undefined, key)).body.data.length === 2;
    });
    await ask("DELETE", `${path}/${id}`, undefined, key);
    await ask("DELETE", `${path}/nobody`, undefined, key);
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
    const stays = (await ask("GET", "/auth/me", undefined, (await verified()).token)).body.data.tenant.id;
    await beginMove({ tenantId: stays }, 1, 0);
    const cancelling = `/operator/tenants/${stays}/move/cancel`;
    for (const token of [op.token, other.token]) await ask("POST", cancelling, {}, token);
    await env.DB.prepare("UPDATE tenants SET sign_on = 'all', sign_on_from = 9e15 WHERE id = ?").bind(tenant.id).run();
    for (const path of [`${ofTenant}/sign-on/end`, ...changes, ...ofPeople, ...ofAll]) {
      expect((await ask("POST", path, { reason: "a test", password: fresh("password") }, other.token)).status).not.toBe(
        200,
      );
      expect([path, (await ask("POST", path, { reason: "a test" }, op.token)).status]).toEqual([path, 200]);
    }
  },
};
