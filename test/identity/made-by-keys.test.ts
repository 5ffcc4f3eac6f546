/** What a revoked API key leaves behind, which the answer names. */
import { expect, test } from "vitest";
import { call, signUpVerified } from "../support/client";
import { newInbox } from "../support/receiver";
import { SECRET } from "../support/sources";

test("the answer to a revocation lists what the key has made and what works without it, and nothing of others", async () => {
  const { token } = await signUpVerified();
  const scopes = ["webhook.create", "webhook.read", "webhook.update", "source.manage", "event.publish"];
  const newKey = async () => (await call("POST", "/api-keys", { token, body: { name: "k", scopes } })).body.data;
  const [first, second] = [await newKey(), await newKey()];
  const hook = { name: "Tap", url: newInbox("200").url, events: ["*"], secret: "hush" };
  const source = { name: "Hub", provider: "github", secrets: [SECRET] };
  const make = async (by: { key: string }, path: string, body: object) =>
    (await call("POST", path, { token: by.key, body })).body.data;
  const subscription = await make(first, "/webhooks", hook);
  const feed = await make(first, "/feeds", { name: "Bills", events: ["*"] });
  const hub = await make(first, "/sources", source);
  const gone = await make(first, "/sources", source);
  await call("DELETE", `/sources/${gone.id}`, { token });
  await make(second, "/webhooks", { ...hook, name: "Other" });
  const { body } = await call("DELETE", `/api-keys/${first.id}`, { token });
  expect(body).toEqual({
    message: "API key revoked",
    made: [
      { kind: "subscription", id: subscription._id, name: "Tap" },
      { kind: "feed", id: feed.id, name: "Bills" },
      { kind: "source", id: hub.id, name: "Hub" },
    ],
  });
});
