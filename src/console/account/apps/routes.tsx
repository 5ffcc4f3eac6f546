/** `/account/apps`: the apps that somebody has allowed something, each with a button to disconnect it. */
import type * as z from "zod";
import { perform, requires } from "../../../base/http/operation";
import { apps } from "../../../oauth/apps/api";
import type { connectedApp } from "../../../oauth/apps/schemas";
import { ActionButton } from "../../components/buttons";
import { Time } from "../../components/display";
import { Say, useTexts } from "../../components/mount";
import { NarrowPage } from "../../components/narrow-page";
import { flash, page } from "../../http/page";
import { Pages } from "../../http/pages";
import { ScopeText } from "../scope-text";

type App = z.infer<typeof connectedApp>;

const ConnectedApps = ({ list }: { list: readonly App[] }) => (
  <NarrowPage title={<Say of="apps.title" />}>
    <div class="card">
      {list.length === 0 ? (
        <p>
          <Say of="apps.none" />
        </p>
      ) : (
        <ul class="list">
          {list.map((app) => (
            <ConnectedApp app={app} />
          ))}
        </ul>
      )}
    </div>
  </NarrowPage>
);

const ConnectedApp = ({ app: { id, client, tenant, scopes, connectedAt } }: { app: App }) => (
  <li>
    <div class="break">
      <strong>{client.host === undefined ? client.name : `${client.host} (${client.name})`}</strong>
      <div class="small muted">
        <Say of="apps.since" values={{ tenant: tenant.name, time: <Time at={connectedAt} show="moment" /> }} />
      </div>
      <ul class="small">
        {scopes.map(({ resource, name, description }) => (
          <li>{resource === null ? <ScopeText scope={name} /> : `${resource}: ${description}`}</li>
        ))}
      </ul>
    </div>
    <ActionButton
      action={`/apps/${encodeURIComponent(id)}/disconnect`}
      kind="danger"
      label={useTexts().say("apps.disconnectOne", { app: client.name })}
    >
      <Say of="apps.disconnect" />
    </ActionButton>
  </li>
);

export const appsPages = new Pages()
  .get("/", requires(apps.list), async (c) =>
    page(c, { title: <Say of="apps.title" /> }, <ConnectedApps list={await perform(c, apps.list, undefined)} />),
  )
  .form("/:id/disconnect", apps.disconnect, { done: flash("/apps", "appDisconnected") }).router;
