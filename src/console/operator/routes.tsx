/** `/console/operator`: the search, the state of the service, tenants and people, and what operators can change. */
import type { Context } from "hono";
import type { AppEnv } from "../../base/http/env";
import { pathParam, requires, serve } from "../../base/http/operation";
import { sessionOf } from "../../base/http/permissions";
import { readAlarms } from "../../service/alarms/store";
import { operators } from "../../service/operators/api";
import { searchQuery } from "../../service/operators/schemas";
import { search } from "../../service/operators/search";
import { statusOf } from "../../service/operators/status";
import { personForOperator, tenantForOperator } from "../../service/operators/views";
import { auditPage } from "../../tenancy/audit/log";
import { SERVICE_LOG } from "../../tenancy/audit/record-store";
import { auditQuery } from "../../tenancy/audit/schemas";
import { operatorAppPages } from "../apps/operator/routes";
import { OperatorsActivity } from "../audit/page";
import { PERSON_CHANGES, SERVICE_CHANGES, TENANT_CHANGES } from "../changes/changes";
import { type ChangeSubject, changePages } from "../changes/routes";
import { parse } from "../failure";
import { operatorFactorFirst } from "../http/confirmed";
import { page, type Refused, rerenderOnError } from "../http/page";
import { Pages } from "../http/pages";
import { importPages } from "../imports/routes";
import { platformKeyPages } from "../platform-keys/routes";
import { bounded } from "./databases";
import { OperatorStatus } from "./status-page";
import { OperatorPerson, OperatorTenant } from "./subject-pages";

const counted = (count: number, noun: string) => `${count.toLocaleString("en")} ${noun}${count === 1 ? "" : "s"}`;

async function operatorPage(c: Context<AppEnv>, query: string, refused?: Refused) {
  const [deps, operator] = [c.get("deps"), sessionOf(c)];
  const found = query === "" || refused ? null : await search(deps, operator, parse(searchQuery, { q: query }).q);
  const [status, { alarms }] = await Promise.all([statusOf(deps, operator), readAlarms(deps)]);
  const open = alarms.filter(({ endedAt }) => endedAt === null);
  const view = { query, found, status, alarms: open, hasApps: deps.config.oauthServer === "on" };
  return page(c, { title: "Operator", section: "operator", refused }, <OperatorStatus {...view} />);
}

const idOf = (c: Context<AppEnv>) => encodeURIComponent(pathParam(c, "id"));

const TENANT: ChangeSubject = {
  async read(c) {
    const tenant = await tenantForOperator(c.get("deps"), sessionOf(c), pathParam(c, "id"));
    const { name, members, apiKeys, openDeliveries } = tenant;
    const waiting = `${bounded(openDeliveries)} open ${openDeliveries.count === 1 ? "delivery" : "deliveries"}`;
    return { name, counts: [counted(members, "member"), counted(apiKeys, "API key"), waiting] };
  },
  back: (c) => `/operator/tenants/${idOf(c)}`,
};

const PERSON: ChangeSubject = {
  async read(c) {
    const { email, sessions, tenants } = await personForOperator(c.get("deps"), sessionOf(c), pathParam(c, "id"));
    return { name: email, counts: [counted(sessions, "session"), counted(tenants.length, "tenant")] };
  },
  back: (c) => `/operator/people/${idOf(c)}`,
};

const SERVICE: ChangeSubject = {
  read: async () => ({ name: "this service", counts: [] }),
  back: () => "/operator",
};

export const operatorPages = new Pages()
  .use(operatorFactorFirst)
  .get("/", requires(operators.status), async (c) => {
    const query = c.req.query("q")?.trim() ?? "";
    return rerenderOnError(
      c,
      () => operatorPage(c, query),
      (refused) => operatorPage(c, query, refused),
    );
  })
  .get("/activity", requires(operators.audit), async (c) => {
    const cursor = c.req.query("cursor");
    const asked = parse(auditQuery, cursor === undefined ? {} : { cursor });
    const { data, nextCursor } = await auditPage(c.get("deps"), { tenantId: SERVICE_LOG, shard: 0 }, asked);
    const older = nextCursor && `/operator/activity?cursor=${encodeURIComponent(nextCursor)}`;
    return page(
      c,
      { title: "What operators did", section: "operator" },
      <OperatorsActivity events={data} older={older} />,
    );
  })
  .get(
    "/tenants/:id",
    ...serve(operators.tenant, (c, tenant) =>
      page(
        c,
        { title: tenant.name, section: "operator" },
        <OperatorTenant tenant={tenant} canMove={c.get("deps").shards.numbers.length > 1} />,
      ),
    ),
  )
  .get(
    "/people/:id",
    ...serve(operators.person, (c, person) =>
      page(c, { title: person.email, section: "operator" }, <OperatorPerson person={person} />),
    ),
  )
  .route("/", changePages(TENANT_CHANGES, TENANT))
  .route("/", changePages(PERSON_CHANGES, PERSON))
  .route("/", changePages(SERVICE_CHANGES, SERVICE))
  .route("/keys", platformKeyPages)
  .route("/apps", operatorAppPages)
  .route("/imports", importPages).router;
