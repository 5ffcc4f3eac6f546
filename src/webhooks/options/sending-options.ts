/** How deliveries are signed and written, and what happens to events while a subscription is off. */
import { choiceOption } from "../../base/option";
import { profileOption } from "./profile-option";

const WHILE_OFF = { skip: "Skip new events", hold: "Hold new events" };

export const SENDING_OPTIONS = {
  signature: choiceOption("signature", {
    description:
      "The signatures in `webhook-signature`: with the secret (`v1`), or also with an Ed25519 key (`v1+v1a`), whose " +
      "public key is at `/.well-known/webhook-keys/{id}`.",
    label: "Signatures",
    hint: "With an Ed25519 key, receivers can verify with a public key and need no secret. The page Security shows it.",
    choices: { v1: "With the secret", "v1+v1a": "With the secret and an Ed25519 key" },
  }),
  signatureProfile: profileOption,
  format: choiceOption("format", {
    description:
      "The body: the event's payload (`payload`), `{ type, timestamp, data }` with the payload as `data` " +
      "(`standard`), a CloudEvent (`cloudevents`), or the event's id, type, time and URL without the payload " +
      "(`thin`). A change applies to open deliveries too, from their next attempt on.",
    label: "Body",
    hint:
      "Warning: a change also affects deliveries that are still being retried. Check first that your receiver reads " +
      "both.",
    choices: {
      payload: "The event's payload alone",
      standard: "An envelope with type, timestamp and data",
      cloudevents: "A CloudEvent",
      thin: "Id, type, time and URL, without the payload",
    },
  }),
  onPause: choiceOption("onPause", {
    description:
      "What happens to events that are published while the subscription is paused: they are not sent to it (`skip`), " +
      "or their deliveries are held and sent when it is resumed (`hold`). At most 100,000 are held, for the time of " +
      "the retention. A change applies from the next pause on.",
    label: "While it is paused",
    hint: "Held events are sent when you resume it, oldest first. A change takes effect at the next pause.",
    choices: WHILE_OFF,
  }),
  onDisable: choiceOption("onDisable", {
    description:
      "What happens to events while the service has disabled the subscription. With a `retry.schedule` they are " +
      "always held.",
    label: "While it is disabled because of failures",
    hint:
      "With its own retry schedule, events are always held. We try the oldest one from time to time. Once it " +
      "succeeds, we enable the subscription and send the rest.",
    choices: WHILE_OFF,
  }),
};
