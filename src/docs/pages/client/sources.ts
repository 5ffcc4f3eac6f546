import type { Client } from "postern/client";

/** Makes the URL that Stripe calls. Its events are published as `stripe.invoice.paid` and so on. */
export async function receiveFromStripe(postern: Client, secret: string): Promise<string> {
  const { url } = await postern.sources.create({ name: "Stripe", provider: "stripe", secrets: [secret] });
  return url;
}

/** Replaces the secret of a source. Calls with the old one are taken until the last line. */
export async function rotate(postern: Client, id: string, secret: string): Promise<void> {
  const { secrets } = await postern.sources.get(id);
  await postern.sources.addSecret(id, secret);
  for (const former of secrets) await postern.sources.removeSecret(id, former.id);
}
