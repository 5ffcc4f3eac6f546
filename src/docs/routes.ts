/**
 * The documentation: the pages under `/docs`, the files that they load, and the OpenAPI document. All are files that
 * are made when the Worker is built; see src/documents.ts.
 */
import { type Context, Hono } from "hono";
import * as z from "zod";
import { AppError, notFound } from "../base/errors";
import type { AppEnv } from "../base/http/env";
import { requires } from "../base/http/operation";
import { describeRoute } from "../base/http/route-docs";
import { PACKAGE_FILES, withOwnPackage } from "../base/npm-package";
import { PUBLIC_DOCUMENT } from "../base/operation";
import { withFigures } from "./figures";

const PAGE_CSP =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; base-uri 'none'; " +
  "form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'";
/** By the end of a file's name. Of other files, the asset server knows the type. */
const TYPES: Readonly<Record<string, string>> = {
  html: "text/html; charset=UTF-8",
  md: "text/markdown; charset=utf-8",
  txt: "text/plain; charset=UTF-8",
  json: "application/json",
};
const NAME = /^[\w-]+(\.[a-z]+)?$/;
const ASSET_CACHE = "public, max-age=3600";

const openApi = z.looseObject({ openapi: z.string(), paths: z.looseObject({}) });

export const documentationRoutes = new Hono<AppEnv>()
  .get(
    "/api/v1/openapi.json",
    describeRoute("getOpenApi", "This document.", () => ({ 200: openApi })),
    requires(PUBLIC_DOCUMENT),
    (c) => serveText(c, "openapi.json"),
  )
  .get(`/${PACKAGE_FILES[0]}`, (c) => servePackage(c, PACKAGE_FILES[0]))
  .get(`/${PACKAGE_FILES[1]}`, (c) => servePackage(c, PACKAGE_FILES[1]))
  .get("/llms.txt", (c) => serveText(c, "docs/llms.txt"))
  .get("/docs", (c) => serveText(c, "docs.html", PAGE_CSP))
  .get("/docs/assets/:file", async (c) => {
    const { body, status, headers } = await fileAt(c, `docs/assets/${nameIn(c, "file")}`, c.req.raw.headers);
    const response = new Response(body, { status, headers });
    response.headers.set("Cache-Control", ASSET_CACHE);
    return response;
  })
  .get("/docs/:page", async (c) => {
    const name = nameIn(c, "page");
    const present = name.replace(/^client-/, "client/").replace(/^runbook-/, "runbooks/");
    // Older alarms and pages of others link to the addresses from before the pages had folders.
    return present === name ? servePage(c, name) : c.redirect(`/docs/${present}`, 301);
  })
  .get("/docs/:folder/:page", (c) => servePage(c, `${nameIn(c, "folder")}/${nameIn(c, "page")}`));

/** The last part of a path. Throws NOT_FOUND if no file has such a name. */
function nameIn(c: Context<AppEnv>, parameter: string): string {
  const name = c.req.param(parameter) ?? "";
  if (!NAME.test(name) || name.endsWith(".html")) throw notFound("Page");
  return name;
}

/** Serves a page as HTML or, by the name of its file, as Markdown. A page that there is not says so to people. */
async function servePage(c: Context<AppEnv>, name: string): Promise<Response> {
  if (name.includes(".")) return serveText(c, `docs/${name}`);
  try {
    return await serveText(c, `docs/${name}.html`, PAGE_CSP);
  } catch (error) {
    if (!isNotFound(error) || !c.req.header("accept")?.includes("text/html")) throw error;
    return serveText(c, "docs/404.html", PAGE_CSP, 404);
  }
}

const isNotFound = (error: unknown): boolean => error instanceof AppError && error.code === "NOT_FOUND";

/** Serves the npm package. It changes with the service, so whoever keeps it asks again. */
async function servePackage(c: Context<AppEnv>, name: string): Promise<Response> {
  const { body, status, headers } = await fileAt(c, name, c.req.raw.headers);
  const response = new Response(body, { status, headers });
  response.headers.set("Content-Type", "application/gzip");
  response.headers.set("Cache-Control", "no-cache");
  return response;
}

/** Serves a file with the figures in force, and the address of this service's npm package. */
async function serveText(
  c: Context<AppEnv>,
  path: string,
  policy?: string,
  status: 200 | 404 = 200,
): Promise<Response> {
  const text = await (await fileAt(c, path)).text();
  const type = TYPES[path.split(".").at(-1) ?? ""] ?? "";
  const own = withOwnPackage(text, new URL(c.req.url).origin);
  return c.body(withFigures(own, c.get("deps").config), status, {
    "Content-Type": type,
    ...(policy ? { "Content-Security-Policy": policy } : {}),
  });
}

/** Throws NOT_FOUND if there is no such file. */
async function fileAt(c: Context<AppEnv>, path: string, headers?: Headers): Promise<Response> {
  const response = await c.env.ASSETS.fetch(
    new Request(new URL(`/${path}`, c.req.url), { ...(headers ? { headers } : {}) }),
  );
  if (response.status === 404) throw notFound("Page");
  return response;
}
