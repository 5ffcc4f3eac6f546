/** `/saml/:id/metadata`: what a provider reads of a connection by SAML 2.0. */
import { Hono } from "hono";
import * as z from "zod";
import { notFound } from "../../base/errors";
import type { AppEnv } from "../../base/http/env";
import { pathParam, requires } from "../../base/http/operation";
import { limit } from "../../base/http/rate-limit";
import { describeRoute } from "../../base/http/route-docs";
import { lookUp } from "../../base/limits/unknown";
import { PUBLIC_DOCUMENT } from "../../base/operation";
import { samlServiceOf } from "../connections/party";
import { findById } from "../flow/connection-store";
import { spMetadata } from "../saml/metadata";

const CACHE_CONTROL = "public, max-age=300";
const CONTENT_TYPE = "application/samlmetadata+xml";

export const samlMetadataRoutes = new Hono<AppEnv>().get(
  "/:id/metadata",
  describeRoute("getSamlMetadata", "Returns the SAML 2.0 metadata of a connection, for its identity provider.", () => ({
    200: { body: z.string(), mediaType: CONTENT_TYPE },
    errors: ["NOT_FOUND"],
    description: "The `metadataUrl` of a connection of the kind `saml`: its entity ID, and where responses are sent.",
  })),
  requires(PUBLIC_DOCUMENT),
  limit("webhookKeys", "IP address"),
  async (c) => {
    const [deps, id] = [c.get("deps"), pathParam(c, "id")];
    const caller = { clientIp: c.get("clientIp"), mark: `sign-on:${id}` };
    const found = await lookUp(deps, "unknownApiKey", caller, () => findById(deps, id));
    if (found?.kind !== "saml") throw notFound("Metadata");
    c.header("Cache-Control", CACHE_CONTROL);
    c.header("Content-Type", CONTENT_TYPE);
    return c.body(spMetadata(samlServiceOf(deps, id)));
  },
);
