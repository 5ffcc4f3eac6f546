/** The fields of the delivery options in the form of a subscription, in sections. */
import type { Child, FC } from "hono/jsx";
import type { Deployment, Texts } from "../../base/option";
import type { TextKey } from "../../base/texts/en";
import { DELIVERY_OPTIONS } from "../../webhooks/options/delivery-options";
import type { HeadersView } from "../../webhooks/options/header-options";
import { Say, useOptionTexts } from "../components/mount";
import { OptionInput } from "../components/option-input";
import { useFailure } from "../components/shown-failure";
import { CalendarPreview } from "./schedule";

interface OptionFieldsProps {
  texts: Texts;
  /** The headers that are set now. */
  headers: HeadersView;
  deployment: Deployment;
}

/** The sections by the options that they hold. The last one has those that no other names. */
const SECTIONS: readonly (readonly [title: TextKey, paths: readonly string[]])[] = [
  ["section.signature", ["signature", "signatureProfile", "format"]],
  ["portal.filter", ["filter"]],
  ["portal.retries", ["retry.schedule", "retry.respectRetryAfter", "retry.onGone", "retry.abortHeader"]],
  ["section.limits", ["rateLimit", "maxConcurrent"]],
  ["section.headers", ["headers"]],
  ["section.off", []],
];
const NAMED = new Set(SECTIONS.flatMap(([, paths]) => paths));

type Placed = (typeof DELIVERY_OPTIONS)[number];

const optionsIn = (paths: readonly string[]) =>
  DELIVERY_OPTIONS.filter(({ path }) => (paths.length === 0 ? !NAMED.has(path) : paths.includes(path)));

/** Closed sections, whose titles tell what is set in them. One with an error is open. `secret` is in the first. */
export function OptionSections({ secret, ...props }: OptionFieldsProps & { secret: Child }) {
  const failure = useFailure();
  const said = useOptionTexts();
  return (
    <>
      {SECTIONS.map(([title, paths], index) => {
        const options = optionsIn(paths);
        const names = [
          ...options.flatMap(({ field }) => field.inputs.map(({ name }) => name)),
          index === 0 && "secret",
        ];
        const isOpen = names.some((name) => name && failure?.fields[name] !== undefined);
        return (
          <details class="section" open={isOpen}>
            <summary>
              <Say of={title} />{" "}
              <span class="small muted">{summaryOf(options, props, said) ?? <Say of="portal.default" />}</span>
            </summary>
            {index === 0 && secret}
            {options.map((option) => (
              <OptionFields option={option} {...props} />
            ))}
          </details>
        );
      })}
    </>
  );
}

/** What is set in a section: "10 per second"; null for nothing. */
function summaryOf(
  options: readonly Placed[],
  { texts, headers, deployment }: OptionFieldsProps,
  said: (english: string) => string,
): string | null {
  const set = options.flatMap(({ field, path }) => {
    if (path === "headers") return Object.keys(headers);
    const byDefault = field.show(undefined);
    if (field.inputs.every(({ name }) => (texts[name] ?? byDefault[name]) === byDefault[name])) return [];
    return field.inputs
      .filter(({ name }) => (texts[name] ?? "") !== "" && texts[name] !== "own")
      .map(({ name, choices }) => {
        const label = choices?.(deployment).find(([text]) => text === texts[name])?.[1];
        return label === undefined ? texts[name] : said(label);
      });
  });
  return set.length === 0 ? null : set.join(", ");
}

function OptionFields({ option: { path, field }, ...props }: OptionFieldsProps & { option: Placed }) {
  const Below = BELOW[path];
  return (
    <div class="option">
      {field.inputs.map((input, index) => (
        <div class={index > 0 && field.inputs[0]?.choices ? "own-only" : undefined}>
          <OptionInput input={input} texts={props.texts} deployment={props.deployment} />
        </div>
      ))}
      {Below && <Below {...props} />}
    </div>
  );
}

const HeadersNow = ({ headers }: OptionFieldsProps) =>
  Object.keys(headers).length === 0 ? null : (
    <div class="field">
      <p>
        <Say of="portal.setNow" />
      </p>
      <HeaderList headers={headers} />
      <p class="hint">
        <Say of="portal.headersHint" />
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
        <code>{name}</code>{" "}
        <span class="muted">
          <Say of={last4 === undefined ? "portal.valueHidden" : "portal.valueEnds"} values={{ last: last4 }} />
        </span>
      </li>
    ))}
  </ul>
);
