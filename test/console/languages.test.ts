/** The languages of the pages for accounts and of mails. */
import { env } from "cloudflare:workers";
import { beforeAll, describe, expect, test } from "vitest";
import { parseConfig } from "../../src/base/config/config";
import { LOCALES } from "../../src/base/schemas/locales";
import type { TextKey } from "../../src/base/texts/en";
import { CATALOGUES, localeOf, namesIn, textsIn } from "../../src/base/texts/texts";
import { NAMED_ACTIONS } from "../../src/identity/recovery/remedies";
import { describeFinding, FINDING_KINDS } from "../../src/service/alarms/findings";
import { call, newEmail, PASSWORD, signUpVerified } from "../support/client";
import { visit } from "../support/console";
import { openListener } from "../support/listener";
import { wordsIn } from "../support/mail-samples";
import { mailTo } from "../support/mailbox";
import { ALL, newPortalLink, openPortal, portal } from "../support/portal";
import { endedAttempts } from "../support/receiver";

const OTHERS = LOCALES.filter((locale) => locale !== "en");

test.each(LOCALES)("no text is missing in %s, and each has the values of the English one", (locale) => {
  for (const [key, english] of Object.entries(CATALOGUES.en)) {
    const text = CATALOGUES[locale][key as TextKey];
    expect([key, text.trim().length > 0, namesIn(text).sort()]).toEqual([key, true, namesIn(english).sort()]);
  }
});

test.each(OTHERS)("every act that a mail quotes, and every alarm, has a text in %s", (locale) => {
  const [texts, english] = [textsIn(locale), textsIn("en")];
  const acts = NAMED_ACTIONS.filter((action) => texts.act(action, {}) === english.act(action, {}));
  const alarms = FINDING_KINDS.filter(
    (kind) => describeFinding(`${kind}:1`, texts).what === describeFinding(`${kind}:1`).what,
  );
  expect([acts, alarms]).toEqual([[], []]);
});

test.each(OTHERS)("every mail is in %s, with what it quotes", (locale) => {
  const english = new Set(wordsIn(textsIn("en")).flatMap(({ words }) => words));
  const left = wordsIn(textsIn(locale)).map(({ kind, words }) => [
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
    expect([ended.status, ended.html.includes(CATALOGUES[locale]["problem.portalEnded"])]).toEqual([401, true]);
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
