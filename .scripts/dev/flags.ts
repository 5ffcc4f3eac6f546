/** The flags of `npm run dev`, named as those of `wrangler dev`. */
import { parseArgs } from "node:util";

const [DEFAULT_PORT, DEFAULT_MCP_PORT] = [8787, 3001];
/** People sign in to the product here, and mails lead to our own pages. */
const settingsFor = (app: string) => ({ APP_URL: app, OAUTH_SERVER: "on", MAIL_LINKS: "hosted", PORTAL_ORIGINS: app });

/** Agents tell themselves what they are. */
const FOR_AGENTS = { OAUTH_SERVER: "on", OAUTH_CLIENT_METADATA: "on", OAUTH_REGISTRATION: "on" };

export interface Flags {
  port: number;
  /** The address to listen on. */
  ip: string;
  /** The folder in which data is kept. */
  persistTo: string;
  /** Whether the data of earlier runs is removed first. */
  isFresh: boolean;
  /** 0: no inspector. */
  inspectorPort: number;
  /** The origin of the product that people sign in to; null if there is none yet. */
  app: string | null;
  /** The port of the sample of an API for agents; null if it does not run beside it. */
  mcpPort: number | null;
  /** Settings that override those of `wrangler.toml` and `.dev.vars`. */
  vars: Record<string, string>;
  /** Where the service answers. */
  address: string;
}

/** Reads the flags. Throws for one that is unknown or malformed. */
export function readFlags(args = process.argv.slice(2)): Flags {
  const { values } = parseArgs({
    args,
    options: {
      port: { type: "string", default: String(DEFAULT_PORT) },
      ip: { type: "string", default: "localhost" },
      "persist-to": { type: "string", default: ".wrangler/state" },
      fresh: { type: "boolean", default: false },
      "inspector-port": { type: "string", default: "0" },
      app: { type: "string" },
      mcp: { type: "boolean", default: false },
      "mcp-port": { type: "string", default: String(DEFAULT_MCP_PORT) },
      var: { type: "string", multiple: true, default: [] },
    },
  });
  const { ip } = values;
  const app = values.app === undefined ? null : originOf(values.app);
  const port = portOf("--port", values.port);
  const isEverywhere = ip === "0.0.0.0" || ip === "*";
  return {
    port,
    ip,
    persistTo: values["persist-to"],
    isFresh: values.fresh,
    inspectorPort: portOf("--inspector-port", values["inspector-port"]),
    app,
    mcpPort: values.mcp ? portOf("--mcp-port", values["mcp-port"]) : null,
    vars: {
      ...(values.mcp ? FOR_AGENTS : {}),
      ...(app === null ? {} : settingsFor(app)),
      ...Object.fromEntries(values.var.map(settingOf)),
    },
    address: `http://${isEverywhere ? "localhost" : ip}:${port}`,
  };
}

function portOf(flag: string, value: string): number {
  const port = Number(value);
  if (!Number.isInteger(port) || port < 0 || port > 65_535) throw new Error(`${flag} ${value} is not a port.`);
  return port;
}

function originOf(text: string): string {
  if (!URL.canParse(text) || new URL(text).origin !== text) throw new Error(`--app ${text} is not an origin.`);
  return text;
}

function settingOf(text: string): [name: string, value: string] {
  const colon = text.indexOf(":");
  if (colon < 1) throw new Error(`--var ${text} does not have the form NAME:VALUE.`);
  return [text.slice(0, colon), text.slice(colon + 1)];
}
