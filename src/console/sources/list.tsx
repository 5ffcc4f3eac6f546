/** The tenant's sources, and the choice of a provider for a new one. */
import type { Permission } from "../../base/schemas/roles";
import type { Source, SourceProvider } from "../../webhooks/sources/schemas";
import { LinkButton } from "../components/buttons";
import { Badge, EmptyState, Time } from "../components/display";
import { A } from "../components/mount";
import { NarrowPage } from "../components/narrow-page";
import { Table } from "../components/table";
import { PROVIDERS, RECIPES } from "./recipes";

export const HERE = "/sources";

type ListedSource = Pick<Source, "id" | "name" | "provider" | "enabled" | "typePrefix" | "lastEventAt">;

interface ListProps {
  sources: readonly ListedSource[];
  permissions: ReadonlySet<Permission>;
}

export function SourceList({ sources, permissions }: ListProps) {
  const mayManage = permissions.has("source.manage");
  return (
    <>
      <div class="head">
        <h1>Sources</h1>
        {mayManage && sources.length > 0 && (
          <LinkButton to={`${HERE}/new`} kind="main">
            New source
          </LinkButton>
        )}
      </div>
      <p class="muted">
        A source is a URL at which another system sends its webhooks. Each rightly signed call becomes an event.{" "}
        <a href="/docs/inbound">How it works</a>
      </p>
      <div class="card">{sources.length === 0 ? <NoSources mayManage={mayManage} /> : <Rows sources={sources} />}</div>
    </>
  );
}

const NoSources = ({ mayManage }: { mayManage: boolean }) => (
  <EmptyState title="No sources yet">
    <p class="muted">Receive the webhooks of Stripe, GitHub, Shopify, Slack or your own systems.</p>
    {mayManage && (
      <LinkButton to={`${HERE}/new`} kind="main">
        Create your first source
      </LinkButton>
    )}
  </EmptyState>
);

export const SourceState = ({ enabled }: { enabled: boolean }) =>
  enabled ? <Badge tone="ok">Active</Badge> : <Badge tone="calm">Off</Badge>;

const Rows = ({ sources }: Pick<ListProps, "sources">) => (
  <Table label="Sources" columns={["Name", "State", ["Types begin with", "wide"], "Last event"]} opens>
    {sources.map(({ id, name, provider, enabled, typePrefix, lastEventAt }) => (
      <tr>
        <td class="break">
          <A to={`${HERE}/${id}`}>{name}</A>
          <div class="small muted">{RECIPES[provider].title}</div>
        </td>
        <td>
          <SourceState enabled={enabled} />
        </td>
        <td class="wide">{typePrefix === "" ? <span class="muted">anything</span> : <code>{typePrefix}</code>}</td>
        <td class="small">{lastEventAt === undefined ? "none yet" : <Time at={lastEventAt} />}</td>
      </tr>
    ))}
  </Table>
);

const newPath = (provider: SourceProvider) => `${HERE}/new/${provider}`;

/** The first step of a new source. */
export const ChooseProvider = () => (
  <NarrowPage title="Who sends the webhooks?" trail={{ [HERE]: "Sources" }}>
    <ul class="choices">
      {PROVIDERS.map((provider) => (
        <li class="card">
          <A class="name" to={newPath(provider)}>
            {RECIPES[provider].title}
          </A>
          <div class="small muted">{RECIPES[provider].about}</div>
        </li>
      ))}
    </ul>
  </NarrowPage>
);
