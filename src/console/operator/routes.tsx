/** `/console/operator`: the search, the state of the service, tenants and people, and what operators can change. */
import { type Context, Hono } from "hono";
import { readAlarms } from "../../operations/alarms/store";
import { operators } from "../../operations/operators/operations";
import { searchQuery } from "../../operations/operators/schemas";
import { search } from "../../operations/operators/search";
import { statusOf } from "../../operations/operators/status";
import { personForOperator, tenantForOperator } from "../../operations/operators/views";
import type { AppEnv } from "../../platform/http/env";
import { pathParam, requires, serve } from "../../platform/http/operation";
import { sessionOf } from "../../platform/http/permissions";
import { auditPage } from "../../tenancy/audit/log";
import { SERVICE_LOG } from "../../tenancy/audit/record-store";
import { auditQuery } from "../../tenancy/audit/schemas";
import { OperatorsActivity } from "../audit/page";
import { parse } from "../failure";
import { type Form, form } from "../http/form";
import { page, type Refused, redirectWithFlash, rerenderOnError } from "../http/page";
import { type Change, PERSON_CHANGES, SERVICE_CHANGES, TENANT_CHANGES } from "./changes";
import { Confirm } from "./confirm-page";
import { Operator } from "./status-page";
import { OperatorPerson, OperatorTenant } from "./subject-pages";

const counted = (count: number, noun: string) => `${count.toLocaleString("en")} ${noun}${count === 1 ? "" : "s"}`;

async function operatorPage(c: Context<AppEnv>, query: string, refused?: Refused) {
  const [deps, operator] = [c.get("deps"), sessionOf(c)];
  const found = query === "" || refused ? null : await search(deps, operator, parse(searchQuery, { q: query }).q);
  const [status, { alarms }] = await Promise.all([statusOf(deps, operator), readAlarms(deps)]);
  const open = alarms.filter(({ endedAt }) => endedAt === null);
  const view = { query, found, status, alarms: open, failure: refused?.failure };
  return page(c, { title: "Operator", section: "operator", status: refused?.status }, <Operator {...view} />);
}

/** Whom a change concerns: the name, and how much it affects. */
interface Subject {
  name: string;
  counts: string[];
}

async function tenantSubject(c: Context<AppEnv>): Promise<Subject> {
  const tenant = await tenantForOperator(c.get("deps"), sessionOf(c), pathParam(c, "id"));
  const { name, members, apiKeys, openDeliveries } = tenant;
  const waiting = `${counted(openDeliveries.count, "open delivery").replace("deliverys", "deliveries")}`;
  return { name, counts: [counted(members, "member"), counted(apiKeys, "API key"), waiting] };
}

async function personSubject(c: Context<AppEnv>): Promise<Subject> {
  const { email, sessions, tenants } = await personForOperator(c.get("deps"), sessionOf(c), pathParam(c, "id"));
  return { name: email, counts: [counted(sessions, "session"), counted(tenants.length, "tenant")] };
}

const serviceSubject = async (): Promise<Subject> => ({ name: "this service", counts: [] });

type SubjectOf = (c: Context<AppEnv>) => Promise<Subject>;

async function confirmPage(c: Context<AppEnv>, change: Change, subjectOf: SubjectOf, reason = "", refused?: Refused) {
  const subject = await subjectOf(c);
  const view = { ...subject, change, action: c.req.path, back: backOf(c), reason, failure: refused?.failure };
  const options = { title: change.button, section: "operator", status: refused?.status } as const;
  return page(c, options, <Confirm {...view} />);
}

/** The page of the tenant, the person or the service. */
function backOf(c: Context<AppEnv>): string {
  const [, kind = "", id = ""] = c.req.path.match(/^\/console\/operator\/(tenants|people)\/([^/]+)/) ?? [];
  return kind === "" ? "/console/operator" : `/console/operator/${kind}/${encodeURIComponent(id)}`;
}

/** Whether the box of the change is ticked, by its field. */
const tickedIn = (sent: Form, { asksWhether }: Change) =>
  asksWhether === undefined ? {} : { [asksWhether[0]]: sent.text(asksWhether[0]) === "true" };

/** The confirmation page of each change, and its form. */
function changePages(changes: readonly Change[], subjectOf: SubjectOf) {
  const pages = new Hono<AppEnv>();
  for (const change of changes) {
    pages.get(change.path, requires(change.operation), (c) => confirmPage(c, change, subjectOf));
    pages.post(
      change.path,
      ...form(change.operation, {
        values: (sent) => ({
          ...{ reason: sent.text("reason"), totp: sent.optional("totp"), ...tickedIn(sent, change) },
          ...(change.asksForShard ? { shard: Number(sent.text("shard") || "none") } : {}),
        }),
        input: ({ reason, ...others }) => (change.asksForReason ? { reason, ...others } : others),
        done: (c) => redirectWithFlash(c, backOf(c), change.done),
        again: (c, refused, { reason }) => confirmPage(c, change, subjectOf, reason, refused),
      }),
    );
  }
  return pages;
}

export const operatorPages = new Hono<AppEnv>()
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
    const older = nextCursor && `/console/operator/activity?cursor=${encodeURIComponent(nextCursor)}`;
    return page(
      c,
      { title: "What operators did", section: "operator" },
      <OperatorsActivity events={data} older={older} />,
    );
  })
  .get(
    "/tenants/:id",
    ...serve(operators.tenant, (c, tenant) =>
      page(c, { title: tenant.name, section: "operator" }, <OperatorTenant tenant={tenant} />),
    ),
  )
  .get(
    "/people/:id",
    ...serve(operators.person, (c, person) =>
      page(c, { title: person.email, section: "operator" }, <OperatorPerson person={person} />),
    ),
  )
  .route("/", changePages(TENANT_CHANGES, tenantSubject))
  .route("/", changePages(PERSON_CHANGES, personSubject))
  .route("/", changePages(SERVICE_CHANGES, serviceSubject));
