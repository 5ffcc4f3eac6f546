/** People with passkeys. */
import { type Algorithm, type Misbehaviour, make, type SoftPasskey, show } from "./authenticator";
import { type Answer, call, type Person, signUpVerified } from "./client";

/** Makes a passkey and sends it to the service. */
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
