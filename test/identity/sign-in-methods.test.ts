/**
 * Every way in obeys locks, limits, verification, second factors, suspensions, tenants, invitations and the audit log:
 * each way against each state of the account and the service. A way or a state that the table lacks fails.
 */
import { describe, expect, test } from "vitest";
import { attempt, newTraveller, type Outcome, STATES, type State } from "../support/account-states";
import { openApi } from "../support/contract";
import { WAYS } from "../support/sign-in-methods";
import type { Way } from "../support/way-to-sign-in";

const sources = import.meta.glob("../../src/**/*.{ts,tsx}", { query: "?raw", import: "default", eager: true });
const isPageFile = (path: string) => path.startsWith("../../src/console/");

/**
 * wrong, used: the proof is wrong, was used before · no2, bad2, old2: two-factor authentication is on, and no code, a
 * wrong or a used one is sent · lock1, lock2: after ten wrong passwords, codes · limit: the limit of the route is used
 * up · down, nolck: the rate limiter, the account lock fails · susp, tsusp: the person, the tenant is suspended ·
 * must, glass: the tenant requires its own sign-on of a member, of an owner · other: another tenant is asked for ·
 * cap: as many sessions as a user can have · invit: REGISTRATION=invite · human: Turnstile, and no token (a
 * registration with a passkey asks for it with its options) · off: MAIL_CODE=off and no provider · nopas: PASSWORDS=off
 * · nopt, alone: a member of no tenant, and PERSONAL_TENANTS=off, on · optnl, unver: the address is unverified, here
 * and at the provider, with EMAIL_VERIFICATION=optional and required · gone: the account was deleted.
 */
const TABLE = `
                               fine  wrong used  no2   bad2  old2  lock1 lock2 limit down  nolck susp  tsusp must  glass other cap   invit human off   nopas nopt  alone optnl unver gone
password                       in    401!  in    403t  401t! -     423   423   429   503   503   403f  in    403s  403s  404   in    in    in    in    403f  403n  made  in    403v  401
password, totp                 in    401!  401t! 403t  401t! 401t! 423   423   =     =     503   403f  in    403s  in    404   =     =     =     =     =     403n  made  in    403v  401
password, recovery code        in    =     401t! 403t  401t! 401t! 423   423   =     =     =     403f  =     403s  in    404   =     =     =     =     =     403n  made  =     403v  =
mailed code                    in    401c! 401c! 403t  401t! -     in    in    429   503   503   403f  in    403s  403s  404   in    in    in    404   in    403n  made  took  took  401c
mailed code, totp              in    401c! 401c! 403t  401t! 401t! in    423   =     =     503   403f  in    403s  in    404   =     =     =     =     =     403n  made  took  took  401c
passkey                        in    401!  401!  in    in    -     in    in    429   503   in    403f  in    403s  in    404   in    in    in    in    in    403n  made  in    403v  401
provider                       in    400   400   403t  401t! -     in    in    429   503   in    403f  in    403s  403s  404   in    in    in    404   in    403n  made  in    403v  new
provider, totp                 in    400   401t! 403t  401t! 401t! in    423   =     =     503   403f  in    403s  403s  404   =     =     =     =     =     403n  made  in    403v  new
provider, by address           in    400   400   403t  401t! -     in    in    429   503   in    403f  in    403s  403s  404   in    in    in    404   =     403n  made  403v  403v  new
provider, new account          in    400   400   -     -     -     in    in    429   503   in    -     -     -     -     404   -     403f  in    404   in    403n  -     in    403v  -
provider, invited              in    400   400   -     -     -     in    in    429   503   in    -     in    403s  =     404   -     in    in    404   =     -     -     in    in    -
sign-on                        in    400   400   in    in    -     in    in    429   503   in    403f  403f  in    in    404   in    in    in    in    in    in    in    in    in    400
registration                   in    -     409e  -     -     -     in    in    429   503   in    -     -     -     -     -     -     403f  403h  in    403f  403n  -     in    in    -
registration, invited          in    400   400   -     -     -     in    in    429   503   in    -     in    403s  =     -     -     in    403h  in    403f  -     -     in    in    -
registration, passkey          in    400v  409e  -     -     -     in    in    429   503   in    -     -     -     -     -     -     403f  in    in    in    403n  -     in    in    -
registration, passkey, invited in    400v  400   -     -     -     in    in    429   503   in    -     in    403s  =     -     -     in    in    in    in    -     -     in    in    -
console: password              in    401!  in    403t  -     -     423   423   429   503   503   403f  in    403s  =     -     in    in    in    in    403f  403n  made  in    403v  401
console: then totp             in    -     401t! -     401t! 401t! 423   423   429   503   503   403f  in    403s  in    -     in    in    in    in    =     403n  made  -     -     401
console: passkey               in    401!  =     =     -     -     =     =     429   503   =     =     =     403s  =     -     =     =     in    in    =     =     =     =     403v  =
console: mailed code           in    401c! =     =     =     -     =     =     429   503   =     =     =     =     =     -     =     =     in    404   =     =     =     =     took  =
console: code, totp            in    =     =     403t  401t! =     =     423   429   503   =     =     =     =     =     -     =     =     in    404   =     =     =     =     took  =
console: provider              in    400   =     403t  401t! -     =     =     429   503   =     =     =     =     =     -     =     =     in    404   =     =     =     =     ask   =
console: registration          in    -     409e  -     -     -     =     =     429   503   =     -     -     -     -     -     -     403f  403h  in    403f  -     -     =     =     -
console: passkey registration  in    400v  409e  -     -     -     =     =     429   503   =     -     -     -     -     -     -     403f  in    =     in    -     -     =     =     -
refresh                        in    401r  401x  in    -     -     in    in    429   503   in    401r  in    403s  403s  -     in    in    in    in    in    401r  401r  in    in    401r
switch tenant                  in    401   401   in    -     -     in    in    429   503   in    401   in    403s  403s  404   in    in    in    in    in    401   401   in    in    401
`;

/**
 * What a cell means, if it is no word. With `!`, a failed login is recorded. `-` stands for what cannot be. `=` stands
 * for what is decided by code that the row shares with another one: with the same route without a second factor, or
 * with the route of the API.
 */
const REFUSED: Record<string, [status: number, code: string]> = {
  "400": [400, "INVALID_TOKEN"],
  "400v": [400, "VALIDATION_FAILED"],
  "401": [401, "UNAUTHENTICATED"],
  "401c": [401, "INVALID_CODE"],
  "401t": [401, "INVALID_TOTP"],
  "401r": [401, "REFRESH_TOKEN_INVALID"],
  "401x": [401, "REFRESH_TOKEN_REUSED"],
  "403f": [403, "FORBIDDEN"],
  "403h": [403, "CAPTCHA_REQUIRED"],
  "403n": [403, "NO_TENANT"],
  "403t": [403, "TOTP_REQUIRED"],
  "403s": [403, "SIGN_ON_REQUIRED"],
  "403v": [403, "EMAIL_NOT_VERIFIED"],
  "404": [404, "NOT_FOUND"],
  "409": [409, "CONFLICT"],
  "409e": [409, "EMAIL_TAKEN"],
  "423": [423, "ACCOUNT_LOCKED"],
  "429": [429, "RATE_LIMITED"],
  "503": [503, "SERVICE_UNAVAILABLE"],
};
/** Words for a session that is opened, and what the audit log has of it; null: what it has of that way. */
const OPENED: Record<string, string[] | null> = {
  in: null,
  // By a code, which takes an account over that somebody else may have registered.
  took: ["auth.email_verified", "auth.login", "member.left", "tenant.created"],
  new: ["auth.login", "auth.registered"],
};

const [header = "", ...lines] = TABLE.split("\n").filter((line) => line !== "");
const NAME_COLUMNS = 31;
const wordsOf = (line: string) => line.slice(NAME_COLUMNS).trim().split(/ +/);
const columns = wordsOf(header);
const rows = new Map(lines.map((line) => [line.slice(0, NAME_COLUMNS).trim(), wordsOf(line)]));

const isPage = (way: Way) => way.routes.some((route) => route.includes(" /console"));

function expected(cell: string, way: Way): string {
  const word = cell.replace("!", "");
  const records = OPENED[word];
  // Who is in no tenant gets one.
  if (word === "made") return `opened, ${[...way.records, "tenant.created"].sort()}`;
  // A page asks for the code that was mailed.
  if (word === "ask") return "asked, ";
  if (records !== undefined) return `opened, ${records ?? way.records}`;
  const [status, code] = REFUSED[word] ?? [0, `no such cell: ${cell}`];
  const recorded = cell.endsWith("!") ? "auth.login_failed" : "";
  // A page asks for the code in another page, and says in words what is wrong.
  const answer = isPage(way) ? (code === "TOTP_REQUIRED" ? "asked" : `${status}`) : `${status} ${code}`;
  return `${answer}, ${recorded}`;
}

function described({ status, code, opened, sessions, recorded }: Outcome, way: Way, state: string): string {
  const [isSuccess, isRight] = [status < 400, opened === (way.keeps ? 0 : 1)];
  if (isSuccess && isRight) return state === "cap" && sessions > 1 ? "above the cap" : `opened, ${recorded}`;
  if (opened > 0) return `opened ${opened} with ${status}`;
  const answer = isPage(way) ? (isSuccess ? "asked" : `${status}`) : `${status} ${code}`;
  return `${answer}, ${recorded}`;
}

/** The routes of the console whose code sets a session's cookie. */
function sessionPages(): string[] {
  const pages = Object.entries(sources).flatMap(([path, text]) => (isPageFile(path) ? [text] : []));
  const setters = new Set(["startSession", "setSession"]);
  const sets = (text: string) => [...setters].some((name) => new RegExp(`\\b${name}\\b`).test(text));
  const mounts = new Map(
    pages.flatMap((text) =>
      [...text.matchAll(/\.route\("([^"]+)", (\w+)\)/g)].map(([, path = "", name = ""]) => [name, path] as const),
    ),
  );
  return pages.flatMap((text) => {
    for (const [whole, name = ""] of text.matchAll(/^(?:(?:async )?function|const(?=.*= {$)) (\w+)[\s\S]*?^}/gm)) {
      if (sets(whole)) setters.add(name);
    }
    const mount = mounts.get(text.match(/export const (\w+) = new Pages/)?.[1] ?? "") ?? "";
    return text
      .split(/^(?= {2}\.(?:get|post|form)\()/m)
      .filter(sets)
      .flatMap((part) => {
        const [, kind = "", path = ""] = part.match(/^ {2}\.(get|post|form)\(\s*(?:"(.*?)")?/) ?? [];
        if (kind === "") return [];
        const method = kind === "get" ? "GET" : "POST";
        return [`${method} /console${mount}${path}`.replaceAll("//", "/").replace(/\/$/, "")];
      });
  });
}

/** The functions that open a session, as far as the routes in these files call them. */
function openersIn(isOf: (path: string) => boolean): string[] {
  const openers = Object.values(sources).flatMap((text) =>
    [...text.matchAll(/^export async function (\w+)[\s\S]*?^}/gm)].flatMap(([whole, name = ""]) =>
      whole.includes("): Promise<OpenedSession") ? [name] : [],
    ),
  );
  const routes = Object.entries(sources).filter(([path]) => /(routes\.tsx?|api\.ts)$/.test(path) && isOf(path));
  const text = routes.map(([, source]) => source).join("");
  return openers.filter((name) => text.includes(` ${name}(`)).sort();
}

describe("the table", () => {
  test("has every way and every state", () => {
    expect(columns).toEqual(Object.keys(STATES));
    expect([...rows.keys()]).toEqual(Object.keys(WAYS));
    for (const [name, cells] of rows) expect([name, cells.length]).toEqual([name, columns.length]);
  });

  test("has every route that answers with tokens, and every page that opens a session", async () => {
    const { paths } = await openApi();
    const api = Object.entries(paths).flatMap(([path, operations]) =>
      Object.entries(operations)
        .filter(([, operation]) => JSON.stringify(operation.responses).includes("#/components/schemas/TokenPair"))
        .map(([method]) => `${method.toUpperCase()} ${path}`),
    );
    // It has no way of its own in the table: it does what its route does.
    const switching = "POST /console/tenants/switch";
    const named = Object.values<Way>(WAYS).flatMap(({ routes }) => routes);
    expect([...api, ...sessionPages()].sort()).toEqual([...new Set([...named, switching])].sort());
  });
});

test("pages open sessions by operations alone", () => {
  expect(openersIn((path) => !isPageFile(path))).toEqual([
    "continueLogin",
    "exchangeCode",
    "login",
    "loginWithCode",
    "loginWithPasskey",
    "register",
    "registerWithPasskey",
    "startLogin",
    "switchTenant",
  ]);
  expect(openersIn(isPageFile)).toEqual([]);
});

test.each(Object.entries<Way>(WAYS))("%s", async (name, way) => {
  const wanted: Record<string, string> = {};
  const got: Record<string, string> = {};
  let traveller = await newTraveller(way);
  for (const [index, [state, does]] of Object.entries<State>(STATES).entries()) {
    const cell = rows.get(name)?.[index] ?? "";
    if (cell === "-" || cell === "=") continue;
    if (way.keeps) traveller = await newTraveller(way);
    wanted[state] = expected(cell, way);
    got[state] = described(await attempt(traveller, way, does), way, state);
  }
  expect(got).toEqual(wanted);
});
