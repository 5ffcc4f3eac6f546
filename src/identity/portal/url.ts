/** Where a portal link leads. */
import type { Config } from "../../base/config/config";
import { PORTAL_PATH } from "../../base/paths";

/** The URL of the link with this token. The origin of the request stands in for a missing PUBLIC_URL. */
export const portalUrl = ({ publicUrl }: Config, requestUrl: string, token: string): string =>
  `${new URL(publicUrl ?? requestUrl).origin}${PORTAL_PATH}/open?token=${token}`;
