/** What a session tells about the device it was opened on. */
import Bowser from "bowser";

export interface Device {
  deviceName: string | null;
  browser: string | null;
  operatingSystem: string | null;
  platform: string | null;
  ipAddress: string | null;
  location: string | null;
}

const MAX_USER_AGENT_CHARACTERS = 512;
const MAX_FIELD_CHARACTERS = 100;

/** The facts of a request that name a device; every one of them may be missing. */
export interface ClientFacts {
  userAgent: string | undefined;
  ipAddress: string | undefined;
  city: string | undefined;
  country: string | undefined;
}

export function describeDevice(facts: ClientFacts): Device {
  const userAgent = facts.userAgent?.slice(0, MAX_USER_AGENT_CHARACTERS);
  const parsed = userAgent ? Bowser.parse(userAgent) : undefined;
  const browser = joined(parsed?.browser.name, parsed?.browser.version);
  const operatingSystem = joined(parsed?.os.name, parsed?.os.versionName ?? parsed?.os.version);
  const model = joined(parsed?.platform.vendor, parsed?.platform.model);
  return {
    deviceName:
      model ?? (browser && operatingSystem ? `${browser} on ${operatingSystem}` : (browser ?? operatingSystem)),
    browser,
    operatingSystem,
    platform: joined(parsed?.platform.type),
    ipAddress: facts.ipAddress ?? null,
    location: [facts.city, facts.country].filter(Boolean).join(", ") || null,
  };
}

function joined(...parts: (string | undefined)[]): string | null {
  return parts.filter(Boolean).join(" ").slice(0, MAX_FIELD_CHARACTERS) || null;
}
