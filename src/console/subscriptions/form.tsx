/**
 * The form of a subscription: name, URL and event types, the rest in closed sections; and the confirmation to delete
 * it.
 */

import type { Deployment, Texts } from "../../base/option";
import type { TypeRow } from "../../webhooks/event-types/rows";
import type { HeadersView } from "../../webhooks/options/header-options";
import { FormButtons, PostForm } from "../components/buttons";
import { CheckboxGroup, TextArea, TextField } from "../components/fields";
import { Worded } from "../components/mount";
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
  deployment: Deployment;
}

const EVENTS_HINT =
  "For example OrderPaid. Separate several with commas or lines. A single * means all types, " +
  "order.* those that begin with order., postern.* all operational events.";

/** Of the form of a new subscription, whose `id` is null, or of an existing one. */
export const titleOf = (id: string | null): string => (id === null ? "New subscription" : "Edit subscription");

export function SubscriptionForm({ id, values, headers = {}, types, deployment }: FormProps) {
  const back = id === null ? "/webhooks" : `/webhooks/${id}`;
  return (
    <NarrowPage title={<Worded>{titleOf(id)}</Worded>} trail={subscriptionTrail()}>
      <PostForm action={back} class="card">
        <TextField name="name" label="Name" value={values.name} required maxlength={200} />
        <TextField
          name="url"
          label="URL"
          type="url"
          value={values.url}
          required
          placeholder="https://example.com/hooks"
          hint="Events are sent to it as POST requests."
        />
        <EventTypes types={types} chosen={typesIn(values.events)} />
        <OptionSections
          texts={values.delivery}
          secret={<Secret isNew={id === null} value={values.secret} />}
          headers={headers}
          deployment={deployment}
        />
        <FormButtons cancel={back}>{id === null ? <Worded>Create subscription</Worded> : "Save changes"}</FormButtons>
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
function EventTypes({ types, chosen }: { types: readonly ListedType[]; chosen: readonly string[] }) {
  const declared = new Set(types.map(({ name }) => name));
  const others = chosen.filter((type) => !declared.has(type));
  return (
    <>
      {[...Map.groupBy(types, ({ heading }) => heading ?? "Event types")].map(([heading, listed]) => (
        <CheckboxGroup
          name="types"
          legend={heading}
          values={[...chosen]}
          options={listed.map(({ name, description }) => [name, description ?? ""])}
        />
      ))}
      <TextArea
        name="events"
        label={types.length === 0 ? "Event types" : "Other event types"}
        value={others.join("\n")}
        rows={3}
        class="tags"
        hint={EVENTS_HINT}
      />
    </>
  );
}

/** Not marked as required: a browser cannot show what is wrong in a closed section. */
const Secret = ({ isNew, value }: { isNew: boolean; value: string }) => (
  <TextField
    name="secret"
    label="Signing secret"
    value={value}
    autocomplete="off"
    hint={
      isNew
        ? "Your receiver verifies signatures with it. This one is random. You can see it again later."
        : "Leave empty to keep the current secret."
    }
  />
);
