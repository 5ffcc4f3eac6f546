/** The session of a console's cookie in D1, with what else its request reads. */
import { sql } from "drizzle-orm";
import { atomically, fixed, prepared, type RowsOf, type Statements } from "../../base/db/client";
import type { Deps } from "../../base/deps";
import type { ShownClaims } from "../../base/signers/jwt";
import { LIVE_SESSION, type LiveSession, OF_CLAIMS } from "./store";

/** What a session stores about the console's cookie, and where it was last replaced. */
export interface StoredCookie {
  cookieGeneration: number;
  cookieReplacedAt: number | null;
  ipAddress: string | null;
  deviceName: string | null;
  expiresAt: number;
}

/** How many tenants the console's switcher offers. */
const MAX_LISTED_TENANTS = 50;

type ConsoleSessionRow = LiveSession & StoredCookie & { tenants: string };

const LIVE_CONSOLE_SESSION = sql`SELECT ${LIVE_SESSION},
    s.cookie_generation AS cookieGeneration, s.cookie_replaced_at AS cookieReplacedAt, s.ip_address AS ipAddress,
    s.device_name AS deviceName, s.expires_at AS expiresAt,
    (SELECT json_group_array(json_object('id', mine.id, 'name', mine.name)) FROM (
      SELECT mt.id, mt.name FROM memberships mm JOIN tenants mt ON mt.id = mm.tenant_id
      WHERE mm.user_id = s.user_id AND (s.connection_id IS NULL OR mm.tenant_id = s.tenant_id)
      ORDER BY mt.name, mt.id LIMIT ${sql.raw(String(MAX_LISTED_TENANTS))}) mine) AS tenants
  ${OF_CLAIMS}`;
const liveConsoleSession = prepared<ConsoleSessionRow>(LIVE_CONSOLE_SESSION);
const liveConsoleSessionBeside = fixed<ConsoleSessionRow>(LIVE_CONSOLE_SESSION);

export interface LiveConsoleSession {
  session: LiveSession;
  cookie: StoredCookie;
  tenants: { id: string; name: string }[];
}

/** As `findLiveSession`, with the user's tenants, by name, and the rows of `also`, in the same round trip. */
export async function findLiveConsoleSession<S extends Statements>(
  { db }: Deps,
  claims: ShownClaims,
  also: S,
  nowMs: number,
): Promise<{ live: LiveConsoleSession | undefined; also: RowsOf<S> }> {
  const values = { ...claims, nowMs };
  const isAlone = Object.keys(also).length === 0;
  const statements: Statements = { ...also, live: liveConsoleSessionBeside(values) };
  const read = isAlone ? { live: await liveConsoleSession(db, values) } : await atomically(db, statements);
  const [row] = read["live"] as ConsoleSessionRow[];
  return { live: row && parsedConsoleSession(row), also: read as RowsOf<S> };
}

function parsedConsoleSession(row: ConsoleSessionRow): LiveConsoleSession {
  const { tenants, cookieGeneration, cookieReplacedAt, ipAddress, deviceName, expiresAt, ...session } = row;
  const cookie: StoredCookie = { cookieGeneration, cookieReplacedAt, ipAddress, deviceName, expiresAt };
  return { session, cookie, tenants: JSON.parse(tenants) as LiveConsoleSession["tenants"] };
}
