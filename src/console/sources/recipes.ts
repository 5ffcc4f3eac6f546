/** What the pages say about each provider: what it is, where its secret comes from, and what to do there. */
import type { SourceProvider } from "../../webhooks/sources/schemas";

interface Recipe {
  title: string;
  about: string;
  /**
   * Where the first secret comes from: the provider shows one before it knows the URL, or only afterwards, or takes the
   * one that you choose.
   */
  secret: "theirs" | "theirs later" | "chosen";
  secretHint: string;
  /** What to do at the provider, in order. The page shows the URL above them. */
  steps: readonly string[];
}

export const RECIPES: Readonly<Record<SourceProvider, Recipe>> = {
  stripe: {
    title: "Stripe",
    about: "Payments, invoices and subscriptions",
    secret: "theirs later",
    secretHint: "Stripe shows it after you have added the endpoint. Leave this empty until then.",
    steps: [
      "In the Stripe Workbench, open Webhooks and add an endpoint with this URL.",
      "Choose the events to send.",
      "Copy the endpoint's signing secret, which begins with whsec_, and add it under Secrets.",
    ],
  },
  github: {
    title: "GitHub",
    about: "Pushes, issues and pull requests",
    secret: "chosen",
    secretHint: "This one is random. Copy it now: GitHub needs it too, and it is not shown again.",
    steps: [
      "In the settings of the repository or the organisation, open Webhooks and add one with this URL.",
      "Choose the content type application/json. A form works too.",
      "Enter the same secret there. GitHub's first call, a ping, is answered and not relayed.",
    ],
  },
  shopify: {
    title: "Shopify",
    about: "Orders, products and customers of a shop",
    secret: "theirs",
    secretHint: "The client secret of the app, or the one that the shop's page of webhooks shows.",
    steps: ["In the settings of the shop or the app, add a webhook in the format JSON with this URL."],
  },
  slack: {
    title: "Slack",
    about: "Messages, reactions and other events of a workspace",
    secret: "theirs",
    secretHint: "The signing secret on the page Basic Information of the app.",
    steps: [
      "In the settings of the app, open Event Subscriptions and enter this URL as the Request URL. Slack sends a " +
        "challenge, which is answered.",
      "Choose the events to send.",
    ],
  },
  twilio: {
    title: "Twilio",
    about: "Messages and calls, and what becomes of them",
    secret: "theirs",
    secretHint: "The auth token of the account.",
    steps: [
      "At Twilio, enter this URL as the webhook or status callback of a number, a service or a call, with HTTP POST.",
    ],
  },
  sendgrid: {
    title: "SendGrid",
    about: "What becomes of mails",
    secret: "theirs",
    secretHint: "The verification key (a public key) of an event webhook whose signature is switched on.",
    steps: ["In the settings of mail, enter this URL as the one of that event webhook, and choose the events."],
  },
  mailgun: {
    title: "Mailgun",
    about: "What becomes of mails, and mails that are received",
    secret: "theirs",
    secretHint: "The HTTP webhook signing key of the account.",
    steps: ["At Mailgun, open Webhooks of the domain and add this URL for each event."],
  },
  standard: {
    title: "Standard Webhooks",
    about: "Any service that signs as standardwebhooks.com says, such as Svix, Resend or another Postern",
    secret: "theirs later",
    secretHint:
      "whsec_… or a public key whpk_…. If it is shown only once the URL has been entered, leave this empty until then.",
    steps: [
      "At the service, add a webhook or an endpoint with this URL.",
      "Copy its secret, and add it under Secrets if you have not entered it yet.",
    ],
  },
  hmac: {
    title: "Something else",
    about: "Any service that signs the body with a shared secret (HMAC)",
    secret: "theirs",
    secretHint: "The secret that the service signs with.",
    steps: ["At the service, enter this URL as the address of the webhook.", "Try a sample of a call below."],
  },
};

export const PROVIDERS = Object.keys(RECIPES) as SourceProvider[];

/** The provider of this name; undefined if there is none. */
export const providerOf = (name: string): SourceProvider | undefined => PROVIDERS.find((one) => one === name);
