/** `/console/operator/apps`: the apps of the service, which operators register, change, block and let in again. */
import type { Context } from "hono";
import type * as z from "zod";
import { orNotFound } from "../../../base/errors";
import type { AppEnv } from "../../../base/http/env";
import { pathParam, serve } from "../../../base/http/operation";
import { appRules, appsOfPlatform } from "../../../oauth/apps/rules/api";
import type { platformApp } from "../../../oauth/apps/schemas";
import type { OperatorChange } from "../../changes/changes";
import { type ChangeSubject, changePages } from "../../changes/routes";
import { LinkButton } from "../../components/buttons";
import { Badge, Card, Time } from "../../components/display";
import { List } from "../../components/list";
import { Trail } from "../../components/trail";
import { page } from "../../http/page";
import { Pages } from "../../http/pages";
import { HERE } from "../clients/form";
import { clientPages } from "../clients/routes";

/** What else can be done with an app, by the end of its page's path. */
const WAYS = [
  ["", "Change"],
  ["/secret", "New secret"],
  ["/secret/end", "End the former secret"],
  ["/revoke", "End sign-ins"],
  ["/delete", "Delete"],
] as const;

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

const Apps = ({ apps }: { apps: readonly z.infer<typeof platformApp>[] }) => (
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
  </>
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
        {WAYS.map(([way, label]) => (
          <LinkButton to={`${HERE}/registered/${client.id}${way}`} label={`${label}: ${client.name}`}>
            {label}
          </LinkButton>
        ))}
        <LinkButton
          to={`${HERE}/${client.id}/${path}`}
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
    ...serve(appRules.listAll, (c, apps) => page(c, { title: "Apps", section: "operator" }, <Apps apps={apps} />)),
  )
  .route("/", clientPages)
  .route("/", changePages(CHANGES, APP)).router;
