/** The word of a portal for a subscription is in all of its pages. */
import { describe, expect, test } from "vitest";
import { rewordedPage } from "../../src/console/portal/wording";
import { sources } from "../support/docs";

/** The pages of a portal, with what they are made of. */
const PAGES =
  /\/src\/console\/(subscriptions|events|attempts|replays|signing|filters|resend|components|http)\/.*\.tsx$/;
/** Not in portals, which publish nothing. */
const NOT_SHOWN = /publish-form/;

const NAMED = /subscription/i;
/** Code between angle brackets or braces, and values that are no texts. */
const CODE = /[=;()[\]]|\w\.\w|^[a-z]\S*$|: [A-Z]\w+(View|Values)/;

const textsIn = (source: string): string[] => {
  const bare = source.replaceAll(/\/\*[\s\S]*?\*\/|^\s*\/\/.*$|^import [\s\S]*?;$/gm, "");
  const inMarkup = [...bare.matchAll(/(?<=[>}])[^<>{}]*subscription[^<>{}]*(?=[<{])/gi)].map(([text]) => text);
  const quoted = [...bare.matchAll(/(?<!hint=|[\w-])"([^"\n]*subscription[^"\n]*)"/gi)].map(([, text = ""]) => text);
  return [...inMarkup, ...quoted].map((text) => text.replaceAll(/\s+/g, " ").trim()).filter((text) => !CODE.test(text));
};

const texts = Object.entries(sources).flatMap(([path, source]) =>
  PAGES.test(path) && !NOT_SHOWN.test(path) ? textsIn(String(source)) : [],
);

test("each text of the pages that names a subscription is known", () => {
  expect(texts.length).toBeGreaterThan(20);
  const shown = (text: string) => rewordedPage(`<p>${text.replaceAll("'", "&#39;")}</p>`, "endpoints");
  expect(texts.filter((text) => NAMED.test(shown(text)))).toEqual([]);
});

describe("a page", () => {
  test.each([
    ["a text", "<h1>New subscription</h1>", "<h1>New endpoint</h1>"],
    [
      "a text before another element",
      "<p>\n The subscription has been deleted.\n<b>",
      "<p>\n The endpoint has been deleted.\n<b>",
    ],
    [
      "an article",
      "<b>A subscription sends the events that you choose to your URL, each as a signed POST request.</b>",
      "<b>An endpoint sends the events that you choose to your URL, each as a signed POST request.</b>",
    ],
    ["a name for screen readers", '<div aria-label="Subscriptions">', '<div aria-label="Endpoints">'],
    ["the title", "<title>Subscriptions · Shop</title>", "<title>Endpoints · Shop</title>"],
    [
      "a hint",
      '<p class="hint" id="x">We enable the subscription.</p>',
      '<p class="hint" id="x">We enable the endpoint.</p>',
    ],
    [
      "a refusal",
      '<div class="banner bad" role="alert">A tenant can have at most 3 subscriptions.</div>',
      '<div class="banner bad" role="alert">A tenant can have at most 3 endpoints.</div>',
    ],
    [
      "a refusal that names a header",
      '<p class="error">The subscription has an own header X-Subscription</p>',
      '<p class="error">The endpoint has an own header X-Subscription</p>',
    ],
    ["what somebody has typed", "<a>My subscription</a>", "<a>My subscription</a>"],
    ["what somebody has published", '<code>{"subscription":1}</code>', '<code>{"subscription":1}</code>'],
  ])("has the word of its portal: %s", (_what, html, expected) => {
    expect(rewordedPage(html, "endpoints")).toBe(expected);
  });
});
