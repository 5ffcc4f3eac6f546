/**
 * The form of a subscription: name, URL and event types, the rest in closed sections; and the confirmation to delete
 * it.
 */

import type { Deployment, Texts } from "../../base/option";
import type { HeadersView } from "../../webhooks/options/header-options";
import { FormButtons, PostForm } from "../components/buttons";
import { TextArea, TextField } from "../components/fields";
import { Worded } from "../components/mount";
import { NarrowPage } from "../components/narrow-page";
import { subscriptionTrail } from "../components/trail";
import { OptionSections } from "./option-fields";

export interface SubscriptionValues {
  name: string;
  url: string;
  /** One type per line. */
  events: string;
  secret: string;
  /** The inputs of the delivery options. */
  delivery: Texts;
}

interface FormProps {
  /** Null for a new subscription. */
  id: string | null;
  values: SubscriptionValues;
  /** The headers that are set now. */
  headers?: HeadersView | undefined;
  deployment: Deployment;
}

const EVENTS_HINT =
  "For example OrderPaid. Separate several with commas or lines. A single * means all types that you publish, " +
  "order.* those that begin with order., postern.* all operational events.";

/** Of the form of a new subscription, whose `id` is null, or of an existing one. */
export const titleOf = (id: string | null): string => (id === null ? "New subscription" : "Edit subscription");

export function SubscriptionForm({ id, values, headers = {}, deployment }: FormProps) {
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
        <TextArea name="events" label="Event types" value={values.events} rows={3} class="tags" hint={EVENTS_HINT} />
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
