/** `/console/operator`: the search, the state of the service, tenants and people, and what operators can change. */
import { type Context, Hono } from "hono";
import { searchQuery } from "../../operations/operators/schemas";
import { search } from "../../operations/operators/search";
import { statusOf } from "../../operations/operators/status";
import { personForOperator, tenantForOperator } from "../../operations/operators/views";
import type { AppEnv } from "../../platform/http/env";
import { operatorsOnly, sessionOf } from "../../platform/http/permissions";
import { limit } from "../../platform/http/rate-limit";
import { type Failure, parse } from "../failure";
import { readForm } from "../http/form";
import { page, redirectWithFlash, rerenderOnError } from "../http/page";
import { type Change, PERSON_CHANGES, SERVICE_CHANGES, TENANT_CHANGES } from "./changes";
import { Confirm } from "./confirm-page";
import { Operator } from "./status-page";
import { OperatorPerson, OperatorTenant } from "./subject-pages";

const limited = limit("operator", "user");
const counted = (count: number, noun: string) => `${count.toLocaleString("en")} ${noun}${count === 1 ? "" : "s"}`;

async function operatorPage(c: Context<AppEnv>, query: string, failure?: Failure, code = 200) {
  const [deps, operator] = [c.get("deps"), sessionOf(c)];
  const found = query === "" || failure ? null : await search(deps, operator, parse(searchQuery, { q: query }).q);
  const status = await statusOf(deps, operator);
  const view = { query, found, status, failure };
  return page(c, { title: "Operator", section: "operator", status: code }, <Operator {...view} />);
}

/** Whom a change concerns: the name, and how much it affects. */
interface Subject {
  name: string;
  counts: string[];
}

async function tenantSubject(c: Context<AppEnv>, id: string): Promise<Subject> {
  const tenant = await tenantForOperator(c.get("deps"), sessionOf(c), id);
  const { name, members, apiKeys, openDeliveries } = tenant;
  const waiting = `${counted(openDeliveries.count, "open delivery").replace("deliverys", "deliveries")}`;
  return { name, counts: [counted(members, "member"), counted(apiKeys, "API key"), waiting] };
}

async function personSubject(c: Context<AppEnv>, id: string): Promise<Subject> {
  const { email, sessions, tenants } = await personForOperator(c.get("deps"), sessionOf(c), id);
  return { name: email, counts: [counted(sessions, "session"), counted(tenants.length, "tenant")] };
}

const serviceSubject = async (): Promise<Subject> => ({ name: "this service", counts: [] });

type SubjectOf = (c: Context<AppEnv>, id: string) => Promise<Subject>;

async function confirmPage(
  c: Context<AppEnv>,
  change: Change,
  subjectOf: SubjectOf,
  refused?: { reason: string; failure: Failure; status: number },
) {
  const subject = await subjectOf(c, c.req.param("id") ?? "");
  const view = {
    ...subject,
    change,
    action: c.req.path,
    back: backOf(c),
    reason: refused?.reason ?? "",
    failure: refused?.failure,
  };
  const options = { title: change.button, section: "operator", status: refused?.status ?? 200 } as const;
  return page(c, options, <Confirm {...view} />);
}

/** The page of the tenant, the person or the service. */
function backOf(c: Context<AppEnv>): string {
  const [, kind = "", id = ""] = c.req.path.match(/^\/console\/operator\/(tenants|people)\/([^/]+)/) ?? [];
  return kind === "" ? "/console/operator" : `/console/operator/${kind}/${encodeURIComponent(id)}`;
}

/** The confirmation page of each change, and its form. */
function changePages(changes: readonly Change[], subjectOf: SubjectOf) {
  const pages = new Hono<AppEnv>();
  for (const change of changes) {
    pages.get(change.path, operatorsOnly, limited, (c) => confirmPage(c, change, subjectOf));
    pages.post(change.path, operatorsOnly, limited, async (c) => {
      const form = await readForm(c);
      const reason = form.text("reason");
      return rerenderOnError(
        c,
        async () => {
          const [box] = change.asksWhether ?? [];
          const fields = {
            ...(change.asksForReason ? { reason } : {}),
            ...(box === undefined ? {} : { [box]: form.optional(box) }),
            totp: form.optional("totp"),
          };
          await change.run(c.get("deps"), sessionOf(c), c.req.param("id") ?? "", fields);
          return redirectWithFlash(c, backOf(c), change.done);
        },
        (failure, status) => confirmPage(c, change, subjectOf, { reason, failure, status }),
      );
    });
  }
  return pages;
}

export const operatorPages = new Hono<AppEnv>()
  .get("/", operatorsOnly, limited, async (c) => {
    const query = c.req.query("q")?.trim() ?? "";
    return rerenderOnError(
      c,
      () => operatorPage(c, query),
      (failure, status) => operatorPage(c, query, failure, status),
    );
  })
  .get("/tenants/:id", operatorsOnly, limited, async (c) => {
    const tenant = await tenantForOperator(c.get("deps"), sessionOf(c), c.req.param("id"));
    return page(c, { title: tenant.name, section: "operator" }, <OperatorTenant tenant={tenant} />);
  })
  .get("/people/:id", operatorsOnly, limited, async (c) => {
    const person = await personForOperator(c.get("deps"), sessionOf(c), c.req.param("id"));
    return page(c, { title: person.email, section: "operator" }, <OperatorPerson person={person} />);
  })
  .route("/", changePages(TENANT_CHANGES, tenantSubject))
  .route("/", changePages(PERSON_CHANGES, personSubject))
  .route("/", changePages(SERVICE_CHANGES, serviceSubject));
