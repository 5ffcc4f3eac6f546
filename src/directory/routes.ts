/** The SCIM server of each connection (RFC 7644). Whatever the path is, its token is asked for first. */
import { type Context, Hono } from "hono";
import type { AppEnv } from "../base/http/env";
import { requires } from "../base/http/operation";
import { answer, answerError, readAsDirectory, SCIM } from "./callers/routes";
import { groupRoutes } from "./groups/routes";
import { resourceTypeOf, resourceTypesList, schemaOf, schemasList, serviceProviderConfig } from "./protocol/discovery";
import { ScimError } from "./protocol/error";
import { userRoutes } from "./users/routes";

/** What describes the server. Undefined: there is no such document. */
const describing = (documentOf: (base: string, id: string) => object | undefined) => async (c: Context<AppEnv>) => {
  const { caller } = await readAsDirectory(c, {});
  const document = documentOf(caller.base, c.req.param("id") ?? "");
  if (!document) throw notFound();
  return answer(c, document);
};

const notFound = () => new ScimError(404, "There is nothing at this path.");

/** The methods of every path that is served. */
const METHODS: readonly (readonly [path: RegExp, methods: string])[] = [
  [/\/(?:Users|Groups)$/, "GET, POST"],
  [/\/(?:Users|Groups)\/[^/]+$/, "GET, PUT, PATCH, DELETE"],
  [/\/(?:ServiceProviderConfig|(?:Schemas|ResourceTypes)(?:\/[^/]+)?)$/, "GET"],
];

/** RFC 7644 has them, and this server does not. */
const MISSING = /^\/(?:Me|Bulk|\.search|(?:Users|Groups)\/\.search)(?:\/|$)/;

async function refuse(c: Context<AppEnv>): Promise<never> {
  await readAsDirectory(c, {});
  const path = c.req.path.split("/").slice(4).join("/");
  if (MISSING.test(`/${path}`)) throw new ScimError(501, "This is not supported.");
  const allowed = METHODS.find(([served]) => served.test(`/${path}`))?.[1];
  if (allowed === undefined) throw notFound();
  c.header("Allow", allowed);
  throw new ScimError(405, "The path has no such method.");
}

/** Below `/scim/v2`. */
export const scimRoutes = new Hono<AppEnv>()
  .post("/:connection/Users/.search", requires(SCIM), refuse)
  .route("/:connection/Users", userRoutes)
  .post("/:connection/Groups/.search", requires(SCIM), refuse)
  .route("/:connection/Groups", groupRoutes)
  .get("/:connection/ServiceProviderConfig", requires(SCIM), describing(serviceProviderConfig))
  .get("/:connection/Schemas", requires(SCIM), describing(schemasList))
  .get(
    "/:connection/Schemas/:id",
    requires(SCIM),
    describing((base, id) => schemaOf(id, base)),
  )
  .get("/:connection/ResourceTypes", requires(SCIM), describing(resourceTypesList))
  .get(
    "/:connection/ResourceTypes/:id",
    requires(SCIM),
    describing((base, id) => resourceTypeOf(id, base)),
  )
  .all("/:connection/*", refuse)
  .onError((error, c) => answerError(c, error));
