/** The device that a request comes from, as a session stores it. */
import Bowser from "bowser";
import type { Context } from "hono";
import { networkOf } from "../limits/network";
import type { Device } from "../schemas/device";
import type { AppEnv } from "./env";

const MAX_USER_AGENT_CHARACTERS = 512;
const MAX_FIELD_CHARACTERS = 100;

/** Reads the device from `User-Agent`, the client's address and `request.cf`, each of which may be missing. */
export function deviceOf(c: Context<AppEnv>): Device {
  // The server that relays the request is not where its user is.
  const cf = c.get("isRelayed") ? undefined : (c.req.raw as Request<unknown, IncomingRequestCfProperties>).cf;
  return describeDevice({
    userAgent: c.req.header("user-agent"),
    ipAddress: c.get("clientIp") === "unknown" ? undefined : c.get("clientIp"),
    city: cf?.city,
    country: cf?.country,
    regionCode: cf?.regionCode,
  });
}

/** What a request says about its device. */
interface ClientFacts {
  userAgent: string | undefined;
  ipAddress: string | undefined;
  city: string | undefined;
  country: string | undefined;
  regionCode: string | undefined;
}

function describeDevice(facts: ClientFacts): Device {
  const userAgent = facts.userAgent?.slice(0, MAX_USER_AGENT_CHARACTERS);
  const parsed = userAgent ? Bowser.parse(userAgent) : undefined;
  const browser = joined(parsed?.browser.name, parsed?.browser.version);
  const operatingSystem = joined(parsed?.os.name, parsed?.os.versionName ?? parsed?.os.version);
  const model = joined(parsed?.platform.vendor, parsed?.platform.model);
  return {
    kind: kindOf(parsed?.browser.name, parsed?.os.name),
    place: placeOf(facts),
    deviceName:
      model ?? (browser && operatingSystem ? `${browser} on ${operatingSystem}` : (browser ?? operatingSystem)),
    browser,
    operatingSystem,
    platform: joined(parsed?.platform.type),
    ipAddress: facts.ipAddress ?? null,
    location: [facts.city, facts.country].filter(Boolean).join(", ") || null,
  };
}

const BROWSERS: ReadonlySet<string | undefined> = new Set(Object.values(Bowser.BROWSER_MAP));
const OPERATING_SYSTEMS: ReadonlySet<string | undefined> = new Set(Object.values(Bowser.OS_MAP));

/**
 * Uses only names from the library's own lists, because the library passes on unknown names as the client sent them.
 */
function kindOf(browser: string | undefined, operatingSystem: string | undefined): string {
  const known = BROWSERS.has(browser) ? browser : undefined;
  if (!OPERATING_SYSTEMS.has(operatingSystem)) return known ?? "an unknown device";
  return `${known ?? "an unknown browser"} on ${operatingSystem}`;
}

/** Country and region change less often than city and address. */
function placeOf({ country, regionCode, ipAddress }: ClientFacts): string {
  if (country) return [country, regionCode].filter(Boolean).join("-");
  return (ipAddress === undefined ? null : networkOf(ipAddress)) ?? "unknown";
}

/** `toWellFormed`, because a cut may split a pair of surrogates, and half a pair cannot be stored as UTF-8. */
function joined(...parts: (string | undefined)[]): string | null {
  return parts.filter(Boolean).join(" ").slice(0, MAX_FIELD_CHARACTERS).toWellFormed() || null;
}
