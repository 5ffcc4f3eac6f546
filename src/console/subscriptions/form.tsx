/**
 * The form of a subscription: name, URL and event types, the rest in closed sections; and the confirmation to delete
 * it.
 */

import type { Deployment, Texts } from "../../base/option";
import type { TextKey } from "../../base/texts/en";
import { translated } from "../../base/texts/known";
import type { TypeRow } from "../../webhooks/event-types/rows";
import type { HeadersView } from "../../webhooks/options/header-options";
import type { Advice } from "../../webhooks/subscriptions/unknown-types";
import { FormButtons, PostForm } from "../components/buttons";
import { Banner } from "../components/display";
import { CheckboxGroup, TextArea, TextField } from "../components/fields";
import { Say, useTexts } from "../components/mount";
import { NarrowPage } from "../components/narrow-page";
import { subscriptionTrail } from "../components/trail";
import { OptionSections } from "./option-fields";

export interface SubscriptionValues {
  name: string;
  url: string;
  /** One type per line; those that are ticked too. */
  events: string;
  secret: string;
  /** The inputs of the delivery options. */
  delivery: Texts;
}

type ListedType = Pick<TypeRow, "name" | "heading" | "description">;

interface FormProps {
  /** Null for a new subscription. */
  id: string | null;
  values: SubscriptionValues;
  /** The headers that are set now. */
  headers?: HeadersView | undefined;
  /** The declared types, from which people choose. */
  types: readonly ListedType[];
  /** About listed types that nobody has declared. */
  advice?: readonly Advice[];
  deployment: Deployment;
}

/** Of the form of a new subscription, whose `id` is null, or of an existing one. */
export const titleOf = (id: string | null): TextKey =>
  id === null ? "portal.newSubscription" : "portal.editSubscription";

export function SubscriptionForm({ id, values, headers = {}, types, advice = [], deployment }: FormProps) {
  const back = id === null ? "/webhooks" : `/webhooks/${id}`;
  const texts = useTexts();
  return (
    <NarrowPage title={<Say of={titleOf(id)} />} trail={subscriptionTrail()}>
      <PostForm action={back} class="card">
        <TextField name="name" label={texts.say("portal.name")} value={values.name} required maxlength={200} />
        <TextField
          name="url"
          label={texts.say("portal.url")}
          type="url"
          value={values.url}
          required
          placeholder="https://example.com/hooks"
          hint={texts.say("portal.urlHint")}
        />
        <EventTypes types={types} chosen={typesIn(values.events)} advice={advice} />
        <OptionSections
          texts={values.delivery}
          secret={<Secret isNew={id === null} value={values.secret} />}
          headers={headers}
          deployment={deployment}
        />
        <FormButtons cancel={back}>
          <Say of={id === null ? "portal.createSubscription" : "portal.saveChanges"} />
        </FormButtons>
      </PostForm>
    </NarrowPage>
  );
}

/** The types that a field lists, separated by commas or lines. */
export const typesIn = (text: string): string[] =>
  text
    .split(/[\n,]/)
    .map((type) => type.trim())
    .filter((type) => type !== "");

/** A checklist of the declared types by their groups, and a field for others. */
function EventTypes({ types, chosen, advice }: Required<Pick<FormProps, "types" | "advice">> & { chosen: string[] }) {
  const texts = useTexts();
  const declared = new Set(types.map(({ name }) => name));
  const others = chosen.filter((type) => !declared.has(type));
  return (
    <>
      {[...Map.groupBy(types, ({ heading }) => heading ?? texts.say("portal.eventTypes"))].map(([heading, listed]) => (
        <CheckboxGroup
          name="types"
          legend={heading}
          values={chosen}
          options={listed.map(({ name, description }) => [name, description ?? ""])}
        />
      ))}
      {advice.length > 0 && (
        <Banner kind="warn">
          {advice.map(({ type, message }) => (
            <div class="break">
              <code>{type}</code> {translated(texts, "problem", message)}
            </div>
          ))}
        </Banner>
      )}
      <TextArea
        name="events"
        label={texts.say(types.length === 0 ? "portal.eventTypes" : "portal.otherTypes")}
        value={others.join("\n")}
        rows={3}
        class="tags"
        hint={texts.say("portal.typesHint")}
      />
    </>
  );
}

/** Not marked as required: a browser cannot show what is wrong in a closed section. */
const Secret = ({ isNew, value }: { isNew: boolean; value: string }) => (
  <TextField
    name="secret"
    label={useTexts().say("portal.signingSecret")}
    value={value}
    autocomplete="off"
    hint={useTexts().say(isNew ? "portal.secretNew" : "portal.secretKeep")}
  />
);
