/** Apps of agents, which tell what they are by a document at their `client_id`; see receiver-worker.mjs. */
import { asksSignIn, Browser, begin, signInOn } from "./apps";
import type { Person } from "./client";
import type { Api } from "./resources";

let apps = 0;
/** The `client_id` of an app; the first word of its host says what is special about it. */
export const newAgentId = (special = "good") => `https://${special}-${++apps}.apps.example/${crypto.randomUUID()}.json`;
export const callbackOf = (id: string) => `https://${URL.parse(id)?.host}/callback`;

export const askingAt = ({ identifier }: Api) => ({ scope: "notes.read", resource: identifier });

/** What a signed-in browser is shown for a request. */
export async function shownTo(
  person: Pick<Person, "email">,
  id: string,
  changes: Record<string, string | null>,
  browser = new Browser(),
) {
  const app = { id };
  const flow = await begin(app, { redirect_uri: callbackOf(id), ...changes });
  let { page } = await browser.follow(flow.url);
  if (asksSignIn(page.html)) {
    const signed = await signInOn(browser, page.html, person);
    ({ page } = await browser.follow(signed.next ?? "/nowhere"));
  }
  return { app, flow, page, browser };
}
