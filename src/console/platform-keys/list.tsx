/** The platform keys that work, and the page that shows a new one once. */
import type { PlatformKey } from "../../identity/platform-keys/schemas";
import { LinkButton } from "../components/buttons";
import { Badge, Card, Copyable, Moment, Time } from "../components/display";
import { List } from "../components/list";
import { A } from "../components/mount";
import { NarrowPage } from "../components/narrow-page";
import { Trail } from "../components/trail";

export const HERE = "/operator/keys";

/** The page above the list, and those above one of its entries. */
const ABOVE = { "/operator": "Operator" };
export const ABOVE_KEY = { ...ABOVE, [HERE]: "Platform keys" };

export const PlatformKeys = ({ keys, install }: { keys: readonly PlatformKey[]; install: string }) => (
  <>
    <Trail to={ABOVE} />
    <div class="head">
      <h1>Platform keys</h1>
      <LinkButton to={`${HERE}/new`} kind="main">
        New platform key
      </LinkButton>
    </div>
    <p class="muted">
      With a platform key your product's own backend creates customers and publishes for them. See{" "}
      <a href="/docs/platform-api">Platform API</a>. What happens to users and tenants is sent to the{" "}
      <A to="/platform/webhooks">subscriptions of the platform</A>.
    </p>
    <p class="muted">
      Its <a href="/docs/client">client</a>: <Copyable text={install} label="the command" />
    </p>
    <section class="card" aria-label="Platform keys">
      <List of={keys} row={(key) => <KeyRow platformKey={key} />} empty="No platform keys yet">
        A key belongs to the product, not to a person: it keeps working when its maker leaves.
      </List>
    </section>
  </>
);

const KeyRow = ({ platformKey: key }: { platformKey: PlatformKey }) => (
  <li>
    <div>
      <strong>{key.name}</strong> <code>{key.prefix}</code>
      <div class="row tight">
        {key.scopes.map((scope) => (
          <Badge tone="calm">{scope}</Badge>
        ))}
      </div>
      {key.tenants && <OnlyIn tenants={key.tenants} />}
      <div class="small muted">
        Created <Time at={key.createdAt} />,{" "}
        {key.lastUsedAt === null ? (
          "never used"
        ) : (
          <>
            last used <Time at={key.lastUsedAt} />
          </>
        )}
        {key.expiresAt !== null && (
          <>
            , expires <Time at={key.expiresAt} />
          </>
        )}
        {key.previousExpiresAt && (
          <>
            . Its former key ends <Time at={key.previousExpiresAt} />
          </>
        )}
      </div>
    </div>
    <KeyActions platformKey={key} />
  </li>
);

const OnlyIn = ({ tenants }: { tenants: readonly string[] }) => (
  <div class="small muted">
    In {tenants.length === 1 ? "1 tenant" : `${tenants.length} tenants`} only:{" "}
    {tenants.map((id, index) => (
      <>
        {index > 0 && ", "}
        <A to={`/operator/tenants/${id}`}>{id}</A>
      </>
    ))}
  </div>
);

const KeyActions = ({ platformKey: { id, name, previousExpiresAt } }: { platformKey: PlatformKey }) => (
  <div class="row">
    {previousExpiresAt ? (
      <LinkButton to={`${HERE}/${id}/previous/end`} label={`End the former key of ${name}`}>
        End the former key
      </LinkButton>
    ) : (
      <LinkButton to={`${HERE}/${id}/rotate`} label={`Rotate ${name}`}>
        Rotate
      </LinkButton>
    )}
    <LinkButton to={`${HERE}/${id}/revoke`} kind="danger" label={`Revoke ${name}`}>
      Revoke
    </LinkButton>
  </div>
);

export interface IssuedView {
  name: string;
  key: string;
  /** ISO 8601; null unless the former key still works. */
  previousExpiresAt: string | null;
}

/** The only page that shows a key. */
export const IssuedKey = ({ name, key, previousExpiresAt }: IssuedView) => (
  <NarrowPage title={name} trail={ABOVE_KEY}>
    <Card id="issued" title="Copy the key now: it will not be shown again">
      <p>
        <Copyable text={key} label="the key" />
      </p>
      {previousExpiresAt && (
        <p>
          The former key works until <Moment at={previousExpiresAt} />.
        </p>
      )}
      <p class="muted">Keep it in your backend's secrets. Never put it in a browser or a repository.</p>
      <LinkButton to={HERE} kind="main">
        I have copied it
      </LinkButton>
    </Card>
  </NarrowPage>
);
