/**
 * `/catalog`: what tenants show everybody of their event types. Each page is read anew, so switching off acts at once.
 */
import { type Context, Hono } from "hono";
import type { Child } from "hono/jsx";
import type { ContentfulStatusCode } from "hono/utils/http-status";
import { type AppError, notFound } from "../../base/errors";
import type { AppEnv } from "../../base/http/env";
import { toAppError } from "../../base/http/errors";
import { namesTag } from "../../base/http/etag";
import { pathParam, requires } from "../../base/http/operation";
import { consume, limit } from "../../base/http/rate-limit";
import { PUBLIC_DOCUMENT } from "../../base/operation";
import { catalogueFile } from "../../webhooks/event-types/catalogue/files";
import { findPublicCatalogue, type PublicCatalogue } from "../../webhooks/event-types/catalogue/store";
import { exportHeaders } from "../../webhooks/event-types/export/export";
import { findType, listTypes } from "../../webhooks/event-types/store";
import { Banner } from "../components/display";
import { failureOf } from "../failure";
import { CatalogueLayout } from "./layout";
import { FILES, TypePage, TypesPage } from "./pages";

const CACHE_CONTROL = "public, max-age=60";
/** The style sheet and the icon are files of the console. There is no script. */
const POLICY =
  "default-src 'none'; style-src 'self'; img-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";
const PAGE_TYPES = 200;

const missing = () => notFound("Page");

/** Each address has its limit, and a catalogue one for all of them: what many addresses read is bounded too. */
async function catalogueOf(c: Context<AppEnv>): Promise<PublicCatalogue> {
  const found = await findPublicCatalogue(c.get("deps"), pathParam(c, "slug"));
  if (!found) throw missing();
  await consume(c, "catalogReads", found.tenantId);
  return found;
}

async function shownType(c: Context<AppEnv>, catalogue: PublicCatalogue) {
  const declared = await findType(c.get("deps"), catalogue, pathParam(c, "name"));
  const isHidden = declared?.type.scope === "platform" && !catalogue.hasPlatformTypes;
  if (!declared || declared.type.isArchived === 1 || isHidden) throw missing();
  return declared;
}

export const catalogueRoutes = new Hono<AppEnv>()
  .use(async (c, next) => {
    c.header("Content-Security-Policy", POLICY);
    await next();
  })
  .use(limit("catalog", "IP address"))
  .get("/:slug", async (c) => {
    const catalogue = await catalogueOf(c);
    const query = { limit: PAGE_TYPES, cursor: c.req.query("after") ?? "", archived: "exclude" } as const;
    const { types, nextCursor } = await listTypes(c.get("deps"), catalogue, query, catalogue.hasPlatformTypes);
    return page(
      c,
      catalogue,
      catalogue.title,
      <TypesPage catalogue={catalogue} types={types} nextCursor={nextCursor} />,
    );
  })
  .get("/:slug/:file{openapi\\.json|asyncapi\\.json|types\\.ts}", requires(PUBLIC_DOCUMENT), async (c) => {
    const catalogue = await catalogueOf(c);
    const { format } = FILES[c.req.param("file") as keyof typeof FILES];
    const { body, etag } = await catalogueFile(c.get("deps"), catalogue, format);
    c.header("Cache-Control", CACHE_CONTROL);
    c.header("ETag", etag);
    if (namesTag(c.req.header("if-none-match") ?? "", etag)) return c.body(null, 304);
    return c.body(body, 200, { "Content-Type": exportHeaders(format)["Content-Type"] });
  })
  .get("/:slug/:name", async (c) => {
    const catalogue = await catalogueOf(c);
    const declared = await shownType(c, catalogue);
    return page(c, catalogue, declared.type.name, <TypePage slug={catalogue.slug} declared={declared} />);
  })
  .all("*", () => {
    throw missing();
  })
  .onError((error, c) => errorPage(c, toAppError(c, error)));

async function page(c: Context<AppEnv>, home: PublicCatalogue | null, title: string, content: Child, status = 200) {
  const { brand } = c.get("deps").config;
  const layout = (
    <CatalogueLayout title={title} brand={brand} home={home}>
      {content}
    </CatalogueLayout>
  );
  c.header("Cache-Control", status === 200 ? CACHE_CONTROL : "no-store");
  return c.html(`<!doctype html>${await layout.toString()}`, status as ContentfulStatusCode);
}

/** The same for whatever is missing, so that it does not tell why. */
function errorPage(c: Context<AppEnv>, error: AppError): Promise<Response> {
  for (const [name, value] of Object.entries(error.headers)) c.header(name, value);
  const title = error.status === 404 ? "Not found" : "Something went wrong";
  return page(
    c,
    null,
    title,
    <>
      <h1>{title}</h1>
      <Banner kind="bad">{failureOf(error).message}</Banner>
    </>,
    error.status,
  );
}
