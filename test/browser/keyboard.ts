/** Pages used by the keyboard alone. */
import type { Page } from "playwright-core";

/** More than a page has controls. */
const MOST_TABS = 40;

/** Goes to a control by the keyboard alone: by what it says, or by its name. */
export async function tabTo(page: Page, control: string): Promise<void> {
  for (let tabs = 0; tabs < MOST_TABS; tabs += 1) {
    await page.keyboard.press("Tab");
    const said = await page.evaluate(() => [
      document.activeElement?.textContent?.trim(),
      document.activeElement?.getAttribute("name"),
    ]);
    if (said.includes(control)) return;
  }
  throw new Error(`The keyboard does not reach ${control} at ${page.url()}.`);
}

/** Presses a button or follows a link by the keyboard alone, once the page with this heading is there. */
export async function reach(page: Page, heading: string, control: string): Promise<void> {
  await page.getByRole("heading", { level: 1, name: heading }).waitFor();
  await tabTo(page, control);
  await page.keyboard.press("Enter");
}

/** Fills in the fields of a page by the keyboard alone, and sends the form. */
export async function fillIn(page: Page, heading: string, fields: Record<string, string>): Promise<void> {
  await page.getByRole("heading", { level: 1, name: heading }).waitFor();
  for (const [name, text] of Object.entries(fields)) {
    await tabTo(page, name);
    await page.keyboard.type(text);
  }
  await page.keyboard.press("Enter");
}
