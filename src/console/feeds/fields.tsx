/** The fields of a feed's forms, as text. */
import { TextArea, TextField } from "../components/fields";
import type { Form } from "../http/form";

export interface FeedValues {
  name: string;
  /** Event types, one a line. */
  events: string;
}

export const NEW_FEED: FeedValues = { name: "", events: "*" };

export const readValues = (sent: Form): FeedValues => sent.texts("name", "events");

/** What the API takes. */
export const inputOf = ({ name, events }: FeedValues) => ({ name, events: events.split(/[\s,]+/).filter(Boolean) });

export const FeedFields = ({ values }: { values: FeedValues }) => (
  <>
    <TextField name="name" label="Name" value={values.name} required maxlength={200} />
    <TextArea
      name="events"
      label="Event types"
      value={values.events}
      rows={4}
      hint="One a line. * stands for all, order.* for those that begin with order."
    />
  </>
);
