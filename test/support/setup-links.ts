/** Setup links of a tenant, and the sessions that they open. */
import { call, type Person } from "./client";
import { setup } from "./portal";

/** A new setup link of the owner's tenant, with its token. */
export async function newSetupLink({ token }: Pick<Person, "token">, body: Record<string, unknown> = {}) {
  const answer = await call("POST", "/tenant/setup-links", {
    token,
    body: { may: ["connection", "domains"], ...body },
  });
  if (answer.status !== 201) throw new Error(`setup link answered ${JSON.stringify(answer.body)}`);
  const { data } = answer.body;
  return { ...data, token: new URL(data.url).searchParams.get("token") ?? "" };
}

/** Sends the form that opens a link. */
export const openLink = (token: string, fields: Record<string, string> = {}) =>
  setup("POST", "/open", { fields: { token, ...fields } });

/** Opens a new link, and returns it with the cookie of its session. */
export async function openedSetupLink(owner: Pick<Person, "token">, body: Record<string, unknown> = {}) {
  const link = await newSetupLink(owner, body);
  const { cookies } = await openLink(link.token);
  const cookie = cookies[0]?.split(";")[0] ?? "";
  const post = (path: string, fields: Record<string, string> = {}) => setup("POST", path, { cookie, fields });
  return { link, cookie, post, get: (path: string) => setup("GET", path, { cookie }) };
}
