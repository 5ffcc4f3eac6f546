/**
 * Every way to sign in, as a client uses it. The proof is prepared first, so that the account can change before the
 * proof is presented.
 */
import { createExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { newIdAt } from "../../src/base/db/ids";
import { createDeps } from "../../src/base/deps";
import type { AuditAction } from "../../src/base/schemas/audit-actions";
import { mailCode } from "../../src/identity/email-codes/code";
import { sealState } from "../../src/identity/email-codes/state";
import { make, show } from "./authenticator";
import { type Answer, PASSWORD, type Person, signUp } from "./client";
import { newPersonAtProvider, OAUTH, trip } from "./oauth";
import { arrive } from "./signed-on";
import type { Comer, Given, Way } from "./way-to-sign-in";

type Steps = Pick<Way, "routes" | "limit" | "prepare">;

/** The settings for all comers. They log nothing, because writing the log would take longer than what is tested. */
export const QUIET = { LOG_LEVEL: "error" } as const;

const LOGIN: AuditAction[] = ["auth.login"];
const post = ({ browser }: Comer, path: string, body: object) => browser.send("POST", `/api/v1${path}`, { body });
const submit = ({ browser }: Comer, path: string, fields: Record<string, string | undefined>) =>
  browser.send("POST", `/console${path}`, { form: JSON.parse(JSON.stringify(fields)) as Record<string, string> });
const passwordOf = ({ wrong }: Given) => (wrong ? "not the password" : PASSWORD);

/** The state of a mailed code, and the code in the mail, without the mail. */
async function mailedTo(email: string) {
  const deps = await createDeps({ ...env, ...QUIET }, createExecutionContext());
  const mailId = newIdAt(Date.now());
  const code = await mailCode(deps.keys, mailId);
  const other = String((Number(code) + 1) % 1_000_000).padStart(6, "0");
  const state = await sealState(deps, { mailId, email, isMailed: true });
  return { state, codeOf: ({ wrong }: Given) => (wrong ? other : code) };
}

/** The response of a passkey to new options. */
async function shown({ browser, passkey }: Comer) {
  if (!passkey) throw new Error("the comer has no passkey");
  const { data } = (await browser.send("POST", "/api/v1/auth/passkeys/login/options")).body;
  const body = { state: data.state as string, response: await show(data, passkey) };
  return ({ wrong }: Given) => {
    if (wrong) body.response.response.signature = "MAA";
    return body;
  };
}

/** Signs in at the provider and comes back. */
async function tripOf({ browser, email, isVerified, sub, invitationToken }: Comer) {
  const person = newPersonAtProvider({ email, email_verified: isVerified, ...(sub ? { sub } : {}) });
  const code = await trip(browser, person, invitationToken ? `?invitationToken=${invitationToken}` : "");
  return ({ wrong }: Given) => (wrong ? "another code" : code);
}

/** Another tenant, which the comer has joined. */
async function joinedTenant({ userId }: Pick<Person, "userId">): Promise<string> {
  const { tenantId } = await signUp();
  await env.DB.prepare("INSERT INTO memberships (tenant_id, user_id, role, created_at) VALUES (?, ?, 'viewer', 1)")
    .bind(tenantId, userId)
    .run();
  return tenantId;
}

const password: Steps = {
  routes: ["POST /api/v1/auth/login"],
  limit: "login",
  prepare: async (comer) => (given) => {
    const { totp, tenantId } = given;
    return post(comer, "/auth/login", { email: comer.email, password: passwordOf(given), totp, tenantId });
  },
};

const mailedCode: Steps = {
  routes: ["POST /api/v1/auth/code/verify"],
  limit: "verifyCode",
  async prepare(comer) {
    const { state, codeOf } = await mailedTo(comer.email);
    return (given) => {
      const { totp, tenantId } = given;
      return post(comer, "/auth/code/verify", { state, code: codeOf(given), totp, tenantId });
    };
  },
};

const provider: Steps = {
  routes: [`POST ${OAUTH}/exchange`],
  limit: "oauthExchange",
  async prepare(comer) {
    const codeOf = await tripOf(comer);
    return (given) => {
      const { totp, tenantId } = given;
      return post(comer, "/auth/oauth/exchange", { code: codeOf(given), totp, tenantId });
    };
  },
};

const registration: Steps = {
  routes: ["POST /api/v1/auth/register"],
  limit: "register",
  prepare:
    async (comer) =>
    ({ wrong }) => {
      const { email, invitationToken } = comer;
      const token = wrong ? "another token" : invitationToken;
      return post(comer, "/auth/register", { email, password: PASSWORD, invitationToken: token });
    },
};

/** Options to register with a passkey, and the answer of an authenticator; the refusal if there are no options. */
async function madeBy(options: Answer, page: string) {
  const data = page === "" ? options.body.data : optionsIn(page);
  if (!data) return { refused: options };
  const { response } = await make(data);
  return { state: data.state as string, response, wrong: { ...response, id: "AAAA" } };
}

/** The options that a page of the console has. */
function optionsIn(page: string) {
  const read = (pattern: RegExp) => page.match(pattern)?.[1]?.replaceAll("&quot;", '"').replaceAll("&amp;", "&") ?? "";
  const options = read(/data-options="([^"]+)"/);
  return options === ""
    ? null
    : { options: JSON.parse(options), state: read(/name="state" value="([^"]+)"/), expiresAt: "" };
}

const passkeyRegistration: Steps = {
  routes: ["POST /api/v1/auth/register/passkey"],
  limit: "register",
  async prepare(comer) {
    const { email, invitationToken } = comer;
    const options = await post(comer, "/auth/register/passkey/options", { email, invitationToken });
    const made = await madeBy(options, "");
    if (made.refused) return async () => made.refused;
    const { state, response } = made;
    return ({ wrong }) =>
      post(comer, "/auth/register/passkey", { state, response: wrong ? made.wrong : response, name: "phone" });
  },
};

const consoleCode: Steps = {
  routes: ["POST /console/sign-in/mail/code"],
  limit: "verifyCode",
  async prepare(comer) {
    const { state, codeOf } = await mailedTo(comer.email);
    comer.browser.jar.set("__Host-postern-mail-code", encodeURIComponent(state));
    return (given) => submit(comer, "/sign-in/mail/code", { code: codeOf(given), totp: given.totp });
  },
};

export const WAYS = {
  password: { ...password, records: LOGIN },
  "password, totp": { ...password, factor: "totp", records: LOGIN },
  "password, recovery code": { ...password, factor: "recovery", records: [...LOGIN, "auth.recovery_used"] },
  "mailed code": { ...mailedCode, records: LOGIN },
  "mailed code, totp": { ...mailedCode, factor: "totp", records: LOGIN },
  passkey: {
    routes: ["POST /api/v1/auth/passkeys/login"],
    limit: "login",
    records: LOGIN,
    has: "passkey",
    async prepare(comer) {
      const bodyOf = await shown(comer);
      return (given) => post(comer, "/auth/passkeys/login", { ...bodyOf(given), tenantId: given.tenantId });
    },
  },
  provider: { ...provider, has: "identity", records: LOGIN },
  "provider, totp": { ...provider, has: "identity", factor: "totp", records: LOGIN },
  "provider, by address": {
    ...provider,
    variables: { LINK_BY_EMAIL: "always" },
    records: ["auth.identity_linked", ...LOGIN],
  },
  "provider, new account": { ...provider, isNew: true, records: [...LOGIN, "auth.registered"] },
  "provider, invited": {
    ...provider,
    isNew: "invited",
    records: [...LOGIN, "auth.registered", "member.joined"],
  },
  "sign-on": {
    routes: [`POST ${OAUTH}/exchange`],
    limit: "oauthExchange",
    has: "subject",
    records: LOGIN,
    async prepare({ browser, word }) {
      if (!word) throw new Error("no provider knows the comer");
      const arrived = await arrive(word);
      for (const [name, value] of arrived.browser.jar) browser.jar.set(name, value);
      return ({ wrong, totp, tenantId }) =>
        browser.send("POST", "/api/v1/auth/oauth/exchange", {
          body: { code: wrong ? "another code" : arrived.code, totp, tenantId },
        });
    },
  },
  registration: { ...registration, isNew: true, records: ["auth.registered"] },
  "registration, invited": { ...registration, isNew: "invited", records: ["auth.registered", "member.joined"] },
  "registration, passkey": { ...passkeyRegistration, isNew: true, records: ["auth.registered"] },
  "registration, passkey, invited": {
    ...passkeyRegistration,
    isNew: "invited",
    records: ["auth.registered", "member.joined"],
  },
  "console: password": {
    routes: ["POST /console/sign-in"],
    limit: "login",
    records: LOGIN,
    prepare: async (comer) => (given) => submit(comer, "/sign-in", { email: comer.email, password: passwordOf(given) }),
  },
  "console: then totp": {
    routes: ["POST /console/sign-in/code"],
    limit: "login",
    factor: "totp",
    records: LOGIN,
    async prepare(comer) {
      await submit(comer, "/sign-in", { email: comer.email, password: PASSWORD });
      return ({ totp }) => submit(comer, "/sign-in/code", { totp });
    },
  },
  "console: passkey": {
    routes: ["POST /console/sign-in/passkey"],
    limit: "login",
    records: LOGIN,
    has: "passkey",
    async prepare(comer) {
      const bodyOf = await shown(comer);
      return (given) => {
        const { state, response } = bodyOf(given);
        return submit(comer, "/sign-in/passkey", { state, response: JSON.stringify(response) });
      };
    },
  },
  "console: mailed code": { ...consoleCode, records: LOGIN },
  "console: code, totp": { ...consoleCode, factor: "totp", records: LOGIN },
  "console: provider": {
    routes: ["GET /console/oauth", "POST /console/oauth"],
    limit: "oauthExchange",
    has: "identity",
    records: LOGIN,
    async prepare(comer) {
      const codeOf = await tripOf(comer);
      return (given) =>
        given.totp === undefined
          ? comer.browser.send("GET", `/console/oauth?code=${codeOf(given)}`)
          : submit(comer, "/oauth", { code: codeOf(given), totp: given.totp });
    },
  },
  "console: registration": {
    routes: ["POST /console/register"],
    limit: "register",
    isNew: true,
    records: ["auth.registered"],
    prepare: async (comer) => () => submit(comer, "/register", { email: comer.email, password: PASSWORD }),
  },
  "console: passkey registration": {
    routes: ["POST /console/register/passkey"],
    limit: "register",
    isNew: true,
    records: ["auth.registered"],
    async prepare(comer) {
      const options = await submit(comer, "/register/passkey/options", { email: comer.email });
      const made = await madeBy(options, String(options.body));
      if (made.refused) return async () => made.refused;
      const { state, response } = made;
      return ({ wrong }) => {
        const shown = JSON.stringify(wrong ? made.wrong : response);
        return submit(comer, "/register/passkey", { state, response: shown, name: "phone" });
      };
    },
  },
  refresh: {
    routes: ["POST /api/v1/auth/refresh"],
    limit: "refresh",
    keeps: true,
    records: [],
    prepare: async (comer) => (given) =>
      post(comer, "/auth/refresh", { refreshToken: given.wrong ? "another token" : comer.refreshToken }),
  },
  "switch tenant": {
    routes: ["POST /api/v1/auth/switch-tenant"],
    limit: "refresh",
    keeps: true,
    records: LOGIN,
    async prepare({ browser, token, ...comer }) {
      const own = await joinedTenant(comer);
      return ({ wrong, tenantId = own }) =>
        browser.send("POST", "/api/v1/auth/switch-tenant", { body: { tenantId }, token: wrong ? "another" : token });
    },
  },
} satisfies Record<string, Way>;
