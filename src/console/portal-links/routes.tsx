/** `/console/portal-links`: the portal links and tokens of the tenant, for owners and admins. */
import type { Context } from "hono";
import type { AppEnv } from "../../base/http/env";
import { perform, requires } from "../../base/http/operation";
import { portalLinks } from "../../identity/portal/api";
import { portalUrl } from "../../identity/portal/url";
import { flash, page, type Refused } from "../http/page";
import { Pages } from "../http/pages";
import { inputOf, NEW_LINK, type PortalLinkValues, readValues } from "./form";
import { PortalLinks } from "./page";

const MANAGE = { permission: "member.manage" } as const;

async function linksPage(
  c: Context<AppEnv>,
  { values = NEW_LINK, refused, url }: { values?: PortalLinkValues; refused?: Refused; url?: string },
) {
  const links = await perform(c, portalLinks.list, undefined);
  return page(
    c,
    { title: "Portal links", section: "portals", refused, status: url === undefined ? 200 : 201 },
    <PortalLinks links={links} values={values} url={url} />,
  );
}

export const portalLinkPages = new Pages()
  .use(requires(MANAGE))
  .get("/", (c) => linksPage(c, {}))
  .form("/", portalLinks.makeLink, {
    values: readValues,
    input: inputOf,
    done: (c, { secret }) => linksPage(c, { url: portalUrl(c.get("deps").config, c.req.url, secret) }),
    again: (c, refused, values) => linksPage(c, { values, refused }),
  })
  .form("/:id/revoke", portalLinks.revoke, { done: flash("/portal-links", "portalLinkRevoked") }).router;
