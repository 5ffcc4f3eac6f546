/** The apps and the APIs that an owner has registered, each with what can be done with it. */
import type { ClientRow } from "../../oauth/clients/store";
import { isRegisteredId } from "../../oauth/resources/keys";
import type { ResourceRow } from "../../oauth/resources/store";
import { LinkButton } from "../components/buttons";
import { Badge, Card } from "../components/display";
import { List } from "../components/list";
import { ClientWays } from "./clients/ways";

interface RegisteredProps {
  here: string;
  clients: readonly ClientRow[];
  apis: readonly ResourceRow[];
}

export const RegisteredApps = ({ here, clients, apis }: RegisteredProps) => (
  <>
    <Card id="registered" title="Apps of this tenant">
      <p class="muted">
        Your own apps, for members of this tenant alone. <LinkButton to={`${here}/new`}>New app</LinkButton>
      </p>
      <List of={clients} row={(client) => <Client here={here} client={client} />} empty="No apps of your own" />
    </Card>
    <Apis here={here} apis={apis} />
  </>
);

const Client = ({ here, client: { id, name, enabled } }: { here: string; client: ClientRow }) => (
  <li>
    <div>
      <strong>{name}</strong> {!enabled && <Badge tone="calm">Off</Badge>}
      <div class="small break">{id}</div>
    </div>
    <div class="row">
      <ClientWays here={here} id={id} name={name} />
    </div>
  </li>
);

export const Apis = ({ here, apis }: Pick<RegisteredProps, "here" | "apis">) => (
  <Card id="apis" title="APIs that take tokens of apps">
    <p class="muted">
      Each token is for one of them. <LinkButton to={`${here}/apis/new`}>New API</LinkButton>
    </p>
    <List of={apis} row={(api) => <Api here={here} api={api} />} empty="No APIs" />
  </Card>
);

const WAYS = [
  ["", "Change"],
  ["/secret", "New secret"],
  ["/delete", "Delete"],
] as const;

const Api = ({ here, api: { id, name, identifier, enabled } }: { here: string; api: ResourceRow }) => (
  <li>
    <div>
      <strong>{name}</strong> {!enabled && <Badge tone="calm">Off</Badge>}
      <div class="small break">{identifier}</div>
    </div>
    <div class="row">
      {WAYS.slice(0, isRegisteredId(id) ? WAYS.length : 1).map(([way, label]) => (
        <LinkButton to={`${here}/apis/${id}${way}`} label={`${label}: ${name}`}>
          {label}
        </LinkButton>
      ))}
    </div>
  </li>
);
