/** The page that sends an example of a chosen type to one subscription alone. */
import { FormButtons, PostForm } from "../components/buttons";
import { Select } from "../components/fields";
import { NarrowPage } from "../components/narrow-page";
import { subscriptionTrail } from "../components/trail";

interface TestPageProps {
  subscription: { id: string; name: string };
  /** The declared types that have examples. */
  types: readonly string[];
}

export const TestPage = ({ subscription, types }: TestPageProps) => (
  <NarrowPage title="Test a type" trail={subscriptionTrail(subscription)}>
    <PostForm action={`/webhooks/${subscription.id}/test`} class="card">
      <Select
        name="type"
        label="Event type"
        value=""
        options={[["", "WebhookTested"], ...types.map((type) => [type, type] as const)]}
        hint="Its first example is sent to this subscription alone, whatever types it lists."
      />
      <FormButtons cancel={`/webhooks/${subscription.id}`}>Send a test</FormButtons>
    </PostForm>
  </NarrowPage>
);
