import { type Client, createClient } from "postern/client";

/** On your backend: a token with which one customer's pages may read and change subscriptions for 15 minutes. */
export async function tokenFor(postern: Client): Promise<string> {
  const { token } = await postern.portal.tokens.create({ permissions: ["webhook.read", "webhook.update"] });
  return token;
}

/** On your own page: the customer's subscriptions. Ask your backend for another token when this one has ended. */
export async function namesOfWebhooks(baseUrl: string, token: string): Promise<string[]> {
  const postern = createClient({ baseUrl, apiKey: token });
  return (await postern.webhooks.list()).map(({ name }) => name);
}
