/** The fields for signatures, format and headers of a subscription. */
import type { DeliveryOptions } from "../../webhooks/subscriptions/delivery-options";
import type { HeadersView } from "../../webhooks/subscriptions/header-options";
import { Select, TextArea } from "../components/fields";
import type { Failure } from "../failure";

export interface SendingValues {
  signature: string;
  format: string;
  onPause: string;
  onDisable: string;
  /** One header per line, never filled in: values are not shown again. */
  headers: string;
}

/** What the form shows for the options that are set. */
export const sendingValues = (options: DeliveryOptions | null): SendingValues => ({
  signature: options?.signature ?? "v1",
  format: options?.format ?? "payload",
  onPause: options?.onPause ?? "skip",
  onDisable: options?.onDisable ?? "skip",
  headers: "",
});

/** What the form sets, for the API's schema to validate. A line without a value removes its header. */
export function sendingChange({
  signature,
  format,
  onPause,
  onDisable,
  headers,
}: SendingValues): Record<string, unknown> {
  const lines = headers.split(/\r?\n/).filter((line) => line.trim() !== "");
  const entries = lines.map((line): [string, string | null] => {
    const [name = "", ...rest] = line.split(":");
    return [name.trim(), rest.join(":").trim() || null];
  });
  return {
    ...(signature === "" ? {} : { signature }),
    ...(format === "" ? {} : { format }),
    ...(onPause === "" ? {} : { onPause }),
    ...(onDisable === "" ? {} : { onDisable }),
    ...(entries.length === 0 ? {} : { headers: Object.fromEntries(entries) }),
  };
}

const WHILE_OFF = [
  ["skip", "Skip new events"],
  ["hold", "Hold new events"],
] as const;

/** The headers that are set, with the ends of their values. */
export const HeaderList = ({ headers }: { headers: HeadersView }) => (
  <ul class="plain-list">
    {Object.entries(headers).map(([name, { last4 }]) => (
      <li>
        <code>{name}</code> <span class="muted">{last4 === undefined ? "value hidden" : `value ends in ${last4}`}</span>
      </li>
    ))}
  </ul>
);

interface SendingFieldsProps {
  values: SendingValues;
  /** The headers that are set now. */
  headers: HeadersView;
  failure?: Failure | undefined;
}

export const SendingFields = ({ values, headers, failure }: SendingFieldsProps) => (
  <>
    <Select
      name="signature"
      label="Signatures"
      value={values.signature}
      options={[
        ["v1", "With the secret"],
        ["v1+v1a", "With the secret and an Ed25519 key"],
      ]}
      hint="With an Ed25519 key, receivers can verify with a public key and need no secret. The page Security shows it."
      failure={failure}
    />
    <Select
      name="format"
      label="Body"
      value={values.format}
      options={[
        ["payload", "The event's payload alone"],
        ["standard", "An envelope with type, timestamp and data"],
      ]}
      hint="Warning: a change also affects deliveries that are still being retried. Check first that your receiver reads both."
      failure={failure}
    />
    <Select
      name="onPause"
      label="While it is paused"
      value={values.onPause}
      options={WHILE_OFF}
      hint="Held events are sent when you resume it, oldest first. A change takes effect at the next pause."
      failure={failure}
    />
    <Select
      name="onDisable"
      label="While it is disabled because of failures"
      value={values.onDisable}
      options={WHILE_OFF}
      hint="With its own retry schedule, events are always held. We try the oldest one from time to time. Once it succeeds, we enable the subscription and send the rest."
      failure={failure}
    />
    <TextArea
      name="headers"
      label="Own headers"
      value=""
      rows={2}
      hint="For a gateway, for example. One per line, as Authorization: Bearer 1234. Values are never shown again."
      failure={failure}
    />
    {Object.keys(headers).length > 0 && (
      <div class="field">
        <p>Set now:</p>
        <HeaderList headers={headers} />
        <p class="hint">
          A header that you don't list above stays. To remove one, enter its name and a colon. If you change the host of
          the URL, enter every header again or remove it.
        </p>
      </div>
    )}
  </>
);
