/** The languages of the pages for accounts and of mails. */
import { createExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { beforeAll, beforeEach, describe, expect, test } from "vitest";
import worker from "../../src";
import { parseConfig } from "../../src/base/config/config";
import { forgetFiles } from "../../src/base/files";
import { readCatalogue } from "../../src/base/texts/catalogue";
import { en, type TextKey } from "../../src/base/texts/en";
import { ENGLISH, localeOf, namesIn, textsIn } from "../../src/base/texts/texts";
import { TRANSLATIONS } from "../../src/base/texts/translations";
import { NAMED_ACTIONS } from "../../src/identity/recovery/remedies";
import { describeFinding, FINDING_KINDS } from "../../src/service/alarms/findings";
import { call, newEmail, PASSWORD, signUpVerified } from "../support/client";
import { visit } from "../support/console";
import { openListener } from "../support/listener";
import { captureLog } from "../support/log-lines";
import { wordsIn } from "../support/mail-samples";
import { mailTo } from "../support/mailbox";
import { ALL, newPortalLink, openPortal, portal } from "../support/portal";
import { endedAttempts } from "../support/receiver";

const OTHERS = Object.keys(TRANSLATIONS) as (keyof typeof TRANSLATIONS)[];

const inLanguage = (locale: keyof typeof TRANSLATIONS) => textsIn({ locale, texts: TRANSLATIONS[locale] });

test.each(OTHERS)("no text is missing in %s, and each has the values of the English one", (locale) => {
  for (const [key, english] of Object.entries(en)) {
    const text = TRANSLATIONS[locale][key as TextKey];
    expect([key, text.trim().length > 0, namesIn(text).sort()]).toEqual([key, true, namesIn(english).sort()]);
  }
});

test.each(OTHERS)("every act that a mail quotes, and every alarm, has a text in %s", (locale) => {
  const texts = inLanguage(locale);
  const acts = NAMED_ACTIONS.filter((action) => texts.act(action, {}) === ENGLISH.act(action, {}));
  const alarms = FINDING_KINDS.filter(
    (kind) => describeFinding(`${kind}:1`, texts).what === describeFinding(`${kind}:1`).what,
  );
  expect([acts, alarms]).toEqual([[], []]);
});

test.each(OTHERS)("every mail is in %s, with what it quotes", (locale) => {
  const english = new Set(wordsIn(ENGLISH).flatMap(({ words }) => words));
  const left = wordsIn(inLanguage(locale)).map(({ kind, words }) => [
    kind,
    words.filter((word) => (english.has(word) || /\bon Linux\b/.test(word)) && !word.startsWith("https://")),
  ]);
  expect(left.filter(([, words]) => words?.length !== 0)).toEqual([]);
});

/** What people read of a page: its texts, without code, and what its attributes say. */
const readOf = (html: string) => [
  ...[...html.replace(/<(pre|code|script|style)\b[\s\S]*?<\/\1>/g, " ").matchAll(/>([^<]+)</g)].map(([, text]) => text),
  ...[...html.matchAll(/ (?:aria-label|placeholder|value)="([^"]+)"/g)].map(([, text]) => text),
];

/** Short words that each of the other languages lacks. */
const ENGLISH_WORD = /\b(the|this|is|are|with|and|of|to|your|its|it|for|not|from|that|when)\b/i;

const SUBSCRIPTION = {
  name: "Shop",
  url: "https://example.com/500/languages",
  events: ["order.paid"],
  secret: "a signing secret",
  delivery: { rateLimit: { limit: 5, per: "second" } },
};

describe("a portal", () => {
  const below = ["", "/edit", "/filter", "/security", "/secret/rotate", "/replays", "/test", "/delete"];
  let cookie = "";
  let pages: string[] = [];

  beforeAll(async () => {
    const person = await signUpVerified();
    const { token } = person;
    const { body } = await call("POST", "/webhooks", { token, body: SUBSCRIPTION });
    const here = `/webhooks/${body.data._id}`;
    await call("POST", "/event-types", { token, body: { name: "order.paid", schema: { type: "object" } } });
    const listener = await openListener(token, { events: ["nothing"] });
    const event = await call("POST", "/events", { token, body: { type: "order.paid", payload: {} } });
    const [attempt] = await endedAttempts(person, body.data._id, 1);
    pages = ["/webhooks", "/webhooks/new", "/events", "/event-types", ...below.map((page) => here + page)];
    pages.push("/event-types/named/order.paid", `/webhooks/${listener._id}`, `/events/${event.body.data.id}`);
    pages.push(`${here}/attempts/${attempt._id}`);
    cookie = await openPortal(await newPortalLink(token, { permissions: ALL }));
  });

  test.each(OTHERS)("is in %s on every page, and so are its errors", async (locale) => {
    const asked = { cookie, headers: { "accept-language": locale } };
    for (const path of pages) {
      const { status, html } = await portal("GET", path, asked);
      expect([path, status, html.includes(`<html lang="${locale}">`)]).toEqual([path, 200, true]);
      expect([path, readOf(html).filter((text = "") => ENGLISH_WORD.test(text))]).toEqual([path, []]);
    }
    const fields = { name: "", url: "https://example.com", events: "a b*", headers: "Host: x", filter: '{"$x": 1}' };
    const refused = await portal("POST", "/webhooks", { ...asked, fields });
    const ended = await portal("GET", "/webhooks", { headers: asked.headers });
    expect([refused.status, readOf(refused.html).filter((text = "") => /\bmust\b/i.test(text))]).toEqual([400, []]);
    expect([ended.status, ended.html.includes(TRANSLATIONS[locale]["problem.portalEnded"])]).toEqual([401, true]);
  });
});

test.each([
  ["de-CH, en;q=0.8", "de"],
  ["pt, fr;q=0.5, es;q=0.7", "es"],
  ["nl, en;q=0, fr;q=0.1", "fr"],
  ["*, xx;q=z", undefined],
  ["", undefined],
])("Accept-Language %j asks for %s", (header, locale) => {
  expect(localeOf(header)).toBe(locale);
});

describe("the file of a language", () => {
  const captured = captureLog();
  beforeEach(forgetFiles);

  /** A page of an isolate whose files `answer` stands for, and how often they were read. */
  function isolate(answer: (path: string) => Promise<Response>) {
    let reads = 0;
    const fetch = ({ url }: Request) => {
      reads += 1;
      return answer(new URL(url).pathname);
    };
    const bindings = { ...env, ASSETS: { fetch: (url: string) => fetch(new Request(url)) } } as unknown as Env;
    const get = async (path: string, language = "de") => {
      const headers = { "accept-language": language };
      const request = new Request<unknown, IncomingRequestCfProperties>(`http://postern.test${path}`, { headers });
      const response = await worker.fetch(request, bindings, createExecutionContext());
      return [response.status, (await response.text()).match(/<title>[^<·]*/)?.[0]?.trim()];
    };
    return { get, reads: () => reads };
  }

  const real = (path: string) => env.ASSETS.fetch(`http://postern.test${path}`);
  const GERMAN = [200, "<title>Anmelden"];
  const ENGLISH_PAGE = [200, "<title>Sign in"];

  test("is read once for 20 first requests at once, and never for a page in English or the API", async () => {
    const { get, reads } = isolate(real);
    expect([await get("/console/sign-in", "en"), await get("/api/v1/auth/me")]).toEqual([
      ENGLISH_PAGE,
      [401, undefined],
    ]);
    expect(reads()).toBe(0);
    const pages = await Promise.all(Array.from({ length: 20 }, () => get("/console/sign-in")));
    expect([pages, reads()]).toEqual([pages.map(() => GERMAN), 1]);
  });

  test("has all texts, as they were written", async () => {
    for (const locale of OTHERS) {
      const { texts } = await readCatalogue({ assets: env.ASSETS, background: () => {} }, locale);
      expect(texts).toEqual({ ...en, ...TRANSLATIONS[locale] });
    }
  });

  test.each<[string, () => Promise<Response>]>([
    ["is missing", async () => new Response("", { status: 404 })],
    ["cannot be read", () => Promise.reject(new Error("no assets"))],
    ["is no JSON", async () => new Response("<html>")],
    ["has other values than texts", async () => Response.json({ "signIn.title": 1 })],
    ["is too large", async () => Response.json({ "signIn.title": "x".repeat(300_000) })],
    ["never ends", async () => new Response(new ReadableStream())],
  ])("%s: pages are in English, a line says so, and the next request tries again", async (_, answer) => {
    let isBroken = true;
    const { get } = isolate((path) => (isBroken ? answer() : real(path)));
    const lines = captured.lines("file not read").length;
    expect(await Promise.all([get("/console/sign-in"), get("/console/sign-in")])).toEqual([ENGLISH_PAGE, ENGLISH_PAGE]);
    expect(captured.lines("file not read").length - lines).toBe(1);
    isBroken = false;
    expect(await get("/console/sign-in")).toEqual(GERMAN);
  });

  test("is at no address", async () => {
    const { get } = isolate(real);
    for (const path of ["/texts/de.json", "/docs/texts/de.json", "/docs/..%2Ftexts%2Fde.json"]) {
      expect([path, (await get(path))[0]]).toEqual([path, 404]);
    }
  });
});

describe("somebody whose browser asks for German", () => {
  const german = { "accept-language": "de-DE, en;q=0.5" };

  test("reads the pages for accounts in German, with what was wrong", async () => {
    const browser = visit();
    const { html } = await browser.get("/sign-in", german);
    expect(html).toMatch(/<html lang="de">.*<title>Anmelden ·.*<h1>Anmelden<\/h1>.*Passwort vergessen\?/s);
    const refused = await browser.post("/sign-in", { email: newEmail(), password: "wrong" }, german);
    expect([refused.status, refused.html.includes("oder das Passwort ist falsch")]).toEqual([401, true]);
    expect((await browser.get("/sign-in")).html).toContain('<html lang="en">');
  });

  test("gets mails in German, and after a change of the language in that one", async () => {
    const email = newEmail();
    const { body } = await call("POST", "/auth/register", { body: { email, password: PASSWORD }, headers: german });
    const token = body.data.accessToken;
    expect((await mailTo(email, /^Bestätigen Sie Ihre E-Mail-Adresse$/)).text).toMatch(/^Guten Tag,\n/);
    expect((await call("GET", "/auth/me", { token })).body.data.locale).toBe("de");
    expect((await call("PATCH", "/auth/me", { token, body: { locale: "pt" } })).status).toBe(400);
    const changed = await call("PATCH", "/auth/me", { token, body: { locale: "fr" } });
    expect(changed.body.data.locale).toBe("fr");
    await call("POST", "/auth/forgot-password", { body: { email } });
    await mailTo(email, /^Réinitialiser votre mot de passe$/);
  });
});

test.each([
  [{ en: { "signIn.title": "Sign in to Shop" } }, true],
  [{ en: { "mail.code.text": "{code}!" } }, true],
  [{ nl: { "signIn.title": "Inloggen" } }, false],
  [{ en: { "signIn.nothing": "x" } }, false],
  [{ en: { "signIn.title": "{password}" } }, false],
  ["no JSON", false],
])("TEXTS %j is taken: %s", (texts, isTaken) => {
  const TEXTS = typeof texts === "string" ? texts : JSON.stringify(texts);
  const config = parseConfig({ ...env, TEXTS });
  expect([config.texts, config.refused.some((refusal) => refusal.startsWith("TEXTS "))]).toEqual(
    isTaken ? [texts, false] : [{}, true],
  );
});
