/** What the product itself has: a platform key, its own id for its customer, and a subscription to platform events. */
import type { Service } from "./service.ts";
import type { Subscriber } from "./subscribers.ts";

/** The product's own id of the demo's tenant. */
export const CUSTOMER = "demo-shop";
/** The subscriber that hears of users, tenants and members. */
export const PLATFORM = "platform";

interface Platform {
  service: Service;
  operatorToken: string;
  /** Of an owner of the tenant. */
  ownerToken: string;
  subscribers: readonly Subscriber[];
}

/** Returns the key of the product, and the id of its subscription. */
export async function addPlatform({ service, operatorToken, ownerToken, subscribers }: Platform) {
  const scopes = ["tenants.*", "users.*", "members.*", "events.publish", "webhooks.*", "audit.read"];
  const { key = "" } = await service.call("POST", "/platform/keys", { name: "product", scopes }, operatorToken);
  const [subscriber] = subscribers.filter(({ name }) => name === PLATFORM);
  if (!subscriber) throw new Error(`There is no subscriber ${PLATFORM}.`);
  const { name, url, secret, events } = subscriber;
  const { _id = "" } = await service.call("POST", "/webhooks", { name, url, secret, events }, key, "platform");
  const { tenant } = await service.call<{ tenant: { id: string } }>("GET", "/auth/me", undefined, ownerToken);
  await service.call("PATCH", `/platform/tenants/${tenant.id}`, { externalId: CUSTOMER }, key);
  return { platformKey: key, subscriptionId: _id };
}
