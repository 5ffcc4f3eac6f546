/** `/console/activity`: who changed what in the tenant, with filters, and as a file. */
import type { Context } from "hono";
import type { AppEnv } from "../../base/http/env";
import { requires } from "../../base/http/operation";
import { DAY_MS, iso } from "../../base/time";
import { auditLog } from "../../tenancy/audit/api";
import { auditExport, exportHeaders } from "../../tenancy/audit/export";
import { auditPage } from "../../tenancy/audit/log";
import { namesOfTargets } from "../../tenancy/audit/names-store";
import { auditQuery, exportQuery } from "../../tenancy/audit/schemas";
import { parse } from "../failure";
import { textsOf } from "../http/form";
import { page, type Refused, rerenderOnError } from "../http/page";
import { Pages } from "../http/pages";
import { Activity, type ActivityQuery, type ActivityView } from "./page";

const DAY_FORM = /^\d{4}-\d{2}-\d{2}$/;

const queryOf = (c: Context<AppEnv>): ActivityQuery =>
  textsOf(["action", "actor", "target", "ip", "since", "until", "cursor"], (name) => c.req.query(name)?.trim() ?? "");

/**
 * Turns a day into a moment for the API: its beginning or, with `after`, its end. Leaves anything else for the schema
 * to refuse.
 */
function momentOf(day: string, after = 0): string {
  const startMs = DAY_FORM.test(day) ? Date.parse(day) : Number.NaN;
  return Number.isNaN(startMs) ? day : iso(startMs + after);
}

/** The parameters of the API that are not empty. */
const given = ({ since, until, ...rest }: Partial<ActivityQuery> & { format?: string | undefined }) =>
  Object.fromEntries(
    Object.entries({ ...rest, since: momentOf(since ?? ""), until: momentOf(until ?? "", DAY_MS) }).filter(
      ([, value]) => value !== "" && value !== undefined,
    ),
  );

const activityPage = (c: Context<AppEnv>, view: ActivityView, refused?: Refused) =>
  page(c, { title: "Activity", section: "activity", refused }, <Activity {...view} />);

export const activityPages = new Pages()
  .get("/", requires(auditLog.read), async (c) => {
    const query = queryOf(c);
    return rerenderOnError(
      c,
      async () => {
        const [deps, principal] = [c.get("deps"), c.get("principal")];
        const { data, nextCursor } = await auditPage(deps, principal, parse(auditQuery, given(query)));
        const ids = data.flatMap(({ target }) => target?.id ?? []);
        const names = await namesOfTargets(deps, principal, ids);
        return activityPage(c, { query, events: data, names, nextCursor });
      },
      (refused) => activityPage(c, { query, events: [], names: new Map(), nextCursor: null }, refused),
    );
  })
  .get("/export", requires(auditLog.export), (c) => {
    const { since, until } = queryOf(c);
    const request = parse(exportQuery, given({ since, until, format: c.req.query("format") }));
    return c.body(auditExport(c.get("deps"), c.get("principal"), request), 200, exportHeaders(request));
  }).router;
