/** The tenant's feeds, and the form for a new one. */
import type { Permission } from "../../base/schemas/roles";
import type { Feed } from "../../webhooks/feeds/schemas";
import { PostForm, SubmitButton } from "../components/buttons";
import { Card, Time } from "../components/display";
import { FailureBanner } from "../components/failure";
import { List } from "../components/list";
import { A } from "../components/mount";
import { FeedFields, type FeedValues } from "./fields";

export const HERE = "/feeds";

interface ListProps {
  feeds: readonly Feed[];
  permissions: ReadonlySet<Permission>;
  values: FeedValues;
}

export const FeedList = ({ feeds, permissions, values }: ListProps) => (
  <>
    <h1>Feeds</h1>
    <p class="muted">
      A feed is a list of events that your programs pull, in the order in which they were published.{" "}
      <a href="/docs/feeds">How it works</a>
    </p>
    <FailureBanner />
    <div class="columns">
      <Card id="feeds" title="Your feeds">
        <List of={feeds} row={(feed) => <Row feed={feed} />} empty="No feeds yet">
          Pull events from where no URL can be reached, or to read them again later.
        </List>
      </Card>
      {permissions.has("webhook.create") && (
        <Card id="new-feed" title="New feed">
          <PostForm action={HERE}>
            <FeedFields values={values} />
            <SubmitButton>Create feed</SubmitButton>
          </PostForm>
        </Card>
      )}
    </div>
  </>
);

const Row = ({ feed: { id, name, events, tokenPrefix, createdAt } }: { feed: Feed }) => (
  <li>
    <div>
      <A to={`${HERE}/${id}`}>{name}</A> <code>{tokenPrefix}</code>
      <div class="small break">{events.join(", ")}</div>
      <div class="small muted">
        Created <Time at={createdAt} />
      </div>
    </div>
  </li>
);
