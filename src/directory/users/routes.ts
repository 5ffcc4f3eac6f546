/** `/Users`: the people of a directory. Each request's first trip authenticates it and reads what it asks for. */
import { type Context, Hono } from "hono";
import { limitBody } from "../../base/http/body";
import type { AppEnv } from "../../base/http/env";
import { requires } from "../../base/http/operation";
import { lowerUuid } from "../../base/uuid";
import { attempt, resultOf } from "../callers/attempt";
import type { DirectoryCaller } from "../callers/caller";
import { answer, answerResource, connectionIdOf, readAsDirectory, readBody, SCIM } from "../callers/routes";
import { placeOfCursor } from "../protocol/cursor";
import { ScimError } from "../protocol/error";
import { namesVersion } from "../protocol/etag";
import { parseFilter } from "../protocol/filter";
import { askedPage, listView } from "../protocol/list";
import { patchUser } from "../protocol/patch-user";
import { asksFor, project } from "../protocol/projection";
import { type DirectoryUser, readUser, replaceUser } from "../protocol/user";
import { userView } from "../protocol/view";
import { readsOfNamed, worldOf } from "./account-store";
import { type AskedUsers, pageOf, readsOfPage } from "./list";
import { namedBy } from "./named";
import { findByName, findRecord, parsedRecord, type StoredRecord } from "./record-store";
import { removeUser } from "./remove";
import { changeUser, createUser, nameTaken, noUser, presentOf, presentReads } from "./users";

const idOf = (c: Context<AppEnv>): string => lowerUuid(c.req.param("id") ?? "");

function answerUser(c: Context<AppEnv>, { base }: DirectoryCaller, user: StoredRecord, status: 200 | 201 = 200) {
  const resource = userView(user, base);
  const location = `${base}/Users/${user.id}`;
  return answerResource(c, project(resource, c.req.query()), { version: user.version, location, status });
}

async function list(c: Context<AppEnv>): Promise<Response> {
  const query = c.req.query();
  const nowMs = c.get("deps").now();
  const asked = await attempt((): AskedUsers => {
    const page = askedPage(query);
    const filter = query["filter"] ? parseFilter(query["filter"], "User") : [];
    return { filter, page, after: placeOfCursor(page.cursor, nowMs), withGroups: asksFor(query, "groups") };
  });
  const reads =
    "value" in asked ? readsOfPage(connectionIdOf(c), asked.value) : { page: undefined, counted: undefined };
  const { caller, found } = await readAsDirectory(c, reads as ReturnType<typeof readsOfPage>);
  const { users, ...page } = pageOf(caller, resultOf(asked), found, nowMs);
  const resources = users.map((user) => project(userView(user, caller.base), query));
  return answer(c, listView({ ...page, resources }));
}

async function get(c: Context<AppEnv>): Promise<Response> {
  const reads = { record: findRecord(connectionIdOf(c), idOf(c), asksFor(c.req.query(), "groups")) };
  const { caller, found } = await readAsDirectory(c, reads);
  const [row] = found.record;
  if (!row) throw noUser(idOf(c));
  const ifNoneMatch = c.req.header("if-none-match");
  if (ifNoneMatch !== undefined && namesVersion(ifNoneMatch, row.version)) return c.body(null, 304);
  return answerUser(c, caller, parsedRecord(row));
}

async function create(c: Context<AppEnv>): Promise<Response> {
  const [deps, connectionId] = [c.get("deps"), connectionIdOf(c)];
  const body = await attempt(async () => readUser(await readBody(c)));
  const named = "value" in body ? namedBy(body.value, null) : { recordId: null, email: null, externalId: null };
  const userName = "value" in body ? body.value.userName : "";
  const { caller, found } = await readAsDirectory(c, {
    taken: findByName(connectionId, userName),
    ...readsOfNamed(connectionId, named, deps.now()),
  });
  const record = resultOf(body);
  if (found.taken.length > 0) throw nameTaken(userName);
  return answerUser(c, caller, await createUser(deps, caller, record, worldOf(found)), 201);
}

/** A change of the person that the path names, unless `If-Match` names another version. */
async function change(
  c: Context<AppEnv>,
  apply: (present: StoredRecord, body: unknown) => DirectoryUser,
): Promise<Response> {
  const deps = c.get("deps");
  const body = await attempt(() => readBody(c));
  const { caller, found } = await readAsDirectory(c, presentReads(connectionIdOf(c), idOf(c), deps.now()));
  const sent = resultOf(body);
  const present = presentOf(found, idOf(c));
  const ifMatch = c.req.header("if-match");
  const changed = await changeUser(deps, caller, present, (record) => {
    refuseOtherVersion(ifMatch, record);
    return apply(record, sent);
  });
  return answerUser(c, caller, changed);
}

/** Throws 412. */
function refuseOtherVersion(ifMatch: string | undefined, { version }: StoredRecord): void {
  if (ifMatch === undefined || namesVersion(ifMatch, version)) return;
  throw new ScimError(412, "The resource has another version.");
}

async function remove(c: Context<AppEnv>): Promise<Response> {
  const deps = c.get("deps");
  const { caller, found } = await readAsDirectory(c, presentReads(connectionIdOf(c), idOf(c), deps.now()));
  const present = presentOf(found, idOf(c));
  refuseOtherVersion(c.req.header("if-match"), present.record);
  await removeUser(deps, caller, present);
  return c.body(null, 204);
}

/** Below the address of a connection's SCIM server. */
export const userRoutes = new Hono<AppEnv>()
  .use(limitBody)
  .get("/", requires(SCIM), list)
  .post("/", requires(SCIM), create)
  .get("/:id", requires(SCIM), get)
  .put("/:id", requires(SCIM), (c) => change(c, replaceUser))
  .patch("/:id", requires(SCIM), (c) => change(c, patchUser))
  .delete("/:id", requires(SCIM), remove);
