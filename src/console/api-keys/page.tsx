/** The API keys page: the list, the form for a new key, and the new key itself, shown once. */

import { PERMISSION_TEXTS, type Permission } from "../../base/schemas/roles";
import type { ApiKeyRow } from "../../identity/api-keys/store";
import { ActionButton, PostForm, SubmitButton } from "../components/buttons";
import { Badge, Banner, Card, Copyable, Time } from "../components/display";
import { FailureBanner } from "../components/failure";
import { CheckboxGroup, Select, TextField } from "../components/fields";
import { LIFETIMES } from "../components/lifetimes";
import { List } from "../components/list";

export interface KeyValues {
  name: string;
  scopes: string[];
  /** Days until it expires; empty for never. */
  days: string;
  /** "user" or "tenant". */
  owner: string;
}

interface KeysProps {
  keys: readonly ApiKeyRow[];
  /** The permissions that the caller has and can therefore give to a key. */
  permissions: ReadonlySet<Permission>;
  values: KeyValues;
  /** What installs the npm package. */
  install: string;
  /** The new key. It is shown on this page only. */
  issued?: { name: string; key: string } | undefined;
}

/** API keys are not accepted where members are managed. */
const KEY_SCOPES = (Object.entries(PERMISSION_TEXTS) as [Permission, string][]).filter(
  ([permission]) => !permission.startsWith("member."),
);
const OWNERS = [
  ["user", "You: it stops when you leave"],
  ["tenant", "The tenant: it works on when you leave"],
] as const;
export const ApiKeys = ({ keys, permissions, values, install, issued }: KeysProps) => (
  <>
    <h1>API keys</h1>
    {issued && (
      <Banner kind="ok">
        <p>
          Your new key <strong>{issued.name}</strong>. Copy it now: it will not be shown again.
        </p>
        <Copyable text={issued.key} label="the key" />
      </Banner>
    )}
    <FailureBanner />
    <p class="muted">
      The <a href="/docs/client">client</a> and the <a href="/docs/cli">command line</a>:{" "}
      <Copyable text={install} label="the command" />
    </p>
    <div class="columns">
      <Card id="active" title="Your active keys">
        <List of={keys} row={(key) => <KeyRow apiKey={key} />} empty="No API keys yet">
          A key lets your own services publish events and manage subscriptions.
        </List>
      </Card>
      <Card id="new-key" title="New key">
        <PostForm action="/api-keys">
          <TextField name="name" label="Name" value={values.name} required maxlength={200} />
          <CheckboxGroup
            name="scopes"
            legend="The key may"
            values={values.scopes}
            options={KEY_SCOPES.filter(([scope]) => permissions.has(scope))}
          />
          <Select name="expiresAt" label="Expires" value={values.days} options={LIFETIMES} />
          {permissions.has("member.manage") && (
            <Select name="owner" label="Belongs to" value={values.owner} options={OWNERS} />
          )}
          <SubmitButton>Create key</SubmitButton>
        </PostForm>
      </Card>
    </div>
  </>
);

const KeyRow = ({ apiKey }: { apiKey: ApiKeyRow }) => {
  const { id, name, prefix, owner, scopes, createdAt, lastUsedAt, expiresAt } = apiKey;
  return (
    <li>
      <div>
        <strong>{name}</strong> <code>{prefix}</code>
        {owner === "tenant" && <span class="small muted"> belongs to the tenant</span>}
        <div class="small">
          {scopes.map((scope) => (
            <>
              <Badge tone="calm">{scope}</Badge>{" "}
            </>
          ))}
        </div>
        <div class="small muted">
          Created <Time at={createdAt} />,{" "}
          {lastUsedAt ? (
            <>
              last used <Time at={lastUsedAt} />
            </>
          ) : (
            "never used"
          )}
          {expiresAt && (
            <>
              , expires <Time at={expiresAt} />
            </>
          )}
        </div>
      </div>
      <ActionButton action={`/api-keys/${id}/revoke`} kind="danger" label={`Revoke ${name}`}>
        Revoke
      </ActionButton>
    </li>
  );
};
