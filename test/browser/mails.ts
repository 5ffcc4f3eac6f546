/** Each kind of mail as a client shows it: on a desk in light, on a phone in dark, and as plain text. */
import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { addAxe, violations } from "./inspect.ts";
import { keepScreenshot } from "./pictures.ts";
import type { Stage } from "./stage.ts";

const VIEWS = [
  { width: 640, height: 700, colorScheme: "light" },
  { width: 360, height: 700, colorScheme: "dark" },
] as const;
const TIMEOUT_MS = 240_000;

interface Sample {
  name: string;
  html: string;
  text: string;
  /** What it says. */
  words: readonly string[];
}

/** Imported by its path, because its types are those of workerd. */
async function readSamples(): Promise<readonly Sample[]> {
  const path = new URL("../support/mail-samples.ts", import.meta.url).pathname;
  const { MAILS }: { MAILS: readonly Sample[] } = await import(path);
  return MAILS;
}

async function inspect(page: Page, { name, html, text, words }: Sample): Promise<void> {
  await page.setContent(html);
  const shown = (await page.locator("body").textContent()) ?? "";
  expect([name, words.filter((part) => !text.includes(part) || !shown.includes(part))]).toEqual([name, []]);
  for (const { width, height, colorScheme } of VIEWS) {
    await page.setViewportSize({ width, height });
    await page.emulateMedia({ colorScheme });
    await keepScreenshot(page, `mails/${name}-${width}-${colorScheme}`);
    const widest = await page.evaluate(() => document.documentElement.scrollWidth);
    // A mail is a document of its own, without the landmarks of a page.
    const found = (await violations(page)).filter(
      (one) => !/^(region|landmark-one-main|page-has-heading-one):/.test(one),
    );
    expect([name, colorScheme, widest, found]).toEqual([name, colorScheme, width, []]);
  }
}

export function mails(stage: Stage): void {
  test(
    "every mail passes axe-core in light and dark, fits a phone, and says the same as plain text",
    async () => {
      const page = await stage.open();
      // Setting the content keeps the globals of a page.
      await addAxe(page);
      const samples = await readSamples();
      expect(samples.length).toBeGreaterThan(30);
      for (const sample of samples) await inspect(page, sample);
      await page.context().close();
    },
    TIMEOUT_MS,
  );
}
