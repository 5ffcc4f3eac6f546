/** Addresses of pages. */
import { OAUTH_PATH } from "../../base/paths";

/** `path` with the parameters that are not empty. */
export function withQuery(path: string, query: Readonly<Record<string, string>>): string {
  const given = Object.entries(query).filter(([, value]) => value !== "");
  return given.length === 0 ? path : `${path}?${new URLSearchParams(given)}`;
}

const GOING_ON = new RegExp(`^${OAUTH_PATH}/authorize\\?(r=[\\w.-]+)$`);

/** The path of a page that leads to `to` afterwards; "" is the first page. The request of an app is named alone. */
export function withReturnPath(path: string, to: string): string {
  const request = GOING_ON.exec(to)?.[1];
  if (request !== undefined) return `${path}?${request}`;
  return to === "" ? path : `${path}?to=${encodeURIComponent(to)}`;
}
