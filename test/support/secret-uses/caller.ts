/** A caller of the service that keeps every secret that it sends or receives. */
import { call, newEmail } from "../client";
import { captureLog } from "../log-lines";
import { mailTo } from "../mailbox";
import { secretKeeper } from "../secrets";

export const captured = captureLog();
export const { secrets, keep, keepFields, keepTokenOf, foundIn } = secretKeeper();
keep("$argon2id$");
let number = 0;
export const fresh = (what: string) => keep(`recognisable-${what}-${++number}`);

type Headers = Record<string, string>;

export async function ask(method: string, path: string, body?: unknown, token?: string, signed: Headers = {}) {
  keepFields(body);
  keep(token);
  // An address of its own, because this sends more requests than a limit allows.
  const headers = { "cf-connecting-ip": `192.0.2.${++number % 250}`, ...signed };
  const answer = await call(method, path, { ...(body === undefined ? {} : { body }), token, headers });
  keepFields(answer.body);
  return answer;
}

interface User {
  email: string;
  password: string;
  token: string;
  refreshToken: string;
}

export const session = ({ body }: { body: { data: { accessToken: string; refreshToken: string } } }) => ({
  token: body.data.accessToken,
  refreshToken: body.data.refreshToken,
});

export async function register(fields: object = {}): Promise<User> {
  const credentials = { email: newEmail(), password: fresh("password") };
  return { ...credentials, ...session(await ask("POST", "/auth/register", { ...credentials, ...fields })) };
}

export async function verified(): Promise<User> {
  const user = await register();
  await ask("POST", "/auth/verify-email", { token: keepTokenOf(await mailTo(user.email, /verify/i)) });
  return user;
}

export const login = (user: User, fields: object = {}) =>
  ask("POST", "/auth/login", { email: user.email, password: user.password, ...fields });
