/** People with passkeys. */
import { env } from "cloudflare:workers";
import { type Algorithm, type Misbehaviour, make, type SoftPasskey, show } from "./authenticator";
import { type Answer, call, newAddress, type Person, signUpVerified } from "./client";

/** Creates a passkey and sends it to the service. */
export async function tryAdd(
  person: Person,
  wrong: Misbehaviour & { algorithm?: Algorithm; name?: string } = {},
): Promise<{ passkey: SoftPasskey; answer: Answer }> {
  const { name = "My phone", ...rest } = wrong;
  const { body, status } = await call("POST", "/auth/passkeys/options", { token: person.token });
  if (status !== 200) throw new Error(`options answered ${status}`);
  const { passkey, response } = await make(body.data, rest);
  const answer = await call("POST", "/auth/passkeys", {
    token: person.token,
    body: { state: body.data.state, response, name },
  });
  return { passkey, answer };
}

/** Adds a passkey to somebody's account. */
export async function addPasskey(person: Person, algorithm: Algorithm = "ES256"): Promise<SoftPasskey> {
  const { passkey, answer } = await tryAdd(person, { algorithm });
  if (answer.status !== 201) throw new Error(`adding a passkey answered ${answer.status}`);
  return passkey;
}

/** Somebody with a verified address and a passkey. */
export async function withPasskey(): Promise<{ person: Person; passkey: SoftPasskey }> {
  const person = await signUpVerified();
  return { person, passkey: await addPasskey(person) };
}

/** Makes an address unverified, as it was when unverified accounts could still add passkeys. */
export const unverify = ({ userId }: Pick<Person, "userId">) =>
  env.DB.prepare("UPDATE users SET email_verified_at = NULL WHERE id = ?").bind(userId).run();

/** The body of a login with a passkey, for fresh options. */
export async function loginBody(passkey: SoftPasskey, wrong: Misbehaviour = {}) {
  const { body } = await call("POST", "/auth/passkeys/login/options");
  return { state: body.data.state as string, response: await show(body.data, passkey, wrong) };
}

/** Signs in with a passkey. */
export async function loginWith(
  passkey: SoftPasskey,
  { tenantId, ...wrong }: Misbehaviour & { tenantId?: string } = {},
): Promise<Answer> {
  const body = { ...(await loginBody(passkey, wrong)), ...(tenantId ? { tenantId } : {}) };
  return call("POST", "/auth/passkeys/login", { body });
}

/** The body of a step-up with a passkey, for fresh options. */
export async function stepUpBody(person: Person, passkey: SoftPasskey, wrong: Misbehaviour = {}) {
  const { body } = await call("POST", "/auth/step-up/options", { token: person.token });
  return { passkey: { state: body.data.state as string, response: await show(body.data, passkey, wrong) } };
}

export const sendLogin = (body: unknown) => call("POST", "/auth/passkeys/login", { body });
export const said = ({ status, body }: Answer) => [status, body.code, body.message];
export const INVALID = [401, "UNAUTHENTICATED", "Invalid passkey."];

export const countOf = (table: "sessions" | "passkeys", { userId }: Pick<Person, "userId">) =>
  env.DB.prepare(`SELECT count(*) AS n FROM ${table} WHERE user_id = ?`).bind(userId).first<number>("n");

export const activityOf = async (person: Person, action: string) =>
  (
    (await call("GET", "/auth/me/activity", { token: person.token })).body.data as {
      action: string;
      meta: unknown;
      target: unknown;
    }[]
  ).filter((event) => event.action === action);

/** What an authenticator or a page may do wrong, at a registration and at a sign-in alike. */
export const MISBEHAVIOUR: Record<string, Misbehaviour> = {
  "another origin": { origin: "https://evil.example" },
  "another port of the host": { origin: "http://localhost:9999" },
  "a host below that is not among PASSKEY_ORIGINS": { origin: "http://below.localhost:8787" },
  "another relying party": { rpId: "evil.example" },
  "no user verification": { userVerified: false },
  "no user present": { userPresent: false },
  "another challenge": { challenge: "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA" },
  "a page in a foreign frame": { crossOrigin: true },
  "a backup of what cannot be backed up": { backedUpOnly: true },
  "bytes after the end": { trailing: 3 },
  "another id": { id: "bm90LW1pbmU" },
};

/** Registers with a new passkey. Returns it, and what was sent. */
export async function registerWithPasskey(registrant: { email: string; name?: string; tenantName?: string }) {
  const headers = { "cf-connecting-ip": newAddress() };
  const { data } = (await call("POST", "/auth/register/passkey/options", { body: registrant, headers })).body;
  const { passkey, response } = await make(data);
  const body = { state: data.state as string, response, name: "Ada's phone" };
  return { passkey, body, answer: await call("POST", "/auth/register/passkey", { body, headers }) };
}
