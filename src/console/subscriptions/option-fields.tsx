/** The fields of the delivery options in the form of a subscription, in the order of their descriptions. */
import type { FC } from "hono/jsx";
import { OPTIONS } from "../../webhooks/subscriptions/delivery-options";
import type { HeadersView } from "../../webhooks/subscriptions/header-options";
import type { Deployment, Input, Texts } from "../../webhooks/subscriptions/option";
import { Select, TextArea, TextField } from "../components/fields";
import type { Failure } from "../failure";
import { CalendarPreview } from "./schedule";

interface OptionFieldsProps {
  texts: Texts;
  /** The headers that are set now. */
  headers: HeadersView;
  deployment: Deployment;
  failure?: Failure | undefined;
}

export const OptionFields = (props: OptionFieldsProps) => (
  <>
    {OPTIONS.map(({ path, field }) => {
      const Below = BELOW[path];
      return (
        <>
          {field.inputs.map((input) => (
            <OptionInput {...props} input={input} />
          ))}
          {Below && <Below {...props} />}
        </>
      );
    })}
  </>
);

function OptionInput({ input, texts, deployment, failure }: OptionFieldsProps & { input: Input }) {
  const { name, label, hint, kind, placeholder, choices } = input;
  const shared = { name, label, failure, value: texts[name] ?? "", ...(hint ? { hint } : {}) };
  if (choices) return <Select {...shared} options={choices(deployment)} />;
  if (kind === "hidden") return <TextArea {...shared} value="" rows={2} />;
  const typed = {
    ...(placeholder ? { placeholder } : {}),
    ...(kind === "number" ? { inputmode: "numeric" as const } : {}),
  };
  return <TextField {...shared} {...typed} />;
}

const HeadersNow = ({ headers }: OptionFieldsProps) =>
  Object.keys(headers).length === 0 ? null : (
    <div class="field">
      <p>Set now:</p>
      <HeaderList headers={headers} />
      <p class="hint">
        A header that you don't list above stays. To remove one, enter its name and a colon. If you change the host of
        the URL, enter every header again or remove it.
      </p>
    </div>
  );

/** What the form shows below the inputs of an option. */
const BELOW: Readonly<Record<string, FC<OptionFieldsProps>>> = {
  headers: HeadersNow,
  "retry.schedule": CalendarPreview,
};

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
