/** A subscription with its inbox, and what tests do with it. */
import { call, type Person, signUpVerified } from "./client";
import { newInbox, subscribe } from "./receiver";

export interface Hook {
  person: Person;
  inbox: ReturnType<typeof newInbox>;
  /** The id of the subscription. */
  id: string;
}

/** A subscription of a new person, to an inbox with this behaviour. */
export async function newHook(fields: Record<string, unknown> = {}, behaviour = "200"): Promise<Hook> {
  const person = await signUpVerified();
  const inbox = newInbox(behaviour);
  return { person, inbox, id: await subscribe(person, inbox.url, fields) };
}

export const patchHook = ({ person, id }: Hook, body: object) =>
  call("PATCH", `/webhooks/${id}`, { token: person.token, body });

export const readHook = async ({ person, id }: Pick<Hook, "person" | "id">) =>
  (await call("GET", `/webhooks/${id}`, { token: person.token })).body.data;
