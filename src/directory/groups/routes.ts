/** `/Groups`: the groups of a directory. Each request's first trip authenticates it and reads what it asks for. */
import { type Context, Hono } from "hono";
import { limitBody } from "../../base/http/body";
import type { AppEnv } from "../../base/http/env";
import { requires } from "../../base/http/operation";
import { lowerUuid } from "../../base/uuid";
import { attempt, resultOf } from "../callers/attempt";
import type { DirectoryCaller } from "../callers/caller";
import { answer, answerResource, connectionIdOf, readAsDirectory, readBody, SCIM } from "../callers/routes";
import { cursorAfter, placeOfCursor } from "../protocol/cursor";
import { ScimError } from "../protocol/error";
import { namesVersion } from "../protocol/etag";
import { parseFilter } from "../protocol/filter";
import { type GroupChange, patchGroup, readGroup as readBodyOfGroup, replaceGroup } from "../protocol/group";
import { askedPage, listView } from "../protocol/list";
import { asksFor, project } from "../protocol/projection";
import { groupView } from "../protocol/view";
import { changeGroup, createGroup, noGroup, readGroup, removeGroup } from "./groups";
import { type AskedGroups, readsOfGroups, shownGroups } from "./list-store";
import { findGroup, type GroupRow, shownMembers } from "./read-store";

/** Members make these bodies large. */
const GROUPS = { ...SCIM, bodyKiB: 4_096 } as const;

const idOf = (c: Context<AppEnv>): string => lowerUuid(c.req.param("id") ?? "");

const directoryOf = ({ connectionId, tenantId, version, settings, actor }: DirectoryCaller) => ({
  connectionId,
  tenantId,
  version,
  roles: settings.roles,
  actor,
});

const viewOf = ({ base }: DirectoryCaller, group: GroupRow) => groupView(group, shownMembers(group), base);

function answerGroup(c: Context<AppEnv>, caller: DirectoryCaller, group: GroupRow, status: 200 | 201 = 200) {
  const resource = project(viewOf(caller, group), c.req.query());
  const location = `${caller.base}/Groups/${group.id}`;
  return answerResource(c, resource, { version: group.version, location, status });
}

async function list(c: Context<AppEnv>): Promise<Response> {
  const query = c.req.query();
  const nowMs = c.get("deps").now();
  const asked = await attempt((): AskedGroups => {
    const page = askedPage(query);
    const filter = query["filter"] ? parseFilter(query["filter"], "Group") : [];
    return { filter, page, after: placeOfCursor(page.cursor, nowMs), withMembers: asksFor(query, "members") };
  });
  const reads =
    "value" in asked ? readsOfGroups(connectionIdOf(c), asked.value) : { page: undefined, counted: undefined };
  const { caller, found } = await readAsDirectory(c, reads as ReturnType<typeof readsOfGroups>);
  const { page } = resultOf(asked);
  const { totalResults, groups, lastId } = shownGroups(resultOf(asked), found, caller.groups);
  const resources = groups.map((group) => project(viewOf(caller, group), query));
  return answer(
    c,
    listView({
      totalResults,
      resources,
      ...(page.cursor === null ? { startIndex: page.startIndex } : {}),
      ...(lastId !== undefined && page.cursor !== null && { nextCursor: cursorAfter(lastId, nowMs) }),
    }),
  );
}

async function get(c: Context<AppEnv>): Promise<Response> {
  const { caller, found } = await readAsDirectory(c, {
    group: findGroup(connectionIdOf(c), idOf(c), asksFor(c.req.query(), "members") ? "ids" : "nothing"),
  });
  const group = presentOf(c, found.group);
  const ifNoneMatch = c.req.header("if-none-match");
  if (ifNoneMatch !== undefined && namesVersion(ifNoneMatch, group.version)) return c.body(null, 304);
  return answerGroup(c, caller, group);
}

/** Throws 404. */
function presentOf(c: Context<AppEnv>, [group]: GroupRow[]): GroupRow {
  if (!group) throw noGroup(idOf(c));
  return group;
}

async function create(c: Context<AppEnv>): Promise<Response> {
  const body = await attempt(async () => readBodyOfGroup(await readBody(c)));
  const { caller } = await readAsDirectory(c, {});
  const deps = c.get("deps");
  const id = await createGroup(deps, directoryOf(caller), resultOf(body));
  return answerGroup(c, caller, await readGroup(deps, caller.connectionId, id), 201);
}

/** Returns the group that the change was made of. */
async function change(c: Context<AppEnv>, apply: (present: GroupRow, body: unknown) => GroupChange) {
  const body = await attempt(() => readBody(c));
  const { caller, found } = await readAsDirectory(c, { group: findGroup(connectionIdOf(c), idOf(c), "number") });
  const sent = resultOf(body);
  const group = presentOf(c, found.group);
  const onlyVersion = onlyVersionOf(c, group);
  await changeGroup(c.get("deps"), directoryOf(caller), group, apply(group, sent), onlyVersion);
  return caller;
}

/** The version that `If-Match` asks for; null: any. Throws 412. */
function onlyVersionOf(c: Context<AppEnv>, { version }: GroupRow): number | null {
  const ifMatch = c.req.header("if-match");
  if (ifMatch === undefined || ifMatch.trim() === "*") return null;
  if (!namesVersion(ifMatch, version)) throw new ScimError(412, "The resource has another version.");
  return version;
}

async function put(c: Context<AppEnv>): Promise<Response> {
  const caller = await change(c, replaceGroup);
  return answerGroup(c, caller, await readGroup(c.get("deps"), caller.connectionId, idOf(c)));
}

/** 204, as a group can be large, unless parts of it are asked for. */
async function patch(c: Context<AppEnv>): Promise<Response> {
  const caller = await change(c, patchGroup);
  if (c.req.query("attributes") === undefined) return c.body(null, 204);
  return answerGroup(c, caller, await readGroup(c.get("deps"), caller.connectionId, idOf(c)));
}

async function remove(c: Context<AppEnv>): Promise<Response> {
  const { caller, found } = await readAsDirectory(c, { group: findGroup(connectionIdOf(c), idOf(c), "number") });
  const group = presentOf(c, found.group);
  await removeGroup(c.get("deps"), directoryOf(caller), group, onlyVersionOf(c, group));
  return c.body(null, 204);
}

/** Below the address of a connection's SCIM server. */
export const groupRoutes = new Hono<AppEnv>()
  .use(limitBody)
  .get("/", requires(GROUPS), list)
  .post("/", requires(GROUPS), create)
  .get("/:id", requires(GROUPS), get)
  .put("/:id", requires(GROUPS), put)
  .patch("/:id", requires(GROUPS), patch)
  .delete("/:id", requires(GROUPS), remove);
