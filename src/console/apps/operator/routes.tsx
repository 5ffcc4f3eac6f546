/** `/console/operator/apps`: the apps of the service, which operators register, change, block and let in again. */
import type { Context } from "hono";
import type * as z from "zod";
import { orNotFound } from "../../../base/errors";
import type { AppEnv } from "../../../base/http/env";
import { pathParam, serve } from "../../../base/http/operation";
import { PLATFORM_TENANT } from "../../../base/schemas/tenant-ref";
import { appRules, appsOfPlatform } from "../../../oauth/apps/rules/api";
import type { platformApp } from "../../../oauth/apps/schemas";
import { isClientId } from "../../../oauth/clients/keys";
import { clientsOf } from "../../../oauth/clients/manage";
import type { ClientRow } from "../../../oauth/clients/store";
import { resourcesOf } from "../../../oauth/resources/manage";
import type { ResourceRow } from "../../../oauth/resources/store";
import type { OperatorChange } from "../../changes/changes";
import { type ChangeSubject, changePages } from "../../changes/routes";
import { LinkButton } from "../../components/buttons";
import { Badge, Card, Time } from "../../components/display";
import { List } from "../../components/list";
import { Trail } from "../../components/trail";
import { page } from "../../http/page";
import { Pages } from "../../http/pages";
import { apiPages } from "../apis/routes";
import { clientPages } from "../clients/routes";
import { ClientWays } from "../clients/ways";
import { documentPages } from "../documents/routes";
import { PLATFORMS } from "../place";
import { Apis } from "../registered";

const HERE = PLATFORMS.here;
/** The newest; `GET /platform/clients` has all. */
const MOST_LISTED = 500;

const CHANGES: readonly OperatorChange[] = [
  {
    path: "/:client/block",
    asks: "Block",
    effects: [
      "Nobody gets through to it any more, in no tenant, and its tokens end at once.",
      "What people have allowed it is kept, and goes on when you let it in again.",
    ],
    button: "Block the app",
    asksForReason: false,
    done: "appBlocked",
    operation: appRules.blockForAll,
  },
  {
    path: "/:client/unblock",
    asks: "Let in",
    effects: ["People get through to it again, but in tenants that have blocked it themselves."],
    button: "Let the app in",
    asksForReason: false,
    done: "appUnblocked",
    operation: appRules.unblockForAll,
  },
];

interface AppsProps {
  apps: readonly z.infer<typeof platformApp>[];
  apis: readonly ResourceRow[];
  listed: readonly ClientRow[];
}

const Apps = ({ apps, apis, listed }: AppsProps) => (
  <>
    <Trail to={{ "/operator": "Operator" }} />
    <div class="head">
      <h1>Apps</h1>
      <LinkButton to={`${HERE}/new`} kind="main">
        New app
      </LinkButton>
    </div>
    <p class="muted">
      The apps that people sign in to. Your product registers and changes them by the API too. See{" "}
      <a href="/docs/sign-in-for-apps">Sign-in for apps</a>.
    </p>
    <Card id="apps" title="All apps">
      <List of={apps} row={(app) => <Row app={app} />} empty="No apps yet" />
    </Card>
    <Apis here={HERE} apis={apis} />
    <Card id="listed" title="Listed apps of agents">
      <p class="muted">
        By the URLs of their documents. <LinkButton to={`${HERE}/documents/new`}>List an app</LinkButton>
      </p>
      <List of={listed} row={(client) => <Listed client={client} />} empty="None" />
    </Card>
  </>
);

const Listed = ({ client: { id, name, host } }: { client: ClientRow }) => (
  <li>
    <div>
      <strong>{host}</strong> ({name})<div class="small break">{id}</div>
    </div>
    <LinkButton to={`${HERE}/documents/${encodeURIComponent(id)}`} label={`Change: ${host}`}>
      Change
    </LinkButton>
  </li>
);

const Row = ({ app: { client, state, lastUsedAt } }: { app: z.infer<typeof platformApp> }) => {
  const [verb, path] = state === "blocked" ? ["Let in", "unblock"] : ["Block", "block"];
  return (
    <li>
      <div>
        <strong>{client.name}</strong> {state === "blocked" && <Badge tone="calm">Blocked</Badge>}
        <div class="small break">{client.id}</div>
        <div class="small muted">
          {lastUsedAt === null ? (
            "Never used"
          ) : (
            <>
              Last used <Time at={lastUsedAt} />
            </>
          )}
        </div>
      </div>
      <div class="row">
        {isClientId(client.id) && <ClientWays here={HERE} id={client.id} name={client.name} />}
        <LinkButton
          to={`${HERE}/${encodeURIComponent(client.id)}/${path}`}
          kind={path === "block" ? "danger" : "plain"}
          label={`${verb} ${client.name}`}
        >
          {verb}
        </LinkButton>
      </div>
    </li>
  );
};

const APP: ChangeSubject = {
  async read(c: Context<AppEnv>) {
    const id = pathParam(c, "client");
    const app = (await appsOfPlatform(c.get("deps"))).find(({ client }) => client.id === id);
    return { name: orNotFound(app, "App").client.name, counts: [] };
  },
  back: () => HERE,
};

export const operatorAppPages = new Pages()
  .get(
    "/",
    ...serve(appRules.listAll, async (c, apps) => {
      const apis = await resourcesOf(c.get("deps"), PLATFORM_TENANT);
      const { rows } = await clientsOf(c.get("deps"), PLATFORM_TENANT, { limit: MOST_LISTED });
      const view = { apps, apis, listed: rows.filter(({ kind }) => kind === "listed") };
      return page(c, { title: "Apps", section: "operator" }, <Apps {...view} />);
    }),
  )
  .route("/", clientPages(PLATFORMS))
  .route("/apis", apiPages(PLATFORMS))
  .route("/documents", documentPages)
  .route("/", changePages(CHANGES, APP)).router;
