/** What a portal calls a subscription: the word in texts of ours. */
import { expect, test } from "vitest";
import { worded, wordedIn } from "../../src/console/wording";

test.each([
  ["New subscription", "New endpoint"],
  ["Subscriptions", "Endpoints"],
  [
    "A subscription sends the events, and a subscription waits.",
    "An endpoint sends the events, and an endpoint waits.",
  ],
  ["The subscription's limit.", "The endpoint's limit."],
  ['The subscription has an own header "X-Subscription"', 'The endpoint has an own header "X-Subscription"'],
  ['The subscription has an own header "Subscription"', 'The endpoint has an own header "Subscription"'],
  ["Nothing lists subscription.created.", "Nothing lists subscription.created."],
  ["Resubscription", "Resubscription"],
])("%s", (text, expected) => {
  expect(worded(text, "endpoint")).toBe(expected);
  expect(worded(text, "subscription")).toBe(text);
});

test("only an endpoint has another article", () => {
  expect(worded("A subscription has failed.", "webhook")).toBe("A webhook has failed.");
});

test.each([
  ["de", "Neuer Webhook, ohne Webhooks", "Neuer Endpunkt, ohne Endpunkte"],
  ["fr", "Le webhook, ce webhook, de webhooks, Webhooks", "L’endpoint, cet endpoint, d’endpoints, Endpoints"],
  ["es", "Nuevo webhook, Webhooks", "Nuevo endpoint, Endpoints"],
] as const)("in %s, %s", (locale, text, expected) => {
  expect([wordedIn(locale, text, "endpoint"), wordedIn(locale, text, "webhook")]).toEqual([expected, text]);
});
