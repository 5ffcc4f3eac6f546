/** The tenant's connections, and the choice of a provider for a new one. */
import { CONNECTION_PROVIDERS, type ConnectionState } from "../../base/schemas/connection-settings";
import { PROVIDER_RECIPES } from "../../sign-on/connections/recipes";
import type { ConnectionView } from "../../sign-on/connections/schemas";
import { LinkButton } from "../components/buttons";
import { Badge, EmptyState, Time, type Tone } from "../components/display";
import { A, useIsSetup } from "../components/mount";
import { NarrowPage } from "../components/narrow-page";
import { Table } from "../components/table";

export const HERE = "/connections";

const STATES: Readonly<Record<ConnectionState, readonly [tone: Tone, text: string]>> = {
  draft: ["wait", "Draft"],
  ready: ["wait", "Ready to test"],
  active: ["ok", "Active"],
  disabled: ["calm", "Disabled"],
};

export const StateBadge = ({ state, testedAt }: Pick<ConnectionView, "state" | "testedAt">) => (
  <Badge tone={STATES[state][0]}>{state === "ready" && testedAt !== null ? "Tested" : STATES[state][1]}</Badge>
);

interface ListProps {
  connections: readonly ConnectionView[];
  mayAdd: boolean;
}

export const ConnectionList = ({ connections, mayAdd }: ListProps) => (
  <>
    <div class="head">
      <h1>Single sign-on</h1>
      <div class="row">
        {!useIsSetup() && <LinkButton to="/setup-links">Setup links</LinkButton>}
        {mayAdd && (
          <LinkButton to={`${HERE}/new`} kind="main">
            New connection
          </LinkButton>
        )}
      </div>
    </div>
    {connections.length === 0 ? (
      <EmptyState title="No connection yet">
        <p class="muted">With a connection, the members of this tenant sign in with your own identity provider.</p>
      </EmptyState>
    ) : (
      <Table label="Connections" columns={["Name", "Provider", "State", "Last sign-on"]}>
        {connections.map(({ id, name, kind, provider, state, testedAt, lastSignOnAt }) => (
          <tr>
            <td class="break">
              <A to={`${HERE}/${id}`}>{name}</A>
            </td>
            <td>{kind === "directory" ? "Directory alone" : PROVIDER_RECIPES[provider].title}</td>
            <td>
              <StateBadge state={state} testedAt={testedAt} />
            </td>
            <td class="small">{lastSignOnAt === null ? "none yet" : <Time at={lastSignOnAt} />}</td>
          </tr>
        ))}
      </Table>
    )}
  </>
);

export const ChooseIdentityProvider = () => (
  <NarrowPage title="New connection" trail={{ [HERE]: "Single sign-on" }}>
    <ul class="list card">
      {CONNECTION_PROVIDERS.map((provider) => (
        <li>
          <A to={`${HERE}/new/${provider}`}>{PROVIDER_RECIPES[provider].title}</A>
        </li>
      ))}
      <li>
        <A to={`${HERE}/new/saml`}>SAML 2.0, with any of them</A>
      </li>
      <li>
        <A to={`${HERE}/new/directory`}>Directory alone (SCIM), without sign-on</A>
      </li>
    </ul>
  </NarrowPage>
);
